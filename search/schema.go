package search

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/schema"
)

// typeName is a schema's type as a signature shows it: "string", "string[]",
// "a|b|c" for a short enum, "object" or "any".
func typeName(n *schema.Node) string {
	if values, _ := n.Get("enum").Value().([]any); len(values) > 0 {
		if e := enumName(values); e != "" {
			return e
		}
	}
	var names []string
	switch t := n.Get("type"); {
	case t.Text() != "":
		return typeNameAs(n, t.Text())
	case t.Len() > 0:
		for _, one := range t.All() {
			if name := one.Text(); name != "" && name != "null" {
				names = append(names, typeNameAs(n, name))
			}
		}
		return orAny(names)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, alternative := range n.Get(keyword).All() {
			if alternative.Get("type").Text() != "null" {
				names = appendNew(names, typeName(alternative))
			}
		}
	}
	if len(names) == 0 && n.Get("properties") != nil {
		return "object"
	}
	return orAny(names)
}

// typeNameAs is the type of a schema taken as one of its types.
func typeNameAs(n *schema.Node, one string) string {
	if one != "array" {
		return one
	}
	if items := n.Get("items"); items != nil {
		return elementName(typeName(items))
	}
	return "array"
}

// anything is the type of what may be any value. A signature does not print it.
const anything = "any"

func orAny(names []string) string {
	if len(names) == 0 || len(names) > 3 {
		return anything
	}
	return strings.Join(names, "|")
}

func elementName(name string) string {
	if name == anything {
		return "array"
	}
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

// maxFields is how many fields of a schema are indexed at one level.
const maxFields = 60

// outputs calls yield with the names and descriptions of a schema's fields,
// down to the given depth.
func outputs(n *schema.Node, depth int, yield func(name, description string)) {
	if depth == 0 || n == nil {
		return
	}
	outputs(n.Get("items"), depth, yield)
	count := 0
	for name, property := range n.Properties() {
		if count++; count > maxFields {
			return
		}
		yield(name, property.Get("description").Text())
		outputs(property, depth-1, yield)
	}
}
