package arguments

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/servers/messages"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// A Decoder reads the arguments of a tool's calls into the operation's input. It
// decodes each argument once, and keeps the bytes of raw JSON as they were sent.
type Decoder struct {
	Schema *jsonschema.Schema
	Fields map[string]app.Field // by the argument's name
}

// Fields are an operation's arguments, by name.
func Fields(o app.Operation) map[string]app.Field {
	fields := map[string]app.Field{}
	for _, f := range o.Fields() {
		if f.Name != "" {
			fields[f.Name] = f
		}
	}
	return fields
}

// Decode fills into, a pointer to an input.
func (d *Decoder) Decode(raw json.RawMessage, into any) *diag.Fault {
	var args map[string]json.RawMessage // null means no arguments
	if len(raw) > 0 {
		var err error
		if args, err = messages.Members(raw); err != nil {
			return &diag.Fault{Code: diag.CodeBadArgument, Message: "the arguments are not an object: " + err.Error()}
		}
	}
	names := slices.Sorted(maps.Keys(args))
	for _, name := range names {
		if d.Schema.Properties[name] == nil {
			return d.unknown(name)
		}
	}
	for _, name := range d.required(args) {
		if _, there := args[name]; !there {
			f := diag.Faultf(diag.CodeBadArgument, "the argument %q is missing", name)
			f.Path, f.Hint = "/"+name, d.Schema.Properties[name].Description
			return f
		}
	}
	in := reflect.ValueOf(into).Elem()
	for _, name := range names {
		p := d.Schema.Properties[name]
		if err := decodeField(lenient(args[name], p), in.FieldByIndex(d.Fields[name].Index)); err != nil {
			return wrongType(name, p, err)
		}
	}
	return nil
}

// required are the arguments that a call must have, given those that it has.
func (d *Decoder) required(args map[string]json.RawMessage) []string {
	names := slices.Clone(d.Schema.Required)
	for name, f := range d.Fields {
		if f.Unless != nil && !slices.ContainsFunc(f.Unless, func(other string) bool { return args[other] != nil }) {
			names = append(names, name)
		}
	}
	return names
}

// decodeField sets a field. Raw JSON is taken as it is.
func decodeField(raw json.RawMessage, field reflect.Value) error {
	if field.Type() == reflect.TypeFor[json.RawMessage]() {
		field.SetBytes(raw)
		return nil
	}
	if field.Type() == reflect.TypeFor[time.Duration]() {
		return decodeDuration(raw, field)
	}
	return plainjson.Decode(raw, field.Addr().Interface())
}

// decodeDuration sets a duration to a text such as "2h".
func decodeDuration(raw json.RawMessage, field reflect.Value) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	field.SetInt(int64(d))
	return err
}

func (d *Decoder) unknown(name string) *diag.Fault {
	names := slices.Sorted(maps.Keys(d.Schema.Properties))
	f := diag.Faultf(diag.CodeBadArgument, "unknown argument %q", name)
	f.Path, f.Suggestions = "/"+name, diag.Closer(name, names, 3)
	f.Hint = "the arguments are " + diag.OneOf(names, 20)
	return f
}

func wrongType(name string, p *jsonschema.Schema, err error) *diag.Fault {
	te, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return &diag.Fault{Code: diag.CodeBadArgument, Path: "/" + name, Message: "the argument " + strconv.Quote(name) + " cannot be read: " + err.Error()}
	}
	at := name
	if te.Field != "" {
		at += "." + te.Field
	}
	return &diag.Fault{
		Code: diag.CodeBadArgument, Path: "/" + strings.ReplaceAll(at, ".", "/"), Message: "the argument " + strconv.Quote(at) + " has the wrong type",
		Got: te.Value, Want: cmp.Or(p.Type, strings.Join(p.Types, " or ")), Hint: p.Description,
	}
}

// lenient unwraps JSON that a caller wrote as text where the schema wants
// something else than text, and makes a list of one thing where a list is meant.
func lenient(raw json.RawMessage, p *jsonschema.Schema) json.RawMessage {
	raw = unwrapped(raw, p)
	if p.Type == "array" && len(raw) > 0 && (raw[0] == '{' || raw[0] == '"') {
		return slices.Concat(json.RawMessage("["), raw, json.RawMessage("]"))
	}
	return raw
}

func unwrapped(raw json.RawMessage, p *jsonschema.Schema) json.RawMessage {
	switch p.Type {
	case "object", "array", "integer", "number", "boolean":
	default:
		return raw
	}
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return raw
	}
	text = strings.TrimSpace(text)
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if low := strings.ToLower(text); p.Type == "boolean" && (low == "true" || low == "false") {
		return json.RawMessage(low)
	}
	return raw
}
