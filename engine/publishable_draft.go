package engine

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
)

// knownDrafts are the values of $schema that all clients know, without a final #.
var knownDrafts = []string{"http://json-schema.org/draft-07/schema", "https://json-schema.org/draft/2020-12/schema"}

// noteOld remembers the first keyword that clients read only in an older draft.
func (c *published) noteOld(v graph.Value, top bool) {
	c.clash = c.clash || clashes(v)
	if c.old.Exists() {
		return
	}
	for key, m := range v.Members() {
		switch {
		case key == "$schema" && top && !slices.Contains(knownDrafts, strings.TrimSuffix(m.Text(), "#")),
			key == "id" && m.Is(graph.String),
			(key == "exclusiveMinimum" || key == "exclusiveMaximum") && m.Is(graph.Boolean),
			key == "items" && m.Is(graph.Array),
			key == "definitions" && m.Is(graph.Object) && !c.isDraft07():
			c.old = v.Key(key)
			return
		}
	}
}

// isDraft07 reports whether the schema names draft 7, which has definitions and no $defs.
func (c *published) isDraft07() bool {
	return strings.TrimSuffix(c.root.Get("$schema").Text(), "#") == knownDrafts[0]
}

// clashes reports whether a schema defines a name in $defs and in definitions.
func clashes(v graph.Value) bool {
	for name := range v.Get("definitions").Members() {
		if v.Get("$defs").Has(name) {
			return true
		}
	}
	return false
}

// reportOld reports a schema of an older draft, once.
func (c *published) reportOld() {
	if !c.old.Exists() {
		return
	}
	d := c.pass.harmful(ruleOldDraft, c.old, "%s: %q is written as in an older draft of JSON Schema, which clients do not read", c.what, c.old.Text())
	d.Hint = "use draft 2020-12, as MCP does"
	if c.clash {
		d.Hint += "; $defs and definitions define the same name, so no fix is offered"
		return
	}
	d.Offer(c.root.Replace("write it in draft 2020-12", modern(c.root, true)))
}

// modern is a schema of an older draft in draft 2020-12.
func modern(v graph.Value, top bool) any {
	if !v.Is(graph.Object) {
		return raw(v)
	}
	out := graph.Members{}
	for key, m := range v.Members() {
		switch {
		case key == "$schema" && top:
		case key == "id" && m.Is(graph.String):
			out = out.With("$id", raw(m))
		case key == "$ref" && strings.HasPrefix(m.Text(), "#/"):
			out = out.With(key, modernPointer(m.Text()))
		case (key == "minimum" || key == "maximum") && v.Get(exclusive(key)).Is(graph.Boolean):
			if v.Get(exclusive(key)).Bool() {
				key = exclusive(key)
			}
			out = out.With(key, raw(m))
		case (key == "exclusiveMinimum" || key == "exclusiveMaximum") && m.Is(graph.Boolean):
		case key == "items" && m.Is(graph.Array):
			out = out.With("prefixItems", modernList(m))
		case key == "additionalItems" && v.Get("items").Is(graph.Array):
			out = out.With("items", modern(m, false))
		case key == "additionalItems":
		case key == "dependencies":
			out = append(out, modernDependencies(m)...)
		case key == "$defs" && m.Is(graph.Object):
			out = out.With(key, append(modernMembers(m), modernMembers(v.Get("definitions"))...))
		case key == "definitions" && m.Is(graph.Object):
			if !v.Get("$defs").Is(graph.Object) {
				out = out.With("$defs", modernMembers(m))
			}
		case m.Is(graph.Object) && slices.Contains([]string{"properties", "patternProperties", "dependentSchemas"}, key):
			out = out.With(key, modernMembers(m))
		case m.Is(graph.Array) && slices.Contains(combinators, key):
			out = out.With(key, modernList(m))
		case m.Is(graph.Object) && slices.Contains([]string{"items", "additionalProperties", "not", "contains", "if", "then", "else"}, key):
			out = out.With(key, modern(m, false))
		default:
			out = out.With(key, raw(m))
		}
	}
	return out
}

// modernPointer is a reference to a part of a schema of an older draft, as a reference to
// the same part in draft 2020-12.
func modernPointer(ref string) string {
	parts := strings.Split(ref, "/")
	for i := 1; i < len(parts); i++ {
		switch key := parts[i]; key {
		case "definitions":
			parts[i] = "$defs"
			i++ // a name follows, not a keyword
		case "dependencies":
			parts[i] = "dependentSchemas"
			i++
		case "$defs", "properties", "patternProperties", "dependentSchemas":
			i++
		case "additionalItems":
			parts[i] = "items"
		case "items":
			if i+1 < len(parts) && strings.Trim(parts[i+1], "0123456789") == "" {
				parts[i] = "prefixItems"
			}
		}
	}
	return strings.Join(parts, "/")
}

func exclusive(key string) string { return "exclusive" + strings.ToUpper(key[:1]) + key[1:] }

func modernMembers(v graph.Value) graph.Members {
	out := graph.Members{}
	for name, m := range v.Members() {
		out = out.With(name, modern(m, false))
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
func modernDependencies(v graph.Value) graph.Members {
	names, schemas := graph.Members{}, graph.Members{}
	for name, m := range v.Members() {
		switch {
		case m.Is(graph.Array):
			names = names.With(name, raw(m))
		case m.Is(graph.String):
			names = names.With(name, []any{m.Text()})
		default:
			schemas = schemas.With(name, modern(m, false))
		}
	}
	out := graph.Members{}
	if len(names) > 0 {
		out = out.With("dependentRequired", names)
	}
	if len(schemas) > 0 {
		out = out.With("dependentSchemas", schemas)
	}
	return out
}
