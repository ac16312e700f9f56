package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

// localPrincipal is who every call is made for while there is no authentication:
// the user of the loopback interface.
const localPrincipal = "local"

// failing is a result that may say that what was asked was not done.
type failing interface{ Failed() bool }

// asking is a result that may want to know something of the person at the client.
type asking interface{ asks() *mcp.CallToolResult }

// rendering is a result with a form for people.
type rendering interface{ Text() string }

// tool describes one of Patchbay's own tools.
type tool struct {
	name, description      string
	readOnly, idempotent   bool
	destructive, openWorld bool
}

// add publishes a verb as a tool. Arguments are read leniently (JSON as text
// where an object, a list, a number or a boolean is meant), the result goes out
// byte for byte as the verb encoded it, and every failure has the one error shape.
func add[In, Out any](s *mcp.Server, t tool, verb func(context.Context, In, *mcp.CallToolRequest) (*Out, *diag.Fault)) {
	in := inputSchema[In]()
	s.AddTool(&mcp.Tool{
		Name: t.name, Description: t.description, InputSchema: in, OutputSchema: outputSchema[Out](),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.readOnly, IdempotentHint: t.idempotent, DestructiveHint: &t.destructive, OpenWorldHint: &t.openWorld},
	}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var v In
		if fault := decode(req.Params.Arguments, in, &v); fault != nil {
			return reply(map[string]any{"error": fault}, true)
		}
		out, fault := verb(app.WithPrincipal(ctx, localPrincipal), v, req)
		if fault != nil {
			return reply(map[string]any{"error": fault}, true)
		}
		if a, asks := any(out).(asking); asks && a.asks() != nil {
			return a.asks(), nil
		}
		f, ok := any(out).(failing)
		res, err := reply(out, ok && f.Failed())
		if r, renders := any(out).(rendering); renders && err == nil && r.Text() != "" {
			res.Content = append(res.Content, &mcp.TextContent{Text: r.Text()})
		}
		return res, err
	})
}

// reply encodes a result as structured content and as the same JSON in text.
func reply(v any, failed bool) (*mcp.CallToolResult, error) {
	b, err := marshal(v)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{IsError: failed, StructuredContent: json.RawMessage(b), Content: []mcp.Content{&mcp.TextContent{Text: string(b)}}}, nil
}

// marshal is JSON without escaping for HTML: agents read these bytes.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

var anyJSON = map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}

// inputSchema derives a tool's input schema from its verb's input struct.
func inputSchema[In any]() *jsonschema.Schema {
	s, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[app.NodeRef]():     nodeRefSchema(),
		reflect.TypeFor[graph.EditOp]():    {Type: "object"}, // the description tells what each op takes, in fewer bytes
	}})
	if err != nil {
		panic(err) // a struct of ours that has no schema is a bug
	}
	s.AdditionalProperties = nil // an unknown argument is refused with what was meant; saying so costs every reader bytes
	for name, p := range s.Properties {
		if slices.Contains(p.Types, "null") { // optional pointers and slices: null is not worth its bytes
			p.Types = slices.DeleteFunc(p.Types, func(t string) bool { return t == "null" })
			if len(p.Types) == 1 {
				p.Type, p.Types = p.Types[0], nil
			}
		}
		if name == "arguments" || name == "pins" {
			p.Type = "object"
			p.AdditionalProperties = nil
		}
	}
	return s
}

func nodeRefSchema() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"id": text, "node_type": text, "subtype": text}}
}

// outputSchema names the top-level fields of a result and of a failure. Nothing
// is required, so that failures satisfy it too.
func outputSchema[Out any]() *jsonschema.Schema {
	s, err := jsonschema.For[Out](&jsonschema.ForOptions{TypeSchemas: anyJSON})
	if err != nil {
		panic(err)
	}
	out := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"error": {Type: "object"}}}
	for name, p := range s.Properties {
		if name == "error" {
			continue
		}
		typ := p.Type
		if typ == "" && len(p.Types) == 2 { // a type or null
			typ = p.Types[slices.IndexFunc(p.Types, func(t string) bool { return t != "null" })]
		}
		field := &jsonschema.Schema{Type: typ}
		if typ == "" {
			field.Description = "any JSON value" // an empty schema is written as true, which clients refuse
		}
		out.Properties[name] = field
		out.PropertyOrder = append(out.PropertyOrder, name)
	}
	slices.Sort(out.PropertyOrder)
	out.PropertyOrder = append(out.PropertyOrder, "error")
	return out
}

// decode reads a call's arguments into a verb's input.
func decode(raw json.RawMessage, schema *jsonschema.Schema, into any) *diag.Fault {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	args := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &args); err != nil {
		return &diag.Fault{Code: "bad-argument", Message: "the arguments are not an object: " + err.Error()}
	}
	var names []string
	for name := range schema.Properties {
		names = append(names, name)
	}
	given := make([]string, 0, len(args))
	for name := range args {
		given = append(given, name)
	}
	slices.Sort(given)
	for _, name := range given {
		p, known := schema.Properties[name]
		if !known {
			f := diag.Faultf("bad-argument", "there is no argument %q", name)
			f.Path, f.Suggestions = "/"+name, diag.Closer(name, names, 3)
			f.Hint = "the arguments are " + diag.OneOf(names, 20)
			return f
		}
		args[name] = lenient(args[name], p)
	}
	for _, name := range schema.Required {
		if _, there := args[name]; !there {
			f := diag.Faultf("bad-argument", "the argument %q is missing", name)
			f.Path, f.Hint = "/"+name, schema.Properties[name].Description
			return f
		}
	}
	whole, err := json.Marshal(args)
	if err != nil {
		return &diag.Fault{Code: "bad-argument", Message: err.Error()}
	}
	d := json.NewDecoder(bytes.NewReader(whole))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		f := &diag.Fault{Code: "bad-argument", Message: err.Error()}
		if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			top, _, _ := strings.Cut(te.Field, ".")
			f.Path, f.Got, f.Message = "/"+strings.ReplaceAll(te.Field, ".", "/"), te.Value, "the argument "+strconv.Quote(te.Field)+" has the wrong type"
			if p := schema.Properties[top]; p != nil {
				f.Want = firstNonEmpty(p.Type, strings.Join(p.Types, " or "))
				f.Hint = p.Description
			}
		}
		return f
	}
	return nil
}

func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
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
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return raw
	}
	text = strings.TrimSpace(text)
	switch p.Type {
	case "object", "array", "integer", "number", "boolean":
		if json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
		if low := strings.ToLower(text); p.Type == "boolean" && (low == "true" || low == "false") {
			return json.RawMessage(low)
		}
	}
	return raw
}
