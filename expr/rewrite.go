package expr

import (
	"iter"
	"regexp"
	"slices"
	"strings"
)

// Some of what gnata does cannot be interrupted and has no limit: text with &,
// comparing, and walking values that refer to themselves many times over, such
// as ($a := [$a, $a]; …) sixty times. So before gnata compiles an expression,
// its text is changed to say the same with functions that check sizes:
//
//	a & b & c    $concat__(a, b, c)
//	[$a, $a]     [$bounded__($a), $bounded__($a)]     where values can grow without end
//	x[p][]       $kept__(x[p])                        as gnata gives [] when nothing is left
//	x[p] / 2     (x[p]) / 2                           as gnata takes the / for a regular expression
//
// Names with two underscores at the end are reserved for this.

const (
	concatName  = "concat__"
	boundedName = "bounded__"
	keptName    = "kept__"
)

// maxDescendants is how often ** may occur in one expression: each applies to
// all that the one before it found, which multiplies.
const maxDescendants = 3

// rewrite returns the text that gnata is to compile for a.
// With careful, values are taken to grow without end.
func rewrite(a *AST, careful bool) (string, *Error) {
	for _, name := range []string{concatName, boundedName, keptName} {
		if i := strings.Index(a.Source, "$"+name); i >= 0 {
			return "", &Error{Code: "reserved-name", Message: "the name $" + name + " is reserved", Hint: "choose another name", Start: i, End: i + 1 + len(name)}
		}
	}
	w := rewriter{ast: a, grows: careful}
	w.survey(a.Root)
	if w.descendants > maxDescendants {
		return "", &Error{
			Code: "too-much-work", Message: "** occurs more than three times in the expression",
			Hint: "name the fields on the way, where they are known", End: len(a.Source),
		}
	}
	w.visit(a.Root)
	return w.apply(), nil
}

// A rewriter collects insertions into the text of an expression.
type rewriter struct {
	ast         *AST
	edits       []Edit
	grows       bool // values may grow from step to step
	composites  int
	descendants int
	inGroup     map[*Node]bool // values of groupings
}

// survey finds out whether the expression can feed a value back into what made
// it: by calling a function of its own, by $reduce or $eval, or by very many
// steps.
func (w *rewriter) survey(n *Node) {
	switch n.Kind {
	case KindCall, KindPartial:
		if name, ok := n.Callee(); !ok || !isBuiltin(name) {
			w.grows = true
		}
	case KindApply:
		if f := n.Args[1]; f.Kind != KindCall && (f.Kind != KindVariable || !isBuiltin(f.Text)) {
			w.grows = true
		}
	case KindVariable:
		if n.Text == "reduce" || n.Text == "eval" {
			w.grows = true
		}
	case KindBind, KindLambda:
		for _, v := range n.Args {
			if v.Kind == KindVariable && isBuiltin(v.Text) && (n.Kind == KindLambda || v == n.Args[0]) {
				w.grows = true // it gives another meaning to a name that is trusted here
			}
		}
		w.composites++
	case KindGroup:
		w.composites++
		if w.inGroup == nil {
			w.inGroup = map[*Node]bool{}
		}
		for _, v := range n.Args {
			w.inGroup[v] = true
		}
	case KindArray, KindObject:
		w.composites++
	case KindDescendant:
		w.descendants++
	}
	if w.composites > 24 {
		w.grows = true
	}
	for child := range n.children() {
		w.survey(child)
	}
}

// children yields all nodes right below n.
func (n *Node) children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, c := range n.Args {
			if !yield(c) {
				return
			}
		}
		for _, c := range n.Stages {
			if !yield(c) {
				return
			}
		}
		if n.Group != nil {
			yield(n.Group)
		}
	}
}

// visit collects the edits for n and what is below it.
func (w *rewriter) visit(n *Node) {
	if n.Kind == KindBinary && n.Text == "&" && w.concat(n) {
		return
	}
	if n.Kind == KindPath {
		w.keep(n)
	}
	if n.Kind == KindBinary && n.Text == "/" {
		w.divide(n.Args[0])
	}
	skip := -1
	switch n.Kind {
	case KindArray:
		w.bound(n.Args)
	case KindObject, KindGroup:
		for i := 1; i < len(n.Args); i += 2 {
			w.bound(n.Args[i : i+1])
			if n.Kind == KindGroup && keepsArray(n.Args[i]) {
				w.insert(n.Args[i].End, "[]") // a grouping looks for it on the value
				continue
			}
		}
	case KindCall, KindPartial:
		w.bound(n.Args[1:])
	case KindBind, KindCondition, KindElvis, KindCoalesce:
		w.variables(n.Args[1:])
	case KindBlock:
		w.variables(n.Args)
	case KindLambda:
		w.variables(n.Args[len(n.Args)-1:])
	case KindApply:
		w.variables(n.Args[:1])
		if f := n.Args[1]; f.Kind == KindBinary {
			skip = 1 // as a call, it would take the left side as an argument
		}
	}
	for i, c := range n.Args {
		if i != skip {
			w.visit(c)
		}
	}
	for _, c := range n.Stages {
		w.visit(c)
	}
	if n.Group != nil {
		w.visit(n.Group)
	}
}

