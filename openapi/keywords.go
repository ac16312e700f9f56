package openapi

import (
	"slices"
	"strings"
)

var jsonTypes = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

// types writes the type, and null if a schema of 3.0 allows it.
func (w *schemaWriter) types(b []byte, n, v *node) []byte {
	var list []string
	if v.is('"') {
		list = []string{v.text}
	}
	for item := range v.items() {
		if !slices.Contains(list, item.str()) {
			list = append(list, item.str())
		}
	}
	list = slices.DeleteFunc(list, func(t string) bool { return !slices.Contains(jsonTypes, t) })
	if len(list) == 0 {
		return b
	}
	if w.old && n.nullable() && !slices.Contains(list, "null") {
		list = append(list, "null")
	}
	b = w.name(b, "type")
	if len(list) == 1 {
		return appendString(b, list[0])
	}
	return append(append(append(b, `["`...), strings.Join(list, `","`)...), `"]`...)
}

// enum writes the values, and null if a schema of 3.0 allows it.
func (w *schemaWriter) enum(b []byte, n, v *node) []byte {
	if !v.is('[') || len(v.members) == 0 {
		return b
	}
	b = v.appendJSON(w.name(b, "enum"))
	if w.old && n.nullable() && !slices.ContainsFunc(v.members, func(m member) bool { return m.value.is('n') }) {
		b = append(b[:len(b)-1], `,null]`...)
	}
	return b
}

// required writes the names of what has to be there: of what is sent not what is only
// read, of what comes back not what is only written.
func (w *schemaWriter) required(b []byte, n, v *node) []byte {
	if !v.is('[') {
		return b
	}
	var list []string
	for item := range v.items() {
		if item.is('"') && !w.otherWay(n.get("properties").get(item.text)) && !slices.Contains(list, item.text) {
			list = append(list, item.text)
		}
	}
	if len(list) == 0 {
		return b
	}
	return appendStrings(w.name(b, "required"), list)
}

// dependentRequired writes which properties need others.
func (w *schemaWriter) dependentRequired(b []byte, v *node) []byte {
	if !v.is('{') {
		return b
	}
	b = append(w.name(b, "dependentRequired"), '{')
	for name, needs := range v.fields() {
		var list []string
		for item := range needs.items() {
			if item.is('"') && !slices.Contains(list, item.text) {
				list = append(list, item.text)
			}
		}
		b = appendStrings(w.name(b, name), list)
	}
	return append(b, '}')
}

// appendStrings writes an array of strings.
func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

// otherWay reports whether a property is only read, of what is sent, or only written.
func (w *schemaWriter) otherWay(n *node) bool {
	keyword := "writeOnly"
	if w.input {
		keyword = "readOnly"
	}
	if n.get(keyword).is('t') {
		return true
	}
	to, err := w.resolve(n)
	return err == nil && to.get(keyword).is('t')
}

// bound writes a minimum or maximum; a schema of 3.0 says by a boolean that it is
// exclusive.
func (w *schemaWriter) bound(b []byte, n *node, key string, v *node) []byte {
	if !v.is('0') {
		return b
	}
	exclusive := "exclusive" + strings.ToUpper(key[:1]) + key[1:]
	if w.old && n.get(exclusive).is('t') {
		key = exclusive
	}
	return v.appendJSON(w.name(b, key))
}

// mantissa is a number without its exponent.
func mantissa(number string) string {
	if e := strings.IndexAny(number, "eE"); e >= 0 {
		return number[:e]
	}
	return number
}
