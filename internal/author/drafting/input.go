package drafting

import (
	"encoding/json"
	"slices"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

// An input is an argument of the graph.
type input struct {
	name     string
	argument string // the argument of a call that it was made for
	value    expr.Value
	schema   graph.Members
}

func (in *input) expr() string { return step("$.entry", in.name) }

// known returns the input that already has a value under the name of an argument.
func (d *drafter) known(argument string, v expr.Value, s *schema.Node) *input {
	for _, in := range d.inputs {
		if in.argument == argument && canonical(in.value) == canonical(v) && typeText(in.schema) == typeText(property(s, v)) {
			return in
		}
	}
	return nil
}

// input returns the input for an argument with a literal value: the one there is, or a new
// one, which is named after the argument, with the node before it if that name is taken.
func (d *drafter) input(node, argument string, v expr.Value, s *schema.Node) *input {
	in := d.known(argument, v, s)
	if in == nil {
		in = &input{name: d.names.take(argument, node+"_"+argument), argument: argument, value: v, schema: property(s, v)}
		d.inputs = append(d.inputs, in)
		d.entry.Set(in.name, v)
	}
	return in
}

// maxProperty is how many bytes a schema of an input may have; of a larger one only the
// types are kept.
const maxProperty = 400

// copied are the keywords of a schema that say what an input is.
var copied = []string{"type", "description", "enum", "items", "properties", "required", "additionalProperties", "anyOf", "oneOf", "format", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}

// property is the schema of an input: what the tool says of its argument, else the type of
// the recorded value.
func property(s *schema.Node, v expr.Value) graph.Members {
	s = s.Resolve()
	var out graph.Members
	size := 0
	for _, key := range copied {
		if of := s.Get(key); of != nil {
			out = out.With(key, of.Raw())
			size += len(of.Raw())
		}
	}
	text, _ := json.Marshal(out)
	if len(out) > 0 && size <= maxProperty && !refers(text) {
		return out
	}
	if known := s.Types(); s != nil && !slices.Contains(known, "any") && len(known) > 0 {
		if len(known) == 1 {
			return graph.Members{{Key: "type", Value: known[0]}}
		}
		return graph.Members{{Key: "type", Value: known}}
	}
	if expr.IsNull(v) || v == nil {
		return graph.Members{}
	}
	return graph.Members{{Key: "type", Value: expr.Type(v)}}
}

func typeText(s graph.Members) string {
	for _, p := range s {
		if p.Key == "type" {
			text, _ := json.Marshal(p.Value)
			return string(text)
		}
	}
	return ""
}

// inputSchema is the schema of the graph's arguments.
func (d *drafter) inputSchema() graph.Members {
	properties := graph.Members{}
	var required []string
	for _, in := range d.inputs {
		properties = properties.With(in.name, in.schema)
		required = append(required, in.name)
	}
	s := graph.Members{{Key: "type", Value: "object"}, {Key: "properties", Value: properties}}
	if len(required) > 0 {
		s = s.With("required", required)
	}
	return s
}
