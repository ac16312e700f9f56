package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// A lister writes an author's schema for tools/list, without the keywords for which
// some clients refuse the tool, or the whole list. A listed schema accepts all that
// the author's accepts: calls are checked with the author's.
type lister struct {
	left  []string // what was left out, and why
	loose bool     // something other than an annotation is left out somewhere
	input bool     // it is the schema of arguments, which model APIs read too
}

// maxLeftOut is how many keywords are named.
const maxLeftOut = 20

// listed returns the schema v as clients see it. Name says which it is. A
// wrapped one is that of the property "result".
func listed(v graph.Value, name string, wrap bool) (graph.Object, []string) {
	l := lister{input: name == "inputSchema"}
	out, _ := l.object(v, "", !wrap)
	if l.loose {
		l = lister{loose: true, input: l.input}
		out, _ = l.object(v, "", !wrap)
	}
	if wrap {
		out = graph.Object{{Key: "properties", Value: graph.Object{{Key: "result", Value: out}}}, {Key: "required", Value: []string{"result"}}, {Key: "type", Value: "object"}}
	}
	notes := l.left
	if ref := dangling(out, wrap); ref != "" {
		out, notes = graph.Object{{Key: "type", Value: "object"}}, []string{fmt.Sprintf(": tools/list describes any object, since the reference %q leads to a place that is not listed", ref)}
	}
	if more := len(notes) - maxLeftOut; more > 0 {
		notes = append(notes[:maxLeftOut:maxLeftOut], fmt.Sprintf(": %d more are left out", more))
	}
	for i := range notes {
		notes[i] = name + notes[i]
	}
	return out, notes
}

// note says that the keyword at a place is left out.
func (l *lister) note(at, format string, args ...any) {
	l.left = append(l.left, at+" is left out of tools/list: "+fmt.Sprintf(format, args...))
}

// Keywords by what they hold.
var (
	schemaMaps  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
	schemaLists = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	schemaOnes  = []string{"items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems"}
)

// drafts are the values of $schema that every client knows.
const (
	draft7    = "http://json-schema.org/draft-07/schema"
	draft2020 = "https://json-schema.org/draft/2020-12/schema"
)

// schema writes a schema; less says that it accepts more than the author's does.
func (l *lister) schema(v graph.Value, at string) (out any, less bool) {
	if !v.Is(graph.Map) {
		return json.RawMessage(v.JSON()), false
	}
	return l.object(v, at, false)
}

func (l *lister) object(v graph.Value, at string, top bool) (out graph.Object, less bool) {
	drop, unlisted := map[string]bool{}, []string(nil)
	for _, key := range v.Keys() {
		if why := l.refused(v, key, top); why != "" {
			l.note(at+"/"+key, "%s", why)
			drop[key] = true
			if key != "$schema" && key != "id" {
				less, l.loose = true, true
			}
			continue
		}
		if key == "$schema" && strings.TrimSuffix(v.Get(key).Text(), "#") == draft2020 {
			continue // MCP's default
		}
		value, loosened := l.keyword(v, key, at, top)
		switch {
		case loosened && (key == "not" || key == "if"):
			l.note(at+"/"+key, "it contains a keyword that is left out, without which it would refuse more values")
			drop[key] = true
			if key == "if" {
				drop["then"], drop["else"] = true, true
			}
		case loosened && key == "contains":
			l.note(at+"/"+key, "it contains a keyword that is left out, without which it would refuse more values")
			drop[key], drop["minContains"], drop["maxContains"] = true, true, true
		case loosened && key == "oneOf":
			if key = "anyOf"; v.Get(key).Exists() {
				l.note(at+"/oneOf", "it contains a keyword that is left out, without which it would refuse more values")
				key = ""
			}
		case loosened && key == "patternProperties":
			if drop["additionalProperties"] = true; v.Get("additionalProperties").Exists() {
				l.note(at+"/additionalProperties", "a pattern next to it is left out")
			}
		}
		if key == "properties" {
			unlisted = append(unlisted, l.unlisted(v)...)
		}
		if l.loose && (key == "unevaluatedProperties" || key == "unevaluatedItems") {
			l.note(at+"/"+key, "a keyword that it depends on is left out")
			drop[key] = true
		}
		less = less || loosened || l.loose && (key == "$ref" || key == "$dynamicRef")
		if key != "" {
			out = append(out, graph.Pair{Key: key, Value: value})
		}
	}
	if len(unlisted) > 0 {
		out = withoutNames(out, unlisted)
	}
	if l.input && engine.IsArray(v) && !v.Get("items").Exists() && !v.Get("prefixItems").Exists() {
		out = append(out, graph.Pair{Key: "items", Value: graph.Object{}})
	}
	return slices.DeleteFunc(out, func(p graph.Pair) bool { return drop[p.Key] }), less
}

// unlisted are the properties of a schema that are left out.
func (l *lister) unlisted(v graph.Value) []string {
	return slices.DeleteFunc(v.Get("properties").Keys(), func(name string) bool { return l.unnamed("properties", name) == "" })
}

