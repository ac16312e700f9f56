package expr

// span makes a range a call of name. gnata looks for % in a block but not in
// arguments.
func (w *rewriter) span(n *Node, name string) {
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

// spans takes the brackets off those of the values that are an array of one range.
func (w *rewriter) spans(values []*Node) {
	for _, n := range values {
		if n.Kind != KindArray || len(n.Args) != 1 || n.Args[0].Kind != KindRange ||
			n.KeepArray || len(n.Stages) > 0 || n.Group != nil || n.Focus != nil || n.Index != nil {
			continue
		}
		r := n.Args[0]
		w.replace(n.Start, r.Start, "")
		w.replace(r.End, n.End, "")
		if w.whole == nil {
			w.whole = map[*Node]bool{}
		}
		w.whole[r] = true
	}
}
