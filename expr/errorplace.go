package expr

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// gnata does not say where an evaluation failed, nor on what value. Most of its
// errors name the operator or function they are about, and where the expression
// has only one such, that is the place. Otherwise the parts of the expression are
// evaluated on their own, as far as they see the same context as the whole: the
// smallest that fails in the same way is the place, and its own parts are the
// values.

// What finding the place of an error may take: steps, some 50 ms of them, and on a
// machine at work, or for functions with much to do in one step, time.
const (
	placeSteps = 100_000
	placeTime  = time.Second
)

var evaluationCode = regexp.MustCompile(`^(?:[TD]\d{4}|not-a-number|function-result|evaluation)$`)

// errorPlace returns e with the place of the smallest part that fails, and with
// the types of its values.
func (p *Program) errorPlace(ctx context.Context, s *Scope, e *jsonata.Error) *jsonata.Error {
	if !evaluationCode.MatchString(e.Code) || p.draws() {
		return e
	}
	ctx, cancel := context.WithTimeout(ctx, placeTime)
	defer cancel()
	b := placeFinder{program: p, scope: s, ctx: ctx, steps: placeSteps}
	found, at := e, p.tree.Root
	for ctx.Err() == nil && b.steps > 0 {
		i := slices.IndexFunc(b.parts(at), func(part *jsonata.Node) bool {
			_, err := b.eval(part)
			if err == nil || err.Code != e.Code || err.Message != e.Message {
				return false
			}
			found, at = err, part
			return true
		})
		if i < 0 {
			break
		}
	}
	b.addTypes(found, at)
	return found
}

// draws reports whether evaluating again gives something else.
func (p *Program) draws() (found bool) {
	p.tree.Root.Each(func(n *jsonata.Node) {
		found = found || n.Kind == jsonata.KindVariable && (n.Text == "random" || n.Text == "shuffle" || n.Text == "eval")
	})
	return found
}

type placeFinder struct {
	program *Program
	scope   *Scope
	ctx     context.Context
	steps   int // that are left
}

// eval evaluates a part on its own. Its error is placed in the whole.
func (b *placeFinder) eval(n *jsonata.Node) (Value, *jsonata.Error) {
	if b.steps <= 0 {
		return nil, &jsonata.Error{Code: "unknown"}
	}
	sub, err := Compile(b.program.tree.Text(n))
	if err != nil {
		return nil, &jsonata.Error{Code: "unknown"}
	}
	v, failed := sub.eval(b.ctx, b.scope, b.steps)
	b.steps -= b.scope.guard.steps
	if failed == nil {
		return v, nil
	}
	e := explain(failed, sub.src)
	e.Start, e.End = e.Start+n.Start, e.End+n.Start
	return nil, e
}

// parts returns what n evaluates in its own context, in order: no predicates, no
// later steps, no bodies of functions, and nothing that needs variables which n
// binds.
func (b *placeFinder) parts(n *jsonata.Node) []*jsonata.Node {
	var parts []*jsonata.Node
	switch n.Kind {
	case jsonata.KindBinary:
		if parts = n.Args; n.Text == "and" || n.Text == "or" {
			parts = parts[:1]
		}
	case jsonata.KindElvis, jsonata.KindCoalesce:
		parts = n.Args[:1]
	case jsonata.KindCondition:
		parts = b.taken(n)
	case jsonata.KindApply:
		parts = n.Args[:1]
	case jsonata.KindCall:
		parts = n.Args[1:]
	case jsonata.KindArray, jsonata.KindRange, jsonata.KindNegate, jsonata.KindBlock, jsonata.KindObject:
		parts = n.Args
	case jsonata.KindPath:
		if parts = n.Args[:1]; parts[0].Kind == jsonata.KindName {
			return nil
		}
	case jsonata.KindBind:
		parts = n.Args[1:]
	}
	return slices.DeleteFunc(slices.Clone(parts), b.hidden)
}

// taken returns the condition and the branch that it chooses.
func (b *placeFinder) taken(n *jsonata.Node) []*jsonata.Node {
	parts := n.Args[:1:1]
	v, err := b.eval(n.Args[0])
	switch {
	case err != nil || b.hidden(n.Args[0]):
	case truth(v):
		parts = append(parts, n.Args[1])
	case len(n.Args) > 2:
		parts = append(parts, n.Args[2])
	}
	return parts
}

// truth is JSONata's, but for arrays and objects.
func truth(v Value) bool {
	switch w := v.(type) {
	case []any:
		return slices.ContainsFunc(w, truth)
	case Object:
		return w.Len() > 0
	}
	return Truthy(v)
}

