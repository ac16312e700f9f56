package expr

import (
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// rangeCall makes a range a call of name. gnata looks for % in a block but not in
// arguments.
func (w *rewriter) rangeCall(n *jsonata.Node, name string) {
	from, to := n.Args[0], n.Args[1]
	if !hasParent(n) {
		w.open(n.Start, "$"+name+"(")
		w.replace(from.End, to.Start, ", ")
		w.close(n.End, ")")
		return
	}
	w.open(n.Start, "($"+fromName+" := ")
	w.replace(from.End, to.Start, "; $"+toName+" := ")
	w.close(n.End, "; $"+name+"($"+fromName+", $"+toName+"))")
}

// rangeItems takes the brackets off those of the values that are an array of one range.
func (w *rewriter) rangeItems(values []*jsonata.Node) {
	for _, n := range values {
		if n.Kind != jsonata.KindArray || len(n.Args) != 1 || n.Args[0].Kind != jsonata.KindRange ||
			n.KeepArray || len(n.Stages) > 0 || n.Group != nil || n.Focus != nil || n.Index != nil {
			continue
		}
		r := n.Args[0]
		w.replace(n.Start, r.Start, "")
		w.replace(r.End, n.End, "")
		if w.whole == nil {
			w.whole = map[*jsonata.Node]bool{}
		}
		w.whole[r] = true
	}
}
