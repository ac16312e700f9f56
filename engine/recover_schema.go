package engine

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var schemaTypes = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

var typeAliases = map[string]string{
	"str": "string", "text": "string", "int": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number", "numeric": "number",
	"bool": "boolean", "dict": "object", "map": "object", "json": "object", "hash": "object", "list": "array", "tuple": "array", "none": "null", "nil": "null",
	"date": "string", "url": "string", "file": "string", "path": "string",
}

// schemaText recovers from a schema that is JSON as text.
func (p *Pass) schemaText(v graph.Value, what string) bool {
	text := v.Text()
	if !v.Is(graph.String) || text == "" || text[0] != '{' || !json.Valid([]byte(text)) {
		return false
	}
	d := p.Report(ruleBadSchema, v, nil, "%s is text, expected a JSON Schema", what)
	d.Fixes = []diag.Fix{v.Replace("turn the text into a map", json.RawMessage(text))}
	return true
}

// shorthand recovers from a schema that lists the properties directly.
func (p *Pass) shorthand(v graph.Value, what string) bool {
	if v.Len() == 0 || v.Get("properties").Exists() || v.Get("$ref").Exists() {
		return false
	}
	properties := graph.Object{}
	required := []any{}
	for _, key := range v.Keys() {
		m := v.Get(key)
		isType := m.Is(graph.String) && (slices.Contains(schemaTypes, m.Text()) || typeAliases[m.Text()] != "")
		if key == "type" && isType {
			return false
		}
		switch {
		case m.Is(graph.Map) && (m.Get("type").Exists() || m.Get("description").Exists() || m.Get("enum").Exists()):
			property := graph.Object{}
			for _, k := range m.Keys() {
				switch flag := m.Get(k); {
				case k != "required" || !flag.Is(graph.Bool):
					property = append(property, graph.Pair{Key: k, Value: raw(flag)})
				case flag.Bool():
					required = append(required, key)
				}
			}
			properties = append(properties, graph.Pair{Key: key, Value: property})
		case isType:
			name := m.Text()
			if a := typeAliases[name]; a != "" {
				name = a
			}
			properties = append(properties, graph.Pair{Key: key, Value: graph.Object{{Key: "type", Value: name}}})
		default:
			return false
		}
	}
	d := p.Report(ruleSchemaShorthand, v, nil, "%s lists properties, expected a JSON Schema of an object", what)
	d.Hint = "write {type: object, properties: {…}, required: […]}"
	schema := graph.Object{{Key: "type", Value: "object"}, {Key: "properties", Value: properties}}
	if len(required) > 0 {
		schema = append(schema, graph.Pair{Key: "required", Value: required})
	}
	d.Fixes = []diag.Fix{v.Replace("wrap them in properties", schema)}
	return true
}

// schemaSlips reports the small faults of schemas that have one obvious repair.
func (p *Pass) schemaSlips(v graph.Value, what string) bool {
	found := false
	if t := v.Get("type"); !t.Exists() && v.Get("properties").Exists() {
		d := p.Report(ruleBadSchema, v, nil, "%s has properties and no type", what)
		d.Fixes = []diag.Fix{v.Insert("add type: object", "type", "object", "")}
		found = true
	} else if what == "inputSchema" && t.Is(graph.String) && t.Text() != "object" && typeAliases[t.Text()] == "" {
		d := p.Report(ruleBadSchema, t, nil, "%s has type %q, expected object: a tool takes an object of arguments", what, t.Text())
		d.Hint = "write {type: object, properties: {…}}"
		found = true
	}
	var walk func(v graph.Value, depth int)
	walk = func(v graph.Value, depth int) {
		if depth > 32 {
			return
		}
		if t := v.Get("type"); t.Is(graph.String) && !slices.Contains(schemaTypes, t.Text()) {
			d := p.Report(ruleBadSchema, t, nil, "%s: there is no JSON Schema type %q", what, t.Text())
			near := typeAliases[t.Text()]
			if near == "" {
				near = p.closest(t.Text(), schemaTypes)
			}
			d.Hint = "the types are string, number, integer, boolean, object, array, null"
			if near != "" {
				d.Fixes = []diag.Fix{t.Replace(fmt.Sprintf("change to %q", near), near)}
			}
			found = true
		}
		properties := v.Get("properties")
		for _, key := range properties.Keys() {
			m := properties.Get(key)
			if m.Is(graph.String) {
				name := m.Text()
				if a := typeAliases[name]; a != "" {
					name = a
				}
				d := p.Report(ruleBadSchema, m, nil, "%s: the schema of %q is text, expected {type: %s}", what, key, name)
				if slices.Contains(schemaTypes, name) {
					d.Fixes = []diag.Fix{m.Replace("write {type: "+name+"}", graph.Object{{Key: "type", Value: name}})}
				}
				found = true
				continue
			}
			if r := m.Get("required"); r.Is(graph.Bool) {
				p.requiredFlag(v, r, key, what)
				found = true
			}
			walk(m, depth+1)
		}
		if items := v.Get("items"); items.Is(graph.Map) {
			walk(items, depth+1)
		}
	}
	walk(v, 0)
	return found
}

// requiredFlag moves required: true from a property to the list of its object.
func (p *Pass) requiredFlag(object, flag graph.Value, name, what string) {
	d := p.Report(ruleBadSchema, flag, nil, "%s: required is a list on the object, not a flag on %q", what, name)
	d.Hint = fmt.Sprintf("write required: [%s] next to properties", name)
	fixes := []diag.Fix{flag.Remove("")}
	if flag.Bool() {
		if list := object.Get("required"); list.Is(graph.List) {
			fixes = append(fixes, list.Append("", name))
		} else if !list.Exists() {
			fixes = append(fixes, object.Insert("", "required", []any{name}, ""))
		}
	}
	d.Fixes = []diag.Fix{graph.Join("move it to the list", fixes...)}
}
