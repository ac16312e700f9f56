package jsonata

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// An Env is the functions that expressions call: those of JSONata, and those that a
// program adds. It is not changed once an expression has been compiled in it.
type Env struct{ functions map[string]*Function }

// standard is what [Compile] compiles in.
var standard = NewEnv()

// NewEnv returns an Env with the functions of JSONata and of runs.
func NewEnv() *Env {
	v := &Env{functions: make(map[string]*Function, len(table))}
	for i := range table {
		v.functions[table[i].Name] = table[i].function()
	}
	return v
}

var (
	functionName      = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	functionSignature = regexp.MustCompile(`^<([snbloajx]|\([snbloajx]+\)|a<[snblo]>|[-?+])*(:([snbloajx]|a<[snblo]>))?>$`)
)

// Add adds a function written in Go. The signature is in JSONata's notation, such as
// <sn?:s>. It is called with values that fit, nil for what is missing; what it returns
// is a [Value]. It must be safe for concurrent use.
func (v *Env) Add(name, signature string, call func(ctx context.Context, args []Value) (Value, error)) error {
	if err := (&Builtin{Name: name, Signature: signature}).check(); err != nil {
		return err
	}
	sig := parseSignature(signature)
	v.functions[name] = &Function{name: name, arity: len(sig.params), sig: sig, native: func(e *Evaluator, args []any) any {
		out, err := call(e.ctx, args)
		if err != nil {
			if fault, ok := err.(*Error); ok { //nolint:errorlint // a function's own error, not one that it wraps
				panic(e.about(e.fault(e.call.node, fault.Code, fault.Message)))
			}
			panic(e.about(e.fault(e.call.node, "D3141", "$"+name+" failed: "+err.Error())))
		}
		return out
	}}
	return nil
}

func (v *Env) function(name string) *Function { return v.functions[name] }

// names are those of all functions, sorted.
func (v *Env) names() []string { return slices.Sorted(maps.Keys(v.functions)) }

// A Function is a function as a value: a native one, one that an expression defines, or
// one that is made of others.
type Function struct {
	name    string
	arity   int // parameters that a function which calls it gives it values for
	sig     *signature
	native  func(e *Evaluator, args []any) any
	row     *Builtin // of a built-in one
	partial bool     // of another one
	strict  bool     // without its first argument it is not called, and returns undefined
	passed  bool     // it is an argument of a call
	scoped  bool     // it evaluates something in the context and scope of its call
	body    *body
	frame   *frame // that body was defined in
	in      any    // the input that it was defined on
	regex   *regex.Regexp
}

// parameters returns how many arguments a partial application of fn takes. As in jsonata-js,
// it drops further ones.
func (fn *Function) parameters() int {
	if fn.row != nil && fn.row.Many() {
		return 1
	}
	return fn.arity
}

// pass is a function as the argument of a call: as in jsonata-js another function, which
// calls this one without a context. A fresh one needs no copy.
func (e *Evaluator) pass(fn *Function, fresh bool) *Function {
	if !fresh {
		e.alloc(128)
		same := *fn
		fn = &same
	}
	fn.passed = true
	return fn
}

// offset is where the n-th character of a text begins, from 0, or its length.
func offset(s string, n int) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// gathered is an array of items: of nothing an array that no other is.
func gathered(items []any) []any {
	if items == nil {
		return emptyArray()
	}
	return items
}

// runeCount counts the characters of a text, eight at once while they are ASCII.
func runeCount(s string) int {
	n := 0
	for len(s)-n >= 8 && s[n]|s[n+1]|s[n+2]|s[n+3]|s[n+4]|s[n+5]|s[n+6]|s[n+7] < utf8.RuneSelf {
		n += 8
	}
	return n + utf8.RuneCountInString(s[n:])
}
