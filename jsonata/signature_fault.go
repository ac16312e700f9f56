package jsonata

import (
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/types"
)

// positions fails unless each argument of a partial application is what the parameter of its
// place takes.
func (s *signature) positions(e *Evaluator, name string, args []any) {
	if s == nil || s.many {
		return
	}
	for i, v := range args {
		if v != nil {
			s.place(e, name, i, v)
		}
	}
}

// place fails unless v is what the i-th parameter takes.
func (s *signature) place(e *Evaluator, name string, i int, v any) {
	if s.params[i].Kinds&valueKind(v) == 0 {
		e.bad(i, "T0410", "$%s: argument %d must be %s, got %s", name, i+1, s.params[i].Words(), describe(v))
	}
}

// mismatch fails for arguments that do not match. Where all have been given that are
// required, it names the first of these that is not what the parameter of its place takes.
func (s *signature) mismatch(e *Evaluator, name string, args []any) {
	if required := s.required(); len(args) >= required && len(args) <= len(s.params) {
		for i, p := range s.params[:required] {
			if p.Optional && !p.Context {
				break
			}
			s.place(e, name, i, args[i])
		}
	}
	good := 0
	for k := 1; k <= len(s.params); k++ {
		part := signature{params: s.params[:k]}
		matched := -1
		for n := len(args); n >= 0; n-- {
			if part.match(args[:n], 0, 0, make([]int, k)) {
				matched = n
				break
			}
		}
		if matched < 0 {
			var v any
			if good < len(args) {
				v = args[good]
			}
			e.bad(good, "T0410", "$%s: argument %d must be %s, got %s", name, good+1, s.params[min(good, k-1)].Words(), describe(v))
		}
		good = matched
	}
	if good >= len(s.params) || good >= len(args) {
		e.bad(good, "T0410", "$%s takes at most %s, got %d", name, arguments(len(s.params)), len(args))
	}
	e.bad(good, "T0410", "$%s: argument %d must be %s, got %s", name, good+1, s.params[good].Words(), describe(args[good]))
}

func arguments(n int) string {
	switch n {
	case 0:
		return "no arguments"
	case 1:
		return "one argument"
	}
	return strconv.Itoa(n) + " arguments"
}

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
