package schema

import "github.com/patchbay-mcp/patchbay/specs"

// Parameters returns the arguments that an object schema declares, in the author's
// order.
func Parameters(n *Node) []specs.Parameter {
	required := n.Required()
	params := make([]specs.Parameter, 0, n.Get("properties").Len())
	for name, property := range n.Properties() {
		p := property.Resolve()
		param := specs.Parameter{
			Name: name, Type: p.TypeName(),
			Description: p.Get("description").Text(), ValidationPattern: p.Get("pattern").Text(),
			DefaultValue: p.Get("default").Value(),
		}
		if len(required) > 0 && required[0] == name { // in the order of the properties
			param.Required, required = true, required[1:]
		}
		if enum := p.Get("enum"); enum != nil {
			param.EnumValues, _ = enum.Value().([]any)
		}
		params = append(params, param)
	}
	return params
}