// unnamed says why a member of a keyword is left out for its name, "" if it is not.
func (l *lister) unnamed(key, name string) string {
	switch {
	case diag.Visible(name) != name:
		return unseen
	case key == "patternProperties" && !regex.PortablePattern(name):
		return fmt.Sprintf("JavaScript may not read the pattern %q", name)
	case key == "properties" && l.input && !engine.PortableName(name):
		return "model APIs refuse the name"
	}
	return ""
}

// unseen is why a keyword is left out whose texts cannot be changed.
const unseen = "it has characters that cannot be seen"

// withoutNames leaves properties out of a schema, which then allows others.
func withoutNames(schema graph.Object, names []string) graph.Object {
	for i, p := range schema {
		if list, ok := p.Value.(json.RawMessage); p.Key == "required" && ok {
			var required []string
			if json.Unmarshal(list, &required) == nil {
				schema[i].Value = slices.DeleteFunc(required, func(name string) bool { return slices.Contains(names, name) })
			}
		}
	}
	return slices.DeleteFunc(schema, func(p graph.Pair) bool { return p.Key == "additionalProperties" })
}

// refused says why clients refuse a keyword, "" when they do not.
func (l *lister) refused(v graph.Value, key string, top bool) string {
	value := v.Get(key)
	switch key {
	case "anyOf", "oneOf", "allOf":
		if top {
			return "some clients refuse " + key + " at the top of a schema"
		}
	case "enum", "const", "required", "dependentRequired":
		if conceals(value) {
			return unseen
		}
	case "pattern":
		if conceals(value) {
			return unseen
		}
		if value.Is(graph.String) && !regex.PortablePattern(value.Text()) {
			return fmt.Sprintf("JavaScript may not read the pattern %q", value.Text())
		}
	case "$schema":
		if text := strings.TrimSuffix(value.Text(), "#"); text != draft7 && text != draft2020 {
			return fmt.Sprintf("some clients do not know %q", value.Text())
		}
	case "id":
		if value.Is(graph.String) {
			return "some clients refuse id, whose newer name is $id"
		}
	case "exclusiveMinimum", "exclusiveMaximum":
		if value.Is(graph.Bool) {
			return "some clients accept only a number"
		}
	}
	return ""
}

// keyword writes the value of one keyword.
func (l *lister) keyword(v graph.Value, key, at string, top bool) (out any, less bool) {
	value := v.Get(key)
	at += "/" + key
	switch {
	case value.Is(graph.Map) && slices.Contains(schemaMaps, key):
		members := graph.Object{}
		for _, name := range value.Keys() {
			if why := l.unnamed(key, name); why != "" {
				l.note(at+"/"+diag.EscapePointer(name), "%s", why)
				less, l.loose = true, true
				continue
			}
			one, loosened := l.schema(value.Get(name), at+"/"+diag.EscapePointer(name))
			if p := value.Get(name); top && key == "properties" && p.Is(graph.Bool) {
				one = asObject(p)
			}
			less = less || loosened && key != "$defs" && key != "definitions"
			members = append(members, graph.Pair{Key: name, Value: one})
		}
		return members, less
	case value.Is(graph.List) && slices.Contains(schemaLists, key):
		items := []any{}
		for i, item := range value.Items() {
			one, loosened := l.schema(item, at+"/"+strconv.Itoa(i))
			less = less || loosened
			items = append(items, one)
		}
		return items, less
	case slices.Contains(schemaOnes, key):
		return l.schema(value, at)
	case key == "description" && value.Is(graph.String):
		return engine.ShortDescription(value.Text()), false
	}
	return json.RawMessage(value.JSON()), false
}

// asObject writes a boolean schema as an object: some clients refuse the whole list
// of tools for one property that is true.
func asObject(v graph.Value) json.RawMessage {
	if v.Bool() {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(`{"not":{}}`)
}

// dangling returns a reference of a schema that leads nowhere in it, or "". In a
// wrapped schema one to the whole leads elsewhere.
func dangling(schema any, wrapped bool) string {
	b, err := json.Marshal(schema)
	if err != nil {
		return ""
	}
	var root any
	if json.Unmarshal(b, &root) != nil {
		return ""
	}
	var find func(v any) string
	find = func(v any) string {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok && (strings.HasPrefix(ref, "#/") && !leads(root, ref) || wrapped && ref == "#") {
				return ref
			}
			for _, member := range v {
				if ref := find(member); ref != "" {
					return ref
				}
			}
		case []any:
			for _, item := range v {
				if ref := find(item); ref != "" {
					return ref
				}
			}
		}
		return ""
	}
	return find(root)
}

// leads reports whether a local reference points at something.
func leads(v any, ref string) bool {
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		part = diag.UnescapePointer(part)
		switch t := v.(type) {
		case map[string]any:
			member, ok := t[part]
			if !ok {
				return false
			}
			v = member
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(t) {
				return false
			}
			v = t[i]
		default:
			return false
		}
	}
	return true
}
