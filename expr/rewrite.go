package expr

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// Some of what gnata does cannot be interrupted and has no limit: text with &,
// comparing, and walking values that refer to themselves many times over, such
// as ($a := [$a, $a]; …) sixty times. So before gnata compiles an expression,
// its text is changed to say the same with functions that check sizes:
//
//	a & b & c    $concat__(a, b, c)
//	[$a, $a]     [$bounded__($a), $bounded__($a)]     where values can grow without end
//	[$a, b]      [$part__($a), $part__(b)]            as all items are copied at once
//	x[p][]       $kept__(x[p])                        as gnata gives [] when nothing is left
//	x[p] / 2     (x[p]) / 2                           as gnata takes the / for a regular expression
//	a = b ~> f   (a = b) ~> f                         where operators bind otherwise than the reference's
//	"a"[0]       `a`[0]                               as a step, which gnata takes for a string
//	a{…}.b       (a.b{…} ?? {})                       as a grouping is of the whole path, and of nothing is empty
//	a.*          a.$fields__()                        as gnata keeps arrays apart, and numbers
//	[a..b]       [$span__(a, b)]                      as all ranges together have a limit
//	$f([a..b])   $f($spans__(a, b))                   where no copy needs to be made
//
// Names with two underscores at the end are reserved for this.

const (
	concatName  = "concat__"
	boundedName = "bounded__"
	partName    = "part__"
	boundedPart = "boundedPart__" // both
	keptName    = "kept__"
	fieldsName  = "fields__"
	spanName    = "span__"
	spansName   = "spans__"
	fromName    = "from__" // the ends of a range that looks for %
	toName      = "to__"
)

// smallRange is the length of a range that is nothing to worry about.
const smallRange = 1000

// reserved are the names that an expression may not have itself.
var reserved = []string{concatName, boundedName, partName, boundedPart, keptName, fieldsName, spanName, spansName, fromName, toName}

// maxDescendants is how often ** may occur in one expression: each applies to
// all that the one before it found, which multiplies.
const maxDescendants = 3

// rewrite returns the text that gnata is to compile for a.
// With bounded, sizes are checked as if values grew without end.
func rewrite(a *jsonata.AST, bounded bool) (string, *jsonata.Error) {
	for _, name := range reserved {
		if i := strings.Index(a.Source, "$"+name); i >= 0 {
			return "", &jsonata.Error{Code: "reserved-name", Message: "the name $" + name + " is reserved", Hint: "choose another name", Start: i, End: i + 1 + len(name)}
		}
	}
	w := rewriter{ast: a, grows: bounded, changes: changes{source: a.Source}}
	w.survey(a.Root)
	if w.descendants > maxDescendants {
		return "", &jsonata.Error{
			Code: "too-much-work", Message: "** occurs more than three times in the expression",
			Hint: "name the fields on the way, where they are known", End: len(a.Source),
		}
	}
	w.bind(a.Root)
	w.rangeItems([]*jsonata.Node{a.Root})
	w.visit(a.Root)
	return w.apply(0, len(a.Source)), nil
}

// A rewriter collects changes to the text of an expression.
type rewriter struct {
	changes
	ast         *jsonata.AST
	parens      map[*jsonata.Node]bool // operands that need parentheses
	grows       bool                   // values may grow from step to step
	composites  int
	descendants int
	inGroup     map[*jsonata.Node]bool // values of groupings
	whole       map[*jsonata.Node]bool // ranges that are all of their array
}

// survey finds out whether the expression can feed a value back into what made
// it: by calling a function of its own, by $reduce or $eval, or by very many
// steps.
func (w *rewriter) survey(n *jsonata.Node) {
	switch n.Kind {
	case jsonata.KindCall, jsonata.KindPartial:
		if name, ok := n.Callee(); !ok || !isBuiltin(name) {
			w.grows = true
		}
	case jsonata.KindApply:
		if f := n.Args[1]; f.Kind != jsonata.KindCall && (f.Kind != jsonata.KindVariable || !isBuiltin(f.Text)) {
			w.grows = true
		}
	case jsonata.KindVariable:
		if n.Text == "reduce" || n.Text == "eval" {
			w.grows = true
		}
	case jsonata.KindBind, jsonata.KindLambda:
		for _, v := range n.Args {
			if v.Kind == jsonata.KindVariable && isBuiltin(v.Text) && (n.Kind == jsonata.KindLambda || v == n.Args[0]) {
				w.grows = true // it gives another meaning to a name that is trusted here
			}
		}
		w.composites++
	case jsonata.KindGroup:
		w.composites++
		if w.inGroup == nil {
			w.inGroup = map[*jsonata.Node]bool{}
		}
		for _, v := range n.Args {
			w.inGroup[v] = true
		}
	case jsonata.KindArray, jsonata.KindObject:
		w.composites++
	case jsonata.KindRange:
		if from, to := n.Args[0], n.Args[1]; from.Kind != jsonata.KindNumber || to.Kind != jsonata.KindNumber || to.Number-from.Number > smallRange {
			w.grows = true
		}
	case jsonata.KindDescendant:
		w.descendants++
	}
	if w.composites > 24 {
		w.grows = true
	}
	for child := range n.Children() {
		w.survey(child)
	}
}

