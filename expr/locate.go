package expr

import (
	"regexp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// gnata's errors have no position, but most name the operator or function they
// are about. Where the expression has only one such, that is the place.

var (
	aboutOperator = regexp.MustCompile(`the "([^"]+)" operator`)
	aboutFunction = regexp.MustCompile(`\$(\w+)(?::| takes| counts| must| is longer| has more)`)
)

// locate narrows an error of evaluation down to a part of the expression, if
// there is no doubt which.
func (p *Program) locate(e *jsonata.Error) *jsonata.Error {
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
			if name, ok := n.Callee(); ok && !bound[name] && !isBuiltin(name) && name != "reduce" && name != "eval" {
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
