package packs

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/specs"
)

// fromOtherCatalog turns a node's specification as other catalogs serialise it into
// the form of a pack: members that are null are absent, defaults and examples of
// data are texts of the value, a schema is a text of JSON Schema or a map of fields
// to types, -1 is an unlimited number of connections, and an example has a name.
// A specification in the form of a pack stays as it is. In JSON, the texts True and
// False are booleans; in YAML, the note of the parser says that they are texts.
func fromOtherCatalog(value any, format graph.Format) any {
	node, ok := value.(map[string]any)
	if !ok {
		return value
	}
	node = withoutNulls(node)
	eachMap(node, "parameters", func(p map[string]any) {
		if text, ok := p["default_value"].(string); ok && p["type"] == "boolean" && format == graph.JSON {
			p["default_value"] = strings.ToLower(text)
		}
		parameterFromOther(p)
	})
	for _, ports := range []string{"input_ports", "output_ports"} {
		eachMap(node, ports, portFromOther)
	}
	eachMap(node, "examples", exampleFromOther)
	return node
}

func withoutNulls(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for key, v := range m {
		if v != nil {
			out[key] = v
		}
	}
	return out
}

// eachMap replaces the maps of a list.
func eachMap(node map[string]any, key string, replace func(map[string]any)) {
	list, ok := node[key].([]any)
	if !ok {
		return
	}
	list = slices.Clone(list)
	for i, v := range list {
		if m, ok := v.(map[string]any); ok {
			m = withoutNulls(m)
			replace(m)
			list[i] = m
		}
	}
	node[key] = list
}

func parameterFromOther(p map[string]any) {
	typ, _ := p["type"].(string)
	if text, ok := p["default_value"].(string); ok {
		if v, given := valueOfText(text, typ); given {
			p["default_value"] = v
		} else {
			delete(p, "default_value")
		}
	}
	if values, ok := p["enum_values"].([]any); ok {
		if len(values) == 0 && typ != "enum" {
			delete(p, "enum_values")
		}
		values = slices.Clone(values)
		for i, v := range values {
			if text, ok := v.(string); ok {
				values[i], _ = valueOfText(text, typ)
			}
		}
		if p["enum_values"] != nil {
			p["enum_values"] = values
		}
	}
}

// valueOfText reads the text of a value. The text itself comes back where it is not
// one of the type; given is false for an empty text that means no value.
func valueOfText(text, typ string) (v any, given bool) {
	if len(specs.JSONTypes(typ)) == 1 && specs.JSONTypes(typ)[0] == "string" || typ == "enum" || typ == "any" {
		return text, text != "" || typ == "string" || typ == "any"
	}
	if strings.TrimSpace(text) == "" {
		return nil, false
	}
	if plainjson.Decode([]byte(text), &v) == nil && json.Valid([]byte(text)) && hasType(v, typ) {
		return v, true
	}
	return text, true
}

func portFromOther(p map[string]any) {
	if n, ok := p["max_connections"].(json.Number); ok && n == "-1" {
		delete(p, "max_connections")
	}
	schemaFromOther(p, "validation_schema")
	format, ok := p["data_format"].(map[string]any)
	if !ok {
		return
	}
	format = withoutNulls(format)
	schemaFromOther(format, "schema")
	if examples, ok := format["examples"].([]any); ok {
		examples = slices.Clone(examples)
		for i, e := range examples {
			if text, ok := e.(string); ok {
				var v any
				if json.Valid([]byte(text)) && plainjson.Decode([]byte(text), &v) == nil {
					examples[i] = v
				}
			}
		}
		format["examples"] = examples
	}
	p["data_format"] = format
}

// schemaFromOther reads a schema that is a text. One that is not JSON stays a text,
// and is reported.
func schemaFromOther(m map[string]any, key string) {
	text, ok := m[key].(string)
	if !ok {
		return
	}
	if strings.TrimSpace(text) == "" {
		delete(m, key)
		return
	}
	var v any
	if !json.Valid([]byte(text)) || plainjson.Decode([]byte(text), &v) != nil {
		return
	}
	if fields, ok := v.(map[string]any); ok && !isSchema(fields) {
		v = schemaOfFields(fields)
	}
	m[key] = v
}

// isSchema tells a JSON Schema from a map of fields to types.
func isSchema(m map[string]any) bool {
	for key, v := range m {
		switch key {
		case "properties", "items", "required", "enum", "const", "anyOf", "oneOf", "allOf", "additionalProperties":
			return true
		case "type":
			name, _ := v.(string)
			if _, several := v.([]any); !several && !isTypeName(name) {
				return false
			}
		case "description", "title", "format", "default", "minimum", "maximum", "minLength", "maxLength", "pattern", "examples":
		default:
			return strings.HasPrefix(key, "$")
		}
	}
	return m["type"] != nil || len(m) == 0
}

func isTypeName(name string) bool {
	return slices.Contains([]string{"string", "number", "integer", "boolean", "array", "object", "null"}, name)
}

// schemaOfFields is the JSON Schema of {"field": "type", …}, where a type is a name,
// a map of fields, or a list of one of these.
func schemaOfFields(fields map[string]any) map[string]any {
	properties := make(map[string]any, len(fields))
	for name, typ := range fields {
		properties[name] = schemaOfField(typ)
	}
	return map[string]any{"type": "object", "properties": properties}
}

func schemaOfField(typ any) any {
	switch typ := typ.(type) {
	case string:
		if name := strings.ToLower(typ); isTypeName(name) {
			return map[string]any{"type": name}
		} else if json, ok := otherTypeNames[name]; ok {
			return map[string]any{"type": json}
		}
		return map[string]any{"description": typ}
	case map[string]any:
		if isSchema(typ) {
			return typ
		}
		return schemaOfFields(typ)
	case []any:
		if len(typ) == 1 {
			return map[string]any{"type": "array", "items": schemaOfField(typ[0])}
		}
		return map[string]any{"type": "array"}
	}
	return true
}

// otherTypeNames are names of other languages for types of JSON.
var otherTypeNames = map[string]string{
	"str": "string", "text": "string", "datetime": "string", "date": "string",
	"int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object", "map": "object",
}

// exampleFromOther keeps of an example with a name what a pack has: its title, the
// values of the parameters and the result.
func exampleFromOther(e map[string]any) {
	name, ok := e["name"].(string)
	if !ok || e["title"] != nil {
		return
	}
	title := name
	if text, ok := e["description"].(string); ok && text != "" {
		title += ": " + text
	}
	kept := map[string]any{"title": title}
	for _, key := range []string{"parameters", "params", "configuration", "config"} {
		if m, ok := e[key].(map[string]any); ok && kept["parameters"] == nil {
			kept["parameters"] = m
		}
	}
	for _, key := range []string{"result", "output", "expected_output", "output_data"} {
		if e[key] != nil && kept["result"] == nil {
			kept["result"] = e[key]
		}
	}
	clear(e)
	maps.Copy(e, kept)
}
