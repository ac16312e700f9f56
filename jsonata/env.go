package jsonata

import (
	"context"
	"maps"
	"regexp"
	"slices"
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
