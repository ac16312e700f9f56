package expr

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// gnata does not say where an evaluation failed, nor on what value. So after a
// failure the parts of the expression are evaluated on their own, as far as they
// see the same context as the whole: the smallest that fails in the same way is
// the place, and its own parts are the values.

// blameTime is what finding the place of an error may take.
const blameTime = 50 * time.Millisecond

var evaluationCode = regexp.MustCompile(`^(?:[TD]\d{4}|not-a-number|function-result|evaluation)$`)

// blame narrows e down, in place and in what it says.
func (p *Program) blame(ctx context.Context, s *Scope, e *jsonata.Error) *jsonata.Error {
	if !evaluationCode.MatchString(e.Code) || p.draws() {
		return e
	}
	ctx, cancel := context.WithTimeout(ctx, blameTime)
	defer cancel()
	b := blamer{program: p, scope: s, ctx: ctx}
	found, at := e, p.tree.Root
	for ctx.Err() == nil {
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
	b.describe(found, at)
	return found
}

// draws reports whether evaluating again gives something else.
func (p *Program) draws() (found bool) {
	p.tree.Root.Each(func(n *jsonata.Node) {
		found = found || n.Kind == jsonata.KindVariable && (n.Text == "random" || n.Text == "shuffle" || n.Text == "eval")
	})
	return found
}

type blamer struct {
	program *Program
	scope   *Scope
	ctx     context.Context
}

// eval evaluates a part on its own. Its error is placed in the whole.
func (b *blamer) eval(n *jsonata.Node) (Value, *jsonata.Error) {
	sub, err := Compile(b.program.tree.Text(n))
	if err != nil {
		return nil, &jsonata.Error{Code: "unknown"}
	}
	v, failed := sub.eval(b.ctx, b.scope)
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
func (b *blamer) parts(n *jsonata.Node) []*jsonata.Node {
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
func (b *blamer) taken(n *jsonata.Node) []*jsonata.Node {
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
func (b *blamer) hidden(n *jsonata.Node) (hidden bool) {
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

// describe adds the types of the values that e is about.
func (b *blamer) describe(e *jsonata.Error, n *jsonata.Node) {
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
		return describe(v), err == nil
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
