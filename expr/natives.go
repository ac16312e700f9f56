package expr

import (
	"context"
	"reflect"
	"sync"

	"github.com/recolabs/gnata"
)

// gnata's own registration of Go functions deep-copies every argument and the
// focus at each call, drops key order and turns null into undefined. Its
// built-ins are spared that because they have the evaluator's own function
// types. Those types are internal but have ordinary underlying types, so a
// function of ours converts to them once, at start, and then costs what a
// built-in costs.

// A frame is what a function sees of the evaluation that calls it.
type frame interface {
	Context() context.Context
	Lookup(name string) (any, bool)
	Bind(name string, value any)
	Range(fn func(name string, value any))
}

// A function is one that expressions can call: evaluated arguments, the focus
// and the calling frame in; a value (nil is undefined) or an error out.
type function func(args []any, focus any, f frame) (any, error)

// An evaluator is a set of functions and variables, and the way to evaluate in
// it. Reading is safe for concurrent use, bind is not.
type evaluator struct {
	bind func(name string, value any)
	eval func(ctx context.Context, x *gnata.Expression, root any) (any, error)
}

// evaluators returns the evaluator of every scope that binds no variable of its
// own, and what makes one that a scope may bind variables in.
var evaluators = sync.OnceValues(func() (shared *evaluator, spawn func() *evaluator) {
	return newEvaluators(gnata.NewCustomEnv(nil), (*gnata.Expression).EvalWithCustomFuncs)
})

// An environment is gnata's type of that name.
type environment[E any] interface {
	frame
	Clone() E
}

// newEvaluators puts our functions into env, which becomes the shared
// evaluator. gnata makes no environments that have another as their parent but
// those it evaluates in. One of them, caught and cloned, is what a scope binds
// its variables in, at a fraction of the cost of a new one.
func newEvaluators[E environment[E]](env E, eval func(*gnata.Expression, context.Context, any, E) (any, error)) (*evaluator, func() *evaluator) {
	over := func(env E) *evaluator {
		return &evaluator{env.Bind, func(ctx context.Context, x *gnata.Expression, root any) (any, error) {
			return eval(x, ctx, root, env)
		}}
	}
	for name, fn := range functions() {
		env.Bind(name, natives().wrap(fn))
	}
	const catcher = "catch__"
	var child E
	env.Bind(catcher, natives().wrap(func(_ []any, _ any, f frame) (any, error) {
		child = f.(E).Clone()
		return nil, nil
	}))
	x, err := gnata.Compile("$" + catcher + "()")
	if err == nil {
		_, err = eval(x, context.Background(), nil, env)
	}
	if err != nil {
		panic(err)
	}
	env.Bind(catcher, nil)
	return over(env), func() *evaluator { return over(child.Clone()) }
}

// A kit is what there is to know of gnata's internal types.
type kit struct {
	object   func() Object              // an empty object
	values   func([]any) any            // a sequence, which collapses where it is used
	items    func(any) ([]any, bool)    // the values of a sequence
	isFunc   func(any) bool             // built-in or lambda
	wrap     func(function) any         // a function of ours as a value
	original func(name string) function // a function of gnata's
	names    func() []string            // of all functions, in no order
	has      func(name string) bool     // whether gnata has a function
	plain    func(name string) bool     // whether that leaves its signature to itself
}

var natives = sync.OnceValue(func() *kit { return newKit(gnata.NewCustomEnv(nil)) })

// newKit learns gnata's types from env. E is the type of the environment, which
// has no name outside gnata but can be inferred.
func newKit[E frame](env E) *kit {
	type (
		plain = func([]any, any) (any, error)
		aware = func([]any, any, E) (any, error)
	)
	lookup := func(name string) any {
		v, ok := env.Lookup(name)
		if !ok {
			panic("expr: gnata has no function $" + name)
		}
		return v
	}
	asPlain := func(name string) plain {
		return reflect.ValueOf(lookup(name)).Convert(reflect.TypeFor[plain]()).Interface().(plain)
	}
	must := func(v any, err error) any {
		if err != nil {
			panic(err)
		}
		return v
	}
	plainType, awareType, signedType := reflect.TypeOf(lookup("count")), reflect.TypeOf(lookup("map")), reflect.TypeOf(lookup("uppercase"))
	merge, none := asPlain("merge"), []any{[]any{}}
	sequence := reflect.TypeOf(must(asPlain("keys")([]any{map[string]any{"k": true}}, nil)))
	return &kit{
		object: func() Object { return must(merge(none, nil)).(Object) },
		values: func(v []any) any {
			s := reflect.New(sequence.Elem())
			s.Elem().FieldByName("Values").Set(reflect.ValueOf(v))
			return s.Interface()
		},
		items: func(v any) ([]any, bool) {
			if reflect.TypeOf(v) != sequence {
				return nil, false
			}
			return reflect.ValueOf(v).Elem().FieldByName("Values").Interface().([]any), true
		},
		isFunc: func(v any) bool {
			switch t := reflect.TypeOf(v); t {
			case nil:
				return false
			case plainType, awareType, signedType:
				return true
			default:
				return t.Kind() == reflect.Pointer && t.Elem().Name() == "Lambda"
			}
		},
		wrap: func(fn function) any {
			return reflect.ValueOf(func(args []any, focus any, env E) (any, error) {
				return fn(args, focus, env)
			}).Convert(awareType).Interface()
		},
		original: func(name string) function {
			if reflect.TypeOf(lookup(name)) == awareType {
				fn := reflect.ValueOf(lookup(name)).Convert(reflect.TypeFor[aware]()).Interface().(aware)
				return func(args []any, focus any, f frame) (any, error) { return fn(args, focus, f.(E)) }
			}
			fn := asPlain(name)
			return func(args []any, focus any, _ frame) (any, error) { return fn(args, focus) }
		},
		names: func() (all []string) {
			env.Range(func(name string, _ any) { all = append(all, name) })
			return append(all, "clone", "previousNode", "executionCount", "nodeExecution", "nodeExecutions")
		},
		has: func(name string) bool { _, ok := env.Lookup(name); return ok },
		plain: func(name string) bool {
			v, ok := env.Lookup(name)
			return ok && reflect.TypeOf(v) != signedType
		},
	}
}