// concat turns a chain of & into one call. gnata looks for % in operands but not
// in arguments, so a chain with % stays.
func (w *rewriter) concat(n *Node) bool {
	var parts []*Node
	for n.Kind == KindBinary && n.Text == "&" && len(n.Stages) == 0 && n.Group == nil {
		parts = append(parts, n.Args[1])
		n = n.Args[0]
	}
	parts = append(parts, n)
	slices.Reverse(parts)
	if len(parts) < 2 || slices.ContainsFunc(parts, hasParent) {
		return false
	}
	w.insert(parts[0].Start, "$"+concatName+"(")
	for i, p := range parts {
		w.visit(p)
		if i+1 < len(parts) {
			w.edits = append(w.edits, Edit{p.End, parts[i+1].Start, ", "})
		}
	}
	w.insert(parts[len(parts)-1].End, ")")
	return true
}

// divide puts what is divided in parentheses, where gnata would take the "/" behind
// a predicate or a block for the beginning of a regular expression.
func (w *rewriter) divide(n *Node) {
	if text := w.ast.text(n); (strings.HasSuffix(text, "]") || strings.HasSuffix(text, ")")) && !hasParent(n) {
		w.insert(n.Start, "(")
		w.insert(n.End, ")")
	}
}

// keep takes the [] off the end of a path that ends in a predicate, and has a
// function do what it does.
func (w *rewriter) keep(n *Node) {
	last := n.Args[len(n.Args)-1]
	text := w.ast.text(n)
	cut := emptyBrackets.FindStringIndex(text)
	if cut == nil || len(last.Stages) == 0 || n.Group != nil || w.inGroup[n] || hasParent(n) {
		return
	}
	for i, step := range n.Args {
		if step.Focus != nil || step.Index != nil || step.Group != nil || step.KeepArray && i < len(n.Args)-1 ||
			slices.ContainsFunc(step.Stages, func(s *Node) bool { return s.Kind == KindIndex }) {
			return
		}
	}
	w.insert(n.Start, "$"+keptName+"(")
	w.edits = append(w.edits, Edit{n.Start + cut[0] + 1, n.End, ")"})
}

// emptyBrackets finds the [] after a predicate at the end of a path.
var emptyBrackets = regexp.MustCompile(`\]\s*\[\s*\]$`)

// bound has the size of values checked that are about to become part of others.
func (w *rewriter) bound(values []*Node) {
	for _, n := range values {
		switch n.Kind {
		case KindPath, KindVariable, KindCall, KindCondition, KindBlock, KindElvis, KindCoalesce, KindApply:
			w.wrap(n)
		}
	}
}

// variables has those of the nodes checked that are a variable and no more.
func (w *rewriter) variables(nodes []*Node) {
	for _, n := range nodes {
		if n.Kind == KindVariable && len(n.Stages) == 0 && n.Group == nil && n.Focus == nil && n.Index == nil {
			w.wrap(n)
		}
	}
}

func (w *rewriter) wrap(n *Node) {
	if w.grows && !hasParent(n) {
		w.insert(n.Start, "$"+boundedName+"(")
		w.insert(n.End, ")")
	}
}

// keepsArray reports whether n is written with [] somewhere in its path.
func keepsArray(n *Node) bool {
	return n.KeepArray || n.Kind == KindPath && slices.ContainsFunc(n.Args, func(step *Node) bool { return step.KeepArray })
}

func hasParent(n *Node) bool {
	if n.Kind == KindParent {
		return true
	}
	for c := range n.children() {
		if hasParent(c) {
			return true
		}
	}
	return false
}

func (w *rewriter) insert(at int, text string) { w.edits = append(w.edits, Edit{at, at, text}) }

// apply makes the edits. At one place, what closes an inner node comes before
// what closes an outer one, and what opens an outer node before what opens an
// inner one: the order in which they were collected, but for closings.
func (w *rewriter) apply() string {
	if len(w.edits) == 0 {
		return w.ast.Source
	}
	opens, closes := map[int]string{}, map[int]string{}
	gaps := map[int]Edit{}
	for _, e := range w.edits {
		switch {
		case e.Start != e.End:
			gaps[e.Start] = e
		case e.New == ")" || e.New == "[]":
			closes[e.Start] += e.New
		default:
			opens[e.Start] += e.New
		}
	}
	src := w.ast.Source
	var b strings.Builder
	for i := 0; i <= len(src); {
		b.WriteString(closes[i])
		if gap, ok := gaps[i]; ok {
			b.WriteString(gap.New)
			i = gap.End
			continue
		}
		b.WriteString(opens[i])
		if i < len(src) {
			b.WriteByte(src[i])
		}
		i++
	}
	return b.String()
}

// isBuiltin reports whether name is a function of JSONata or of ours that gives
// nothing it was not given.
func isBuiltin(name string) bool {
	switch name {
	case "reduce", "eval":
		return false
	case "previousNode", "executionCount", "nodeExecution", "nodeExecutions":
		return true
	}
	return natives().has(name)
}
