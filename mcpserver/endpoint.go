package mcpserver

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/app/arguments"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// An Endpoint is an operation as pages call it, which are not clients of MCP: with the
// arguments of its tool, or of its command if it is not a tool, and with the same faults and
// bounds.
type Endpoint struct {
	Name      string // of the tool, or the words of the command with dashes, such as "runs-list"
	Operation app.Operation

	read arguments.Decoder
}

// Endpoints are those of all operations, in the order of the reference.
func Endpoints() []*Endpoint {
	var list []*Endpoint
	for _, o := range app.Operations() {
		e := &Endpoint{Name: o.Tool, Operation: o, read: arguments.Decoder{Schema: arguments.InputSchema(o), Fields: arguments.Fields(o)}}
		if o.Tool == "" {
			e.Name = strings.ReplaceAll(o.Command, " ", "-")
			e.describeDurations()
		}
		list = append(list, e)
	}
	return list
}

// describeDurations says of the arguments that are durations that they are texts.
func (e *Endpoint) describeDurations() {
	for name, f := range e.read.Fields {
		if p := e.read.Schema.Properties[name]; p != nil && f.Type == reflect.TypeFor[time.Duration]() {
			p.Type, p.Types = "string", nil
		}
	}
}

// Decode reads the arguments of a call. What a command has by default, so has the operation
// of a command that is not a tool.
func (e *Endpoint) Decode(args json.RawMessage) (in any, fault *diag.Fault) {
	in = e.Operation.NewInput()
	if e.Operation.Tool == "" {
		for _, f := range e.read.Fields {
			if f.Default != "" {
				setDefault(reflect.ValueOf(in).Elem().FieldByIndex(f.Index), f.Default)
			}
		}
	}
	return in, e.read.Decode(args, in)
}

// Encode returns the JSON of a reply or a fault, whose size is bounded.
func Encode(reply any) (json.RawMessage, error) {
	b, err := plainjson.Marshal(reply)
	return bounded(context.Background(), b), err
}

// setDefault sets a field to the text of its default.
func setDefault(field reflect.Value, text string) {
	switch field.Kind() {
	case reflect.String:
		field.SetString(text)
	case reflect.Bool:
		field.SetBool(text == "true")
	case reflect.Int, reflect.Int64:
		if field.Type() == reflect.TypeFor[time.Duration]() {
			d, _ := time.ParseDuration(text) // a tag of ours
			field.SetInt(int64(d))
			return
		}
		n, _ := strconv.ParseInt(text, 10, 64)
		field.SetInt(n)
	default:
	}
}
