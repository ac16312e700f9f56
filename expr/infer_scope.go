package expr

import (
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

// known is one scope of variables. One that is bound twice, or where it is not
// certain to be reached, is unknown.
type known struct {
	vars  map[string]types.Type
	times map[string]int
	maybe int
	outer *known
}

// count counts a binding of a variable in the scope.
func (sc *known) count(name string) {
	if sc.times == nil {
		sc.times = map[string]int{}
	}
	sc.times[name]++
}

// given notes that a variable has a value before the scope begins, so that a binding in
// it is another one.
func (sc *known) given(name string) {
	if sc.times[name] > 0 {
		sc.times[name]++
	}
}

// open starts a scope for nodes and returns what ends it.
func (in *inferrer) open(nodes ...*jsonata.Node) func() {
	sc := &known{outer: in.scope, maybe: in.maybe}
	for _, n := range nodes {
		n.EachBinding(sc.count)
	}
	in.scope = sc
	return func() { in.scope = sc.outer }
}

// bind gives a variable a value. What conditions have said of the name is about
// the value it had before.
func (in *inferrer) bind(name string, s types.Type) {
	in.drop(name)
	for sc := in.scope; sc != nil; sc = sc.outer {
		if sc.times[name] == 0 && sc.outer != nil {
			continue
		}
		if sc.times[name] > 1 || in.maybe > sc.maybe {
			s = types.Unknown()
		}
		if sc.vars == nil {
			sc.vars = map[string]types.Type{}
		}
		sc.vars[name] = s
		return
	}
}

// rebound reports whether a variable is bound more than once in its scope, so that
// nothing is known of its value at any one place.
func (in *inferrer) rebound(name string) bool {
	for sc := in.scope; sc != nil; sc = sc.outer {
		if n := sc.times[name]; n > 0 {
			return n > 1
		}
	}
	return false
}

// variable returns what is known of a variable, and whether it is one of the
// expression's or the caller's.
func (in *inferrer) variable(name string) (types.Type, bool) {
	for sc := in.scope; sc != nil; sc = sc.outer {
		if s, ok := sc.vars[name]; ok {
			return s, true
		}
		if sc.times[name] > 0 { // bound later, or by a recursive definition
			return types.Unknown(), true
		}
	}
	return types.Unknown(), false
}
