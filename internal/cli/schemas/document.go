package schemas

import (
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchbay-mcp/patchbay/engine"
)

// document is the schema of a graph document: one graph, or several tools.
func document() *jsonschema.Schema {
	whole, tool := object(false), object(true)
	whole.Title = "Patchbay graph"
	for _, f := range engine.ToolFields() {
		is := value(f)
		if f.Name == "nodes" {
			is.Items = &jsonschema.Schema{Ref: "#/definitions/node"}
		}
		add(tool, f.Name, is)
		add(whole, f.Name, is)
	}
	tool.Required = []string{"nodes"}
	for _, f := range engine.DocumentFields() {
		is := value(f)
		if f.Name == "tools" {
			is.Items = &jsonschema.Schema{Ref: "#/definitions/tool"}
		}
		if whole.Properties[f.Name] == nil {
			add(whole, f.Name, is)
		}
	}
	whole.AnyOf = []*jsonschema.Schema{{Required: []string{"nodes"}}, {Required: []string{"tools"}}}
	whole.Definitions = map[string]*jsonschema.Schema{"tool": tool, "node": node()}
	return whole
}

// node is the schema of a node: its type says which fields it has.
func node() *jsonschema.Schema {
	each := object(false)
	each.Required = []string{"id", "type"}
	add(each, "id", &jsonschema.Schema{Type: "string", Description: "name of the node in the graph"})
	types := &jsonschema.Schema{Type: "string", Description: "type of the node"}
	add(each, "type", types)
	place := object(false) // workflows of other editors have more
	place.Description = engine.PositionDoc
	for _, axis := range []string{"x", "y"} {
		add(place, axis, &jsonschema.Schema{Type: "number"})
	}
	add(each, "ui", place)
	for _, k := range engine.Kinds() {
		types.Enum = append(types.Enum, k.Spec.NodeType)
		own := object(false)
		own.Type, own.Description = "", k.Spec.Description
		for _, f := range k.Fields {
			add(own, f.Name, value(f))
			if f.Required {
				own.Required = append(own.Required, f.Name)
			}
		}
		each.AllOf = append(each.AllOf, &jsonschema.Schema{If: hasType(k.Spec.NodeType), Then: own})
	}
	return each
}

// hasType is the condition that a node is of a type.
func hasType(nodeType string) *jsonschema.Schema {
	is := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"type": {Const: jsonschema.Ptr[any](nodeType)}}}
	is.Required = []string{"type"}
	return is
}

// value is the schema of a field. {expr: …} or {rule: …} may stand where a value is
// computed.
func value(f engine.Field) *jsonschema.Schema {
	is := &jsonschema.Schema{Description: f.Doc}
	switch f.Type {
	case "node-id":
		is.Type = "string"
	case "boolean", "number", "string":
		is.Types = []string{f.Type, "object"}
	case "array", "object":
		is.Type = f.Type
	}
	return is
}
