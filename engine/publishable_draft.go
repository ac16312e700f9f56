package engine

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// knownDrafts are the values of $schema that all clients know, without a final #.
var knownDrafts = []string{"http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2020-12/schema"}

// noteOld remembers the first keyword that clients read only in an older draft.
func (c *published) noteOld(v graph.Value, top bool) {
	if c.old.Exists() {
		return
	}
	for key, m := range v.Members() {
		switch {
		case key == "$schema" && top && !slices.Contains(knownDrafts, strings.TrimSuffix(m.Text(), "#")),
			key == "id" && m.Is(graph.String),
			(key == "exclusiveMinimum" || key == "exclusiveMaximum") && m.Is(graph.Bool),
			key == "items" && m.Is(graph.List):
			c.old = v.Key(key)
			return
		}
	}
}

// reportOld reports a schema of an older draft, once.
func (c *published) reportOld() {
	if !c.old.Exists() {
		return
	}
	d := c.pass.harmful(ruleOldDraft, c.old, "%s: %q is read by clients only in an older draft of JSON Schema", c.what, c.old.Text())
	d.Hint = "write the keywords of draft 2020-12, MCP's own"
	d.Fixes = []diag.Fix{c.root.Replace("write it in draft 2020-12", modern(c.root, true))}
}

// modern is a schema of an older draft in draft 2020-12.
func modern(v graph.Value, top bool) any {
	if !v.Is(graph.Map) {
		return raw(v)
	}
	out := graph.Object{}
	for key, m := range v.Members() {
		switch {
		case key == "$schema" && top:
		case key == "id" && m.Is(graph.String):
			out = append(out, graph.Pair{Key: "$id", Value: raw(m)})
		case key == "$ref" && strings.HasPrefix(m.Text(), "#/definitions/"):
			out = append(out, graph.Pair{Key: key, Value: "#/$defs/" + strings.TrimPrefix(m.Text(), "#/definitions/")})
		case (key == "minimum" || key == "maximum") && v.Get(exclusive(key)).Is(graph.Bool):
			if v.Get(exclusive(key)).Bool() {
				key = exclusive(key)
			}
			out = append(out, graph.Pair{Key: key, Value: raw(m)})
		case (key == "exclusiveMinimum" || key == "exclusiveMaximum") && m.Is(graph.Bool):
		case key == "items" && m.Is(graph.List):
			out = append(out, graph.Pair{Key: "prefixItems", Value: modernList(m)})
		case key == "additionalItems" && v.Get("items").Is(graph.List):
			out = append(out, graph.Pair{Key: "items", Value: modern(m, false)})
		case key == "additionalItems":
		case key == "dependencies":
			out = append(out, modernDependencies(m)...)
		case m.Is(graph.Map) && slices.Contains([]string{"properties", "patternProperties", "definitions", "$defs"}, key):
			if key == "definitions" {
				key = "$defs"
			}
			out = append(out, graph.Pair{Key: key, Value: modernMembers(m)})
		case m.Is(graph.List) && slices.Contains(combinators, key):
			out = append(out, graph.Pair{Key: key, Value: modernList(m)})
		case m.Is(graph.Map) && slices.Contains([]string{"items", "additionalProperties", "not", "contains", "if", "then", "else"}, key):
			out = append(out, graph.Pair{Key: key, Value: modern(m, false)})
		default:
			out = append(out, graph.Pair{Key: key, Value: raw(m)})
		}
	}
	return out
}

func exclusive(key string) string { return "exclusive" + strings.ToUpper(key[:1]) + key[1:] }

func modernMembers(v graph.Value) graph.Object {
	out := graph.Object{}
	for name, m := range v.Members() {
		out = append(out, graph.Pair{Key: name, Value: modern(m, false)})
	}
	return out
}

func modernList(v graph.Value) []any {
	out := []any{}
	for _, item := range v.Items() {
		out = append(out, modern(item, false))
	}
	return out
}

// modernDependencies are the two keywords that dependencies has become.
func modernDependencies(v graph.Value) graph.Object {
	names, schemas := graph.Object{}, graph.Object{}
	for name, m := range v.Members() {
		switch {
		case m.Is(graph.List):
			names = append(names, graph.Pair{Key: name, Value: raw(m)})
		case m.Is(graph.String):
			names = append(names, graph.Pair{Key: name, Value: []any{m.Text()}})
		default:
			schemas = append(schemas, graph.Pair{Key: name, Value: modern(m, false)})
		}
	}
	out := graph.Object{}
	if len(names) > 0 {
		out = append(out, graph.Pair{Key: "dependentRequired", Value: names})
	}
	if len(schemas) > 0 {
		out = append(out, graph.Pair{Key: "dependentSchemas", Value: schemas})
	}
	return out
}