// visit collects the edits for n and what is below it.
func (w *rewriter) visit(n *jsonata.Node) {
	if w.parens[n] {
		w.wrap(n, "(", ")")
	}
	if n.Kind == jsonata.KindBinary && n.Text == "&" && w.concat(n) {
		return
	}
	if n.Group != nil {
		w.group(n)
	}
	if n.Kind == jsonata.KindWildcard && !w.ast.Parents {
		w.replace(n.Start, n.Start+1, "$"+fieldsName+"()")
	}
	if n.Kind == jsonata.KindPath {
		w.keep(n)
		w.names(n)
	}
	if n.Kind == jsonata.KindBinary && n.Text == "/" {
		w.divide(n.Args[0])
	}
	skip := -1
	switch n.Kind {
	case jsonata.KindArray:
		if len(n.Args) > 1 {
			w.parts(n.Args)
		} else {
			w.bound(n.Args)
		}
	case jsonata.KindObject, jsonata.KindGroup:
		for i := 1; i < len(n.Args); i += 2 {
			if n.Kind == jsonata.KindGroup && keepsArray(n.Args[i]) {
				w.close(n.Args[i].End, "[]") // a grouping looks for it on the value
			}
			w.bound(n.Args[i : i+1])
		}
	case jsonata.KindCall, jsonata.KindPartial:
		w.bound(n.Args[1:])
		w.rangeItems(n.Args[1:])
	case jsonata.KindRange:
		if w.whole[n] {
			w.rangeCall(n, spansName)
		} else {
			w.rangeCall(n, spanName)
		}
	case jsonata.KindBind, jsonata.KindCondition, jsonata.KindElvis, jsonata.KindCoalesce:
		w.variables(n.Args[1:])
		w.rangeItems(n.Args[1:])
	case jsonata.KindBlock:
		w.variables(n.Args)
	case jsonata.KindLambda:
		w.variables(n.Args[len(n.Args)-1:])
	case jsonata.KindApply:
		w.variables(n.Args[:1])
		w.rangeItems(n.Args[:1])
		if f := n.Args[1]; f.Kind == jsonata.KindBinary {
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
	if n.Group != nil && !w.moved(n) {
		w.visit(n.Group)
	}
}

// concat turns a chain of & into one call. gnata looks for % in operands but not
// in arguments, so a chain with % stays.
func (w *rewriter) concat(n *jsonata.Node) bool {
	var parts []*jsonata.Node
	for n.Kind == jsonata.KindBinary && n.Text == "&" && len(n.Stages) == 0 && n.Group == nil {
		parts = append(parts, n.Args[1])
		n = n.Args[0]
	}
	parts = append(parts, n)
	slices.Reverse(parts)
	if len(parts) < 2 || slices.ContainsFunc(parts, hasParent) {
		return false
	}
	w.open(parts[0].Start, "$"+concatName+"(")
	w.close(parts[len(parts)-1].End, ")")
	for i, p := range parts {
		w.visit(p)
		if i+1 < len(parts) {
			w.replace(p.End, parts[i+1].Start, ", ")
		}
	}
	return true
}

// bound has the size of values checked that are about to become part of others.
func (w *rewriter) bound(values []*jsonata.Node) {
	for _, n := range values {
		if given(n) {
			w.bounded(n)
		}
	}
}

// parts has the lengths of values checked that are copied into an array.
func (w *rewriter) parts(values []*jsonata.Node) {
	name := partName
	if w.grows {
		name = boundedPart
	}
	for _, n := range values {
		if given(n) && !hasParent(n) {
			w.wrap(n, "$"+name+"(", ")")
		}
	}
}

// given reports whether an expression may give a value that was there before.
func given(n *jsonata.Node) bool {
	switch n.Kind {
	case jsonata.KindPath, jsonata.KindVariable, jsonata.KindCall, jsonata.KindCondition, jsonata.KindBlock, jsonata.KindElvis, jsonata.KindCoalesce, jsonata.KindApply:
		return true
	}
	return false
}

// variables has those of the nodes checked that are a variable and no more.
func (w *rewriter) variables(nodes []*jsonata.Node) {
	for _, n := range nodes {
		if n.Kind == jsonata.KindVariable && len(n.Stages) == 0 && n.Group == nil && n.Focus == nil && n.Index == nil {
			w.bounded(n)
		}
	}
}

func (w *rewriter) bounded(n *jsonata.Node) {
	if w.grows && !hasParent(n) {
		w.wrap(n, "$"+boundedName+"(", ")")
	}
}

func hasParent(n *jsonata.Node) bool {
	if n.Kind == jsonata.KindParent {
		return true
	}
	for c := range n.Children() {
		if hasParent(c) {
			return true
		}
	}
	return false
}

// isBuiltin reports whether name is a function of JSONata or of ours that gives
// nothing it was not given.
func isBuiltin(name string) bool {
	switch name {
	case "reduce", "eval":
		return false
	case "clone", "previousNode", "executionCount", "nodeExecution", "nodeExecutions":
		return true
	}
	return natives().has(name)
}
