package drafting

import (
	"bytes"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/schema"
)

const (
	maxOutput   = 800 // bytes of a schema of results that is kept as it is
	outputDepth = 2   // of properties in a shortened one
)

// refers reports whether a schema has references, which only its own document resolves.
func refers(raw []byte) bool {
	return bytes.Contains(raw, []byte(`Ref"`)) || bytes.Contains(raw, []byte(`ref"`))
}

// outputSchema is the schema of what a callee returns: its own where that is small, else
// the types in it, else those of the recorded value. It requires nothing that only
// recorded values show.
func outputSchema(c *Callee, v expr.Value) any {
	if root := c.Output.Root(); root != nil {
		if raw := root.Raw(); c.Declared && len(raw) <= maxOutput && !refers(raw) {
			return raw
		}
		if s := shortened(root, outputDepth); len(s) > 0 {
			return s
		}
	}
	return shape(v, outputDepth)
}

// shortened is a schema with nothing but types.
func shortened(s *schema.Node, depth int) graph.Members {
	s = s.Resolve()
	types := lists.Only(s.Types(), func(t string) bool { return t != "any" })
	out := graph.Members{}
	switch len(types) {
	case 0:
		return out
	case 1:
		out = out.With("type", types[0])
	default:
		out = out.With("type", types)
	}
	properties := graph.Members{}
	for name, p := range s.Properties() {
		if depth > 0 {
			properties = properties.With(name, shortened(p, depth-1))
		}
	}
	if len(properties) > 0 {
		out = out.With("properties", properties)
	}
	if items := s.Get("items"); items.IsObject() && depth > 0 {
		out = out.With("items", shortened(items, depth-1))
	}
	return out
}

// shape is a schema of a value's types.
func shape(v expr.Value, depth int) graph.Members {
	if v == nil || expr.IsNull(v) {
		return graph.Members{}
	}
	out := graph.Members{{Key: "type", Value: expr.Type(v)}}
	if o, ok := v.(expr.Object); ok && depth > 0 {
		properties := graph.Members{}
		for key, member := range o.All() {
			properties = properties.With(key, shape(member, depth-1))
		}
		out = out.With("properties", properties)
	}
	if list, ok := v.([]any); ok && depth > 0 && len(list) > 0 && same(list) {
		out = out.With("items", shape(list[0], depth-1))
	}
	return out
}

// same reports whether the items of a list have one shape.
func same(list []any) bool {
	first, _ := json.Marshal(shape(list[0], 1))
	for _, item := range list[1:] {
		if next, _ := json.Marshal(shape(item, 1)); !bytes.Equal(first, next) {
			return false
		}
	}
	return true
}
