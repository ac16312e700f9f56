package openapi

import (
	"slices"
	"strings"
)

// variants writes alternatives so that a discriminator chooses among them: each takes the values
// that the mapping gives it. Without a mapping the name of a schema is not always the value
// that an API wants, so that it only excludes the other alternatives.
func (w *schemaWriter) variants(b []byte, list, discriminator *node) []byte {
	property := discriminator.get("propertyName").str()
	var names [][]string
	var mapped []bool
	for of := range list.items() {
		var own []string
		name := lastStep(of.get("$ref").str())
		for value, to := range discriminator.get("mapping").fields() {
			if name != "" && lastStep(to.str()) == name {
				own = append(own, value)
			}
		}
		if mapped = append(mapped, own != nil); own == nil && name != "" {
			own = []string{name}
		}
		names = append(names, own)
	}
	b = append(w.name(b, "anyOf"), '[')
	i := 0
	for of := range list.items() {
		if i > 0 {
			b = append(b, ',')
		}
		b = w.schema(b, of, "")
		others := slices.Concat(slices.Concat(names[:i]...), slices.Concat(names[i+1:]...))
		others = slices.DeleteFunc(others, func(name string) bool { return slices.Contains(names[i], name) })
		var chosen []byte
		switch values := w.valuesOf(of, property); {
		case names[i] == nil, of.get("properties") != nil, values != nil && !slices.ContainsFunc(names[i], func(name string) bool { return slices.Contains(values, name) }):
		case mapped[i] && len(names[i]) == 1:
			chosen = appendString([]byte(`{"const":`), names[i][0])
		case mapped[i]:
			chosen = appendStrings([]byte(`{"enum":`), names[i])
		case len(others) > 0:
			chosen = append(appendStrings(append(appendStrings([]byte(`{"examples":`), names[i]), `,"not":{"enum":`...), others), '}')
		}
		if chosen != nil && b[len(b)-1] == '}' {
			b = append(w.name(b[:len(b)-1], "properties"), '{')
			b = append(append(w.name(b, property), chosen...), `}}}`...)
		}
		i++
	}
	return append(b, ']')
}

// lastStep is the last part of a reference, such as the name of a schema.
func lastStep(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// valuesOf are those that a schema itself allows for a property, nil if it does not list them.
func (w *schemaWriter) valuesOf(of *node, property string) (values []string) {
	n, err := w.resolve(of)
	if err != nil {
		return nil
	}
	if n, err = w.resolve(n.get("properties").get(property)); err != nil {
		return nil
	}
	if c := n.get("const"); c != nil {
		return []string{c.label()}
	}
	for v := range n.get("enum").items() {
		values = append(values, v.label())
	}
	return values
}
