package expr

import (
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// A param is one parameter of a signature: what it takes.
type param struct {
	kinds    types.Kind
	elem     types.Kind // of an array's items; 0: anything
	words    string
	optional bool
	context  bool
}

var paramKinds = map[byte]types.Kind{
	's': types.String, 'n': types.Number, 'b': types.Boolean, 'l': types.Null, 'o': types.Object,
	'a': types.Any, 'f': types.Function, 'j': types.JSON, 'x': types.Any,
}

var paramWords = map[byte]string{'s': "a string", 'n': "a number", 'b': "a boolean", 'l': "null", 'o': "an object", 'a': "an array", 'f': "a function"}

// signatures are those of [builtins], parsed.
var signatures = sync.OnceValue(func() map[string]signature {
	_ = functions() // from now on no names are added
	all := map[string]signature{}
	for name, text := range jsonata.Signatures {
		params, result := parseSignature(text)
		all[name] = signature{params, result}
	}
	return all
})

type signature struct {
	params []param
	result string
}

// signatureOf returns the parameters of a built-in function and its result's
// letter.
func signatureOf(name string) (params []param, result string) {
	s := signatures()[name]
	return s.params, s.result
}

// parseSignature reads a signature of [builtins].
func parseSignature(sig string) (params []param, result string) {
	for i := 1; i < len(sig); i++ {
		switch c := sig[i]; c {
		case ':':
			return params, strings.TrimSuffix(sig[i+1:], ">")
		case '+': // one or more
		case '?':
			params[len(params)-1].optional = true
		case '-':
			for j := range params { // "<s-" and the "-" after a choice both mean the last
				params[j].context = params[j].context || j == len(params)-1
			}
		case '(':
			p := param{}
			end := jsonata.ClosingBracket(sig, i, '(', ')')
			for _, o := range []byte(sig[i+1 : end]) {
				p.kinds |= paramKinds[o]
				p.words = strings.TrimPrefix(p.words+" or "+paramWords[o], " or ")
			}
			params = append(params, p)
			i = end
		case '<':
			if p := &params[len(params)-1]; p.kinds == types.Any {
				p.elem = paramKinds[sig[i+1]]
				p.words = "an array of " + strings.TrimPrefix(strings.TrimPrefix(paramWords[sig[i+1]], "a "), "an ") + "s"
			}
			i = jsonata.ClosingBracket(sig, i, '<', '>')
		case '>':
		default:
			params = append(params, param{kinds: paramKinds[c], words: paramWords[c]})
		}
	}
	return params, ""
}

// takesContext reports whether the context is the first argument of a call: there
// are too few, or they fit only so.
func takesContext(params []param, args []types.Type) bool {
	if len(params) == 0 || !params[0].context || len(args) >= len(params) {
		return false
	}
	if len(args) < required(params) {
		return true
	}
	for i, a := range args {
		if !a.Has(params[i+1].kinds | types.Undefined) {
			return false
		}
	}
	return !args[0].Has(params[0].kinds | types.Undefined)
}

// required counts the arguments without which the context is taken.
func required(params []param) int {
	n := 0
	for _, p := range params {
		if !p.optional {
			n++
		}
	}
	return n
}
