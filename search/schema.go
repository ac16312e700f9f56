package search

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// A shape is as much of a JSON Schema as a signature and the index need. What
// has another form than expected is left out: a server's schema may be anything.
type shape struct {
	Type        any               `json:"type"`
	Description string            `json:"description"`
	Format      string            `json:"format"`
	Enum        []any             `json:"enum"`
	Properties  json.RawMessage   `json:"properties"`
	Items       json.RawMessage   `json:"items"`
	AnyOf       []json.RawMessage `json:"anyOf"`
	OneOf       []json.RawMessage `json:"oneOf"`
}

func readShape(schema json.RawMessage) shape {
	var s shape
	if len(schema) > 0 {
		_ = json.Unmarshal(schema, &s) // what does decode is kept
	}
	return s
}

// typeName is the schema's type as a signature shows it: "string", "string[]",
// "a|b|c" for a short enum, "object" or "any".
func (s shape) typeName() string {
	if len(s.Enum) > 0 {
		if e := enumName(s.Enum); e != "" {
			return e
		}
	}
	switch t := s.Type.(type) {
	case string:
		if t == "array" {
			if len(s.Items) > 0 {
				return elementName(readShape(s.Items).typeName())
			}
			return "any[]"
		}
		return t
	case []any:
		var names []string
		for _, one := range t {
			if name, ok := one.(string); ok && name != "null" {
				one := s
				one.Type, one.Enum = name, nil
				names = append(names, one.typeName())
			}
		}
		return orAny(names)
	}
	var names []string
	for _, alt := range append(s.AnyOf, s.OneOf...) {
		a := readShape(alt)
		if name := a.typeName(); a.Type != "null" {
			names = appendNew(names, name)
		}
	}
	if len(names) == 0 && len(s.Properties) > 0 {
		return "object"
	}
	return orAny(names)
}

func orAny(names []string) string {
	if len(names) == 0 || len(names) > 3 {
		return "any"
	}
	return strings.Join(names, "|")
}

func elementName(name string) string {
	if strings.Contains(name, "|") {
		return "(" + name + ")[]"
	}
	return name + "[]"
}

// enumName spells out an enum of a few short words, or is "".
func enumName(values []any) string {
	var words []string
	for _, v := range values {
		word, ok := v.(string)
		if !ok || word == "" || strings.ContainsAny(word, " |,(){}:*\n") {
			return ""
		}
		words = append(words, word)
	}
	if joined := strings.Join(words, "|"); len(words) <= 4 && len(joined) <= 32 {
		return joined
	}
	return ""
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// eachProperty calls yield for an object schema's properties, in the order
// written, until it returns false.
func (s shape) eachProperty(yield func(name string, schema json.RawMessage) bool) {
	dec := json.NewDecoder(bytes.NewReader(s.Properties))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return
	}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil || !yield(name, raw) {
			return
		}
	}
}

// outputs calls yield with the names and descriptions of a schema's fields,
// down to the given depth, at most 60 a level.
func outputs(schema json.RawMessage, depth int, yield func(name, description string)) {
	if depth == 0 || len(schema) == 0 {
		return
	}
	s := readShape(schema)
	if len(s.Items) > 0 {
		outputs(s.Items, depth, yield)
	}
	n := 0
	s.eachProperty(func(name string, raw json.RawMessage) bool {
		n++
		yield(name, readShape(raw).Description)
		outputs(raw, depth-1, yield)
		return n < 60
	})
}
