package jsonata

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/types"
)

// Words names what a parameter takes, such as: an array of strings.
func (p *Param) Words() string {
	switch {
	case p.Array && p.Items != 0:
		return "an array of " + typeWords(p.Items, true)
	case p.Array:
		return "an array"
	}
	return typeWords(p.Kinds, false)
}

func typeWords(k types.Kind, plural bool) string {
	if k&typeJSON&^typeMissing == typeJSON&^typeMissing {
		return "a value"
	}
	var words []string
	for _, w := range []struct {
		bit            types.Kind
		single, plural string
	}{
		{typeString, "a string", "strings"},
		{typeNumber, "a number", "numbers"},
		{typeBoolean, "a boolean", "booleans"},
		{typeNull, "null", "nulls"},
		{typeObject, "an object", "objects"},
		{typeArray, "an array", "arrays"},
		{typeFunction, "a function", "functions"},
	} {
		if k&w.bit != 0 {
			if plural {
				words = append(words, w.plural)
			} else {
				words = append(words, w.single)
			}
		}
	}
	return strings.Join(words, " or ")
}
