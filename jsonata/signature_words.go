package jsonata

import "strings"

// words names what a parameter takes.
func (p *sigParam) words() string {
	if p.array {
		return "an array"
	}
	return typeWords(p.types, false)
}

func typeWords(types uint16, plural bool) string {
	if types&typeJSON&^typeMissing == typeJSON&^typeMissing {
		return "a value"
	}
	var words []string
	for _, w := range []struct {
		bit            uint16
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
		if types&w.bit != 0 {
			if plural {
				words = append(words, w.plural)
			} else {
				words = append(words, w.single)
			}
		}
	}
	return strings.Join(words, " or ")
}
