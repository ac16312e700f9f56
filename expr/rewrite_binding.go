package expr

import (
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// gnata's operators bind otherwise than the reference's: "~>" tighter than
// comparisons and from the right, "?:" and "??" looser than "and". Whether an
// operand must be put in parentheses depends on the powers at its ends.

// A reach is how loosely the text of a node is bound for gnata: left is the
// least left power of the operators that its left end takes part in, right the
// least right power of those at its right end.
type reach struct{ left, right uint8 }

// unbroken is the reach of what no operator can tear apart.
var unbroken = reach{255, 255}

// gnataPowers are the left and right powers of gnata's operators, where they
// are not both the reference's.
func gnataPowers(n *jsonata.Node) reach {
	switch n.Kind {
	case jsonata.KindApply:
		return reach{45, 44}
	case jsonata.KindElvis, jsonata.KindCoalesce, jsonata.KindRange:
		return reach{20, 19}
	case jsonata.KindCondition:
		return reach{20, 0}
	case jsonata.KindBind:
		return reach{10, 9}
	}
	power := jsonata.Power(n.Text)
	return reach{power, power}
}

// bind finds the operands below n that need parentheses, and returns n's reach
// without parentheses of its own.
func (w *rewriter) bind(n *jsonata.Node) reach {
	ends := make([]reach, 0, 3)
	for _, c := range n.Args {
		ends = append(ends, w.bind(c))
	}
	for _, c := range n.Stages {
		w.bind(c)
	}
	if n.Group != nil {
		w.bind(n.Group)
	}
	switch n.Kind {
	case jsonata.KindBinary, jsonata.KindApply, jsonata.KindElvis, jsonata.KindCoalesce, jsonata.KindRange, jsonata.KindBind:
		op := gnataPowers(n)
		if ends[0].right < op.left {
			ends[0] = w.parenthesize(n.Args[0])
		}
		if ends[1].left <= op.right {
			ends[1] = w.parenthesize(n.Args[1])
		}
		return reach{min(op.left, ends[0].left), min(op.right, ends[1].right)}
	case jsonata.KindCondition:
		op := gnataPowers(n)
		if ends[0].right < op.left {
			ends[0] = w.parenthesize(n.Args[0])
		}
		return reach{min(op.left, ends[0].left), op.right}
	case jsonata.KindTransform:
		for i, c := range n.Args {
			if ends[i].left <= 20 {
				w.parenthesize(c)
			}
		}
	case jsonata.KindPath:
		if len(n.Args) > 1 && n.Args[1].Kind == jsonata.KindSort {
			return reach{min(ends[0].left, jsonata.Power("^")), 255}
		}
	}
	return unbroken
}

func (w *rewriter) parenthesize(n *jsonata.Node) reach {
	if w.parens == nil {
		w.parens = map[*jsonata.Node]bool{}
	}
	w.parens[n] = true
	return unbroken
}
