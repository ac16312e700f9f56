package jsonata

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/types"
)

// The types of a signature.
const (
	typeString   = types.String
	typeNumber   = types.Number
	typeBoolean  = types.Boolean
	typeNull     = types.Null
	typeObject   = types.Object
	typeArray    = types.Array
	typeFunction = types.Function
	typeMissing  = types.Undefined

	typeJSON = types.JSON | types.Undefined
	typeAny  = types.Any
)

var typeLetters = map[byte]types.Kind{
	's': typeString, 'n': typeNumber, 'b': typeBoolean, 'l': typeNull, 'o': typeObject, 'a': typeArray, 'f': typeFunction,
	'j': typeJSON, 'x': typeAny,
}

// A signature is what a function takes: it makes arrays of single values, and puts the
// context in the place of what is missing.
type signature struct {
	params []Param
	many   bool // a parameter takes any number of arguments

	contextual bool // the context may stand for one
}

// A Param is what a function takes in one place.
type Param struct {
	Kinds    types.Kind // with undefined, unless it takes functions
	Items    types.Kind // of an array's items, or 0 for any
	Array    bool       // a single value becomes an array
	Optional bool
	Context  bool // the context is taken where it is missing
	many     bool
}

// parseSignature reads a signature that the parser has accepted.
func parseSignature(text string) *signature {
	s := &signature{}
	for i := 1; i < len(text); i++ {
		var last *Param
		if len(s.params) > 0 {
			last = &s.params[len(s.params)-1]
		}
		switch c := text[i]; c {
		case ':', '>':
			return s
		case '-':
			last.Context, last.Optional, s.contextual = true, true, true
		case '?':
			last.Optional = true
		case '+':
			last.many, s.many = true, true
		case '<':
			last.Items = typeLetters[text[i+1]] &^ typeMissing
			i = ClosingBracket(text, i, '<', '>')
		case '(':
			end := ClosingBracket(text, i, '(', ')')
			p := Param{Kinds: typeMissing}
			for _, letter := range []byte(text[i+1 : end]) {
				p.Kinds |= typeLetters[letter]
			}
			s.params = append(s.params, p)
			i = end
		case 'a':
			s.params = append(s.params, Param{Kinds: typeAny, Array: true})
		case 'f':
			s.params = append(s.params, Param{Kinds: typeFunction})
		default:
			if kinds := typeLetters[c]; kinds != 0 {
				s.params = append(s.params, Param{Kinds: kinds | typeMissing})
			}
		}
	}
	return s
}

func valueKind(v any) types.Kind {
	switch v.(type) {
	case nil:
		return typeMissing
	case string:
		return typeString
	case float64, json.Number:
		return typeNumber
	case bool:
		return typeBoolean
	case null:
		return typeNull
	case []any:
		return typeArray
	case *Object:
		return typeObject
	}
	return typeFunction
}

// fit returns the arguments of a call as the function takes them. args are the last
// ones on the stack.
func (s *signature) fit(e *Evaluator, name string, args []any, in any) []any {
	if s.direct(args) {
		for i := range args {
			if s.params[i].Array {
				args[i] = s.params[i].list(e, name, args, i)
			}
		}
		base := len(e.stack) - len(args)
		for range len(s.params) - len(args) {
			e.stack = append(e.stack, nil)
		}
		return e.stack[base:]
	}
	counts := make([]int, len(s.params))
	if !s.match(args, 0, 0, counts) {
		s.mismatch(e, name, args)
	}
	out := make([]any, 0, len(s.params)+len(args))
	at := 0
	for i := range s.params {
		p := &s.params[i]
		if counts[i] == 0 {
			if !p.Context { // as in jsonata-js, what comes next is taken in its place
				var next any
				if at < len(args) {
					next = args[at]
				}
				out = append(out, next)
				at++
				continue
			}
			if valueKind(in)&p.Kinds == 0 {
				panic(e.about(e.fault(e.call.node, "T0411", "$"+name+" takes "+p.Words()+", and as it is given none, the context; that is "+describe(unwrap(in)))))
			}
			out = append(out, in)
			if at == 0 {
				e.call.moved = 1
			}
			continue
		}
		for range counts[i] {
			switch {
			case at >= len(args):
				out = append(out, nil)
			case p.Array:
				out = append(out, p.list(e, name, args, at))
			default:
				out = append(out, args[at])
			}
			at++
		}
	}
	return out
}

// direct reports whether each argument belongs to the parameter of its place.
func (s *signature) direct(args []any) bool {
	if s.many || len(args) > len(s.params) {
		return false
	}
	for i, v := range args {
		if s.params[i].Kinds&valueKind(v) == 0 {
			return false
		}
	}
	for i := len(args); i < len(s.params); i++ {
		if p := &s.params[i]; !p.Optional || p.Context {
			return false
		}
	}
	return true
}

// fill makes the arguments of a partial application, which are the values of the stack
// from base on, as many as have to be given: undefined is added, as in jsonata-js, or
// taken away.
func (s *signature) fill(e *Evaluator, base int) {
	if s == nil || s.many {
		return
	}
	required := s.required()
	for len(e.stack)-base > required && e.stack[len(e.stack)-1] == nil {
		e.stack = e.stack[:len(e.stack)-1]
	}
	for len(e.stack)-base < required {
		e.stack = append(e.stack, nil)
	}
}

// required returns how many arguments there are at least, if the context stands for none.
func (s *signature) required() (n int) {
	for _, p := range s.params {
		if !p.Optional || p.Context {
			n++
		}
	}
	return n
}

// match counts how many arguments each parameter from the i-th on takes, the first as
// many as can be.
func (s *signature) match(args []any, i, at int, counts []int) bool {
	if i == len(s.params) {
		return at == len(args)
	}
	p := &s.params[i]
	most := 0
	for at+most < len(args) && p.Kinds&valueKind(args[at+most]) != 0 && (most == 0 || p.many) {
		most++
	}
	least := 1
	if p.Optional {
		least = 0
	}
	for n := most; n >= least; n-- {
		counts[i] = n
		if s.match(args, i+1, at+n, counts) {
			return true
		}
	}
	return false
}

// list is the i-th argument as an array, whose items are of the right type.
func (p *Param) list(e *Evaluator, name string, args []any, i int) any {
	v := args[i]
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		if p.Items != 0 && valueKind(v)&p.Items == 0 {
			e.bad(i, "T0412", "$%s: argument %d must be an array of %s, got %s", name, i+1, typeWords(p.Items, true), describe(v))
		}
		return []any{v}
	}
	if p.Items == 0 {
		return list
	}
	e.steps(len(list) >> 4)
	for _, item := range list {
		if valueKind(item)&p.Items == 0 {
			e.bad(i, "T0412", "$%s: argument %d must be an array of %s, got one with %s in it", name, i+1, typeWords(p.Items, true), describe(item))
		}
	}
	return list
}