// hidden reports whether n reads what is not there for it alone.
func (b *placeFinder) hidden(n *jsonata.Node) (hidden bool) {
	if hasParent(n) {
		return true
	}
	bound := map[string]bool{}
	n.Each(func(x *jsonata.Node) {
		switch x.Kind {
		case jsonata.KindBind, jsonata.KindLambda:
			for _, v := range x.Args {
				if v.Kind == jsonata.KindVariable {
					bound[v.Text] = true
				}
			}
		}
		for _, v := range []*jsonata.Node{x.Focus, x.Index} {
			if v != nil {
				bound[v.Text] = true
			}
		}
		for _, stage := range x.Stages {
			if stage.Kind == jsonata.KindIndex {
				bound[stage.Text] = true
			}
		}
	})
	n.Each(func(x *jsonata.Node) {
		if x.Kind == jsonata.KindVariable && x.Text != "" && x.Text != "$" && !bound[x.Text] && !jsonata.IsFunction(x.Text) {
			_, known := b.scope.vars[x.Text]
			hidden = hidden || !known
		}
	})
	return hidden
}

var (
	aboutSide     = regexp.MustCompile(`^the (left|right) operand of the`)
	aboutOperands = regexp.MustCompile(`^the operands of the "[^"]+" operator must`)
	aboutArgument = regexp.MustCompile(`(?:^|\b)argument(?: (\d+))? (?:must|does not match)`)
)

// addTypes adds the types of the values that e is about.
func (b *placeFinder) addTypes(e *jsonata.Error, n *jsonata.Node) {
	for n.Kind == jsonata.KindBlock && len(n.Args) == 1 {
		n = n.Args[0]
	}
	if strings.Contains(e.Message, ", got ") {
		return
	}
	is := func(part *jsonata.Node) (string, bool) {
		if b.hidden(part) {
			return "", false
		}
		v, err := b.eval(part)
		return describeValue(v), err == nil
	}
	switch {
	case n.Kind == jsonata.KindBinary && aboutSide.MatchString(e.Message):
		side := 0
		if aboutSide.FindStringSubmatch(e.Message)[1] == "right" {
			side = 1
		}
		if got, ok := is(n.Args[side]); ok {
			e.Message += ", got " + got
		}
	case n.Kind == jsonata.KindBinary && aboutOperands.MatchString(e.Message):
		left, ok := is(n.Args[0])
		right, ok2 := is(n.Args[1])
		if ok && ok2 {
			e.Message += ", got " + left + " and " + right
		}
	case n.Kind == jsonata.KindCall && aboutArgument.MatchString(e.Message):
		i, _ := strconv.Atoi(aboutArgument.FindStringSubmatch(e.Message)[1])
		if i = max(i, 1); i >= len(n.Args) {
			return
		}
		if name, ok := n.Callee(); ok && !strings.Contains(e.Message, "$"+name) {
			e.Message = "$" + name + ": " + e.Message
		}
		if got, ok := is(n.Args[i]); ok {
			e.Message += ", got " + got
		}
	}
}

var (
	aboutOperator = regexp.MustCompile(`the "([^"]+)" operator`)
	aboutFunction = regexp.MustCompile(`\$(\w+)(?::| takes| counts| must| is longer| has more)`)
)

// namedPlace gives e the place of the operator or function that it names, if the
// expression has one of them.
func (p *Program) namedPlace(e *jsonata.Error) *jsonata.Error {
	if e.Start != 0 || e.End != len(p.src) {
		return e
	}
	var found []*jsonata.Node
	switch {
	case e.Code == "T1006":
		bound := map[string]bool{}
		p.tree.Root.Each(func(n *jsonata.Node) {
			if n.Kind == jsonata.KindBind || n.Kind == jsonata.KindLambda {
				for _, v := range n.Args {
					if v.Kind == jsonata.KindVariable {
						bound[v.Text] = true
					}
				}
			}
		})
		p.tree.Root.Each(func(n *jsonata.Node) {
			if name, ok := n.Callee(); ok && !bound[name] && jsonata.Signatures[name] == "" && !isBuiltin(name) && name != "reduce" && name != "eval" {
				found = append(found, n.Args[0])
			}
		})
		if len(found) > 0 {
			name := found[0].Text
			e.Message = "there is no function $" + name
			e.Hint = "the functions are listed at https://docs.jsonata.org"
			if near := diag.Closest(name, natives().names()); near != "" {
				e.Hint = "did you mean $" + near + "?"
			}
			e.Start, e.End = found[0].Start, found[0].End
		}
		return e
	case aboutOperator.MatchString(e.Message):
		op := aboutOperator.FindStringSubmatch(e.Message)[1]
		p.tree.Root.Each(func(n *jsonata.Node) {
			if n.Kind == jsonata.KindBinary && n.Text == op {
				found = append(found, n)
			}
		})
	case aboutFunction.MatchString(e.Message):
		name := aboutFunction.FindStringSubmatch(e.Message)[1]
		p.tree.Root.Each(func(n *jsonata.Node) {
			if callee, ok := n.Callee(); ok && callee == name {
				found = append(found, n)
			}
		})
	}
	if len(found) == 1 {
		e.Start, e.End = found[0].Start, found[0].End
	}
	return e
}
