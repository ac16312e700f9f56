package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var schemaTypes = strings.Fields("string number integer boolean object array null")

// schemaOfProperties reads a map of properties in the place of their schema.
func schemaOfProperties(_ *Pass, v graph.Value) any {
	if v.Len() == 0 || v.Has("properties") || v.Has("$ref") {
		return nil
	}
	properties := graph.Members{}
	required := []any{}
	for key, m := range v.Members() {
		isType := m.Is(graph.String) && (slices.Contains(schemaTypes, m.Text()) || foreignWords["type"][m.Text()] != "")
		if key == "type" && isType {
			return nil
		}
		switch {
		case m.Is(graph.Object) && (m.Has("type") || m.Has("description") || m.Has("enum")):
			property := graph.Members{}
			for k, member := range m.Members() {
				switch flag := member; {
				case k != "required" || !flag.Is(graph.Boolean):
					property = property.With(k, raw(flag))
				case flag.Bool():
					required = append(required, key)
				}
			}
			properties = properties.With(key, property)
		case isType:
			properties = properties.With(key, oneMember("type", cmp.Or(foreignWords["type"][m.Text()], m.Text())))
		default:
			return nil
		}
	}
	schema := graph.Members{{Key: "type", Value: "object"}, {Key: "properties", Value: properties}}
	if len(required) > 0 {
		schema = schema.With("required", required)
	}
	return schema
}

// schemaSlips reports the small faults of schemas that have one obvious repair.
func (p *Pass) schemaSlips(v graph.Value, what string) bool {
	reported := len(*p.diags)
	if t := v.Get("type"); !t.Exists() && v.Has("properties") {
		p.Report(ruleBadSchema, v, nil, "%s has properties and no type", what).
			Offer(v.Insert("add type: object", "type", "object", ""))
	} else if what == "inputSchema" && t.Is(graph.String) && t.Text() != "object" && foreignWords["type"][t.Text()] == "" {
		p.Report(ruleBadSchema, t, nil, "%s has type %q, expected object: a tool takes an object of arguments", what, t.Text()).Hint = "write {type: object, properties: {…}}"
	}
	var walk func(v graph.Value, depth int)
	walk = func(v graph.Value, depth int) {
		if depth > 32 {
			return
		}
		if t := v.Get("type"); t.Is(graph.String) && !slices.Contains(schemaTypes, t.Text()) {
			d := p.Report(ruleBadSchema, t, nil, "%s: there is no JSON Schema type %q", what, t.Text())
			near := cmp.Or(foreignWords["type"][t.Text()], p.closest(t.Text(), schemaTypes))
			d.Hint = "the types are string, number, integer, boolean, object, array, null"
			if near != "" {
				d.Offer(changeTo(t, near))
			}
		}
		properties := v.Get("properties")
		for key, m := range properties.Members() {
			if m.Is(graph.String) {
				name := cmp.Or(foreignWords["type"][m.Text()], m.Text())
				d := p.Report(ruleBadSchema, m, nil, "%s: the schema of %q is text, expected {type: %s}", what, key, name)
				if slices.Contains(schemaTypes, name) {
					d.Offer(m.Replace("write {type: "+name+"}", oneMember("type", name)))
				}
				continue
			}
			if r := m.Get("required"); r.Is(graph.Boolean) {
				p.requiredFlag(v, r, key, what)
			}
			walk(m, depth+1)
		}
		if items := v.Get("items"); items.Is(graph.Object) {
			walk(items, depth+1)
		}
	}
	walk(v, 0)
	return len(*p.diags) > reported
}

// requiredFlag moves required: true from a property to the list of its object.
func (p *Pass) requiredFlag(object, flag graph.Value, name, what string) {
	d := p.Report(ruleBadSchema, flag, nil, "%s: required is a list on the object, not a flag on %q", what, name)
	d.Hint = fmt.Sprintf("write required: [%s] next to properties", name)
	fixes := []diag.Fix{flag.Remove("")}
	if flag.Bool() {
		if list := object.Get("required"); list.Is(graph.Array) {
			fixes = append(fixes, list.Append("", name))
		} else if !list.Exists() {
			fixes = append(fixes, object.Insert("", "required", []any{name}, ""))
		}
	}
	d.Offer(graph.Join("move it to the list", fixes...))
}
