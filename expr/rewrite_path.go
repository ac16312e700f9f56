package expr

import (
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// keep takes the [] off the end of a path that ends in a predicate, and has a
// function do what it does.
func (w *rewriter) keep(n *jsonata.Node) {
	last := n.Args[len(n.Args)-1]
	text := w.ast.Text(n)
	cut := emptyBrackets.FindStringIndex(text)
	if cut == nil || len(last.Stages) == 0 || n.Group != nil || w.inGroup[n] || hasParent(n) {
		return
	}
	for i, step := range n.Args {
		if step.Focus != nil || step.Index != nil || step.Group != nil || step.KeepArray && i < len(n.Args)-1 ||
			slices.ContainsFunc(step.Stages, func(s *jsonata.Node) bool { return s.Kind == jsonata.KindIndex }) {
			return
		}
	}
	w.open(n.Start, "$"+keptName+"(")
	w.replace(n.Start+cut[0]+1, n.End, ")")
}

// emptyBrackets finds the [] after a predicate at the end of a path.
var emptyBrackets = regexp.MustCompile(`\]\s*\[\s*\]$`)

// keepsArray reports whether n is written with [] somewhere in its path.
func keepsArray(n *jsonata.Node) bool {
	return n.KeepArray || n.Kind == jsonata.KindPath && slices.ContainsFunc(n.Args, func(step *jsonata.Node) bool { return step.KeepArray })
}

// divide puts what is divided in parentheses, where gnata would take the "/" behind
// a predicate or a block for the beginning of a regular expression.
func (w *rewriter) divide(n *jsonata.Node) {
	if text := w.ast.Text(n); (strings.HasSuffix(text, "]") || strings.HasSuffix(text, ")")) && !hasParent(n) {
		w.wrap(n, "(", ")")
	}
}

// names has quoted steps written in backticks: followed by a predicate, gnata
// takes them for strings.
func (w *rewriter) names(n *jsonata.Node) {
	for _, step := range n.Args {
		if q := w.source[step.Start]; step.Kind == jsonata.KindName && (q == '"' || q == '\'') && !strings.Contains(step.Text, "`") {
			w.replace(step.Start, jsonata.TokenEnd(w.source, step.Start), "`"+step.Text+"`")
		}
	}
}

// group has a grouping act where it does in the reference: a path's on all of
// its steps, wherever it is written, a first step's on that step. Of nothing it
// gives an empty object, but with a key that is there whatever is grouped.
func (w *rewriter) group(n *jsonata.Node) {
	if hasParent(n) {
		return
	}
	constant := false
	for i := 0; i < len(n.Group.Args); i += 2 {
		constant = constant || n.Group.Args[i].Kind == jsonata.KindString
	}
	if constant {
		w.wrap(n, "(", ")")
	} else {
		w.wrap(n, "(", " ?? {})")
	}
	if !w.moved(n) {
		return
	}
	sub := rewriter{changes: changes{source: w.source}, ast: w.ast, parens: w.parens, grows: w.grows, inGroup: w.inGroup}
	sub.visit(n.Group)
	w.close(n.End, sub.apply(n.Group.Start, n.Group.End))
	w.replace(n.Group.Start, n.Group.End, "")
}

// moved reports whether the grouping of n is written before steps that it
// follows.
func (w *rewriter) moved(n *jsonata.Node) bool {
	return n.Kind == jsonata.KindPath && n.Group.End <= n.Last().Start && !hasParent(n)
}
