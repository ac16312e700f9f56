package arguments

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// InputSchema derives a tool's input schema from the input of its operation.
func InputSchema(o app.Operation) *jsonschema.Schema {
	s := schemaFor(o.Input(), map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[plans.NodeRef]():     {Type: "object"},
		reflect.TypeFor[execution.RunCase](): {Type: "object"},
		reflect.TypeFor[edit.Op]():           {Type: "object"}, // the descriptions tell what each takes, in fewer bytes
	})
	s.AdditionalProperties = nil // an unknown argument is refused with what was meant; saying so costs every reader bytes
	for _, f := range o.Fields() {
		p := s.Properties[f.Name]
		if p == nil {
			continue
		}
		if f.Unless != nil {
			s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == f.Name })
		}
		if slices.Contains(p.Types, "null") { // optional pointers and slices: null is not worth its bytes
			p.Types = slices.DeleteFunc(p.Types, func(t string) bool { return t == "null" })
			if len(p.Types) == 1 {
				p.Type, p.Types = p.Types[0], nil
			}
		}
		switch {
		case f.Name == "graph": // an object is accepted too; without a type, clients show no field to fill in
			p.Type = "string"
		case f.Arg == "[KEY=VALUE…]" || f.Type.Kind() == reflect.Map:
			p.Type, p.AdditionalProperties = "object", nil
		}
		limit(p, f)
	}
	return s
}

// limit says which values a field may have; how many items, the refusal of more says.
func limit(p *jsonschema.Schema, f app.Field) {
	for _, value := range f.Enum {
		p.Enum = append(p.Enum, value)
	}
	if f.Maximum != nil && p.Type != "array" {
		most := float64(*f.Maximum)
		p.Maximum = &most
	}
}

// ResultSchema names the top-level fields of an operation's result and of a failure.
// Nothing is required, so that failures satisfy it too. Tools do not list it: it
// would double what a client reads before its first call.
func ResultSchema(o app.Operation) *jsonschema.Schema {
	s := schemaFor(o.Result(), nil)
	out := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"error": {Type: "object"}}}
	for name, p := range s.Properties {
		if name == "error" {
			continue
		}
		typ := p.Type
		if typ == "" && len(p.Types) == 2 { // a type or null
			typ = p.Types[slices.IndexFunc(p.Types, func(t string) bool { return t != "null" })]
		}
		out.Properties[name] = &jsonschema.Schema{Type: typ}
	}
	return out
}

// schemaFor is the schema of a struct of ours; raw JSON is any value.
func schemaFor(t reflect.Type, types map[reflect.Type]*jsonschema.Schema) *jsonschema.Schema {
	all := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}
	maps.Copy(all, types)
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: all})
	if err != nil {
		panic(err) // a struct of ours that has no schema is a bug
	}
	return s
}
