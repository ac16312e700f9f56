package jsonata

import (
	"cmp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/types"
)

// Refs is what an expression may read, as far as its text tells. It never names
// a node that the expression does not refer to; what could not be followed is
// said in WholeRoot and Unknown.
type Refs struct {
	Nodes            []Ref    // in source order
	Functions        []Call   // calls of $name, in source order
	Variables        []Use    // other uses of variables that nothing here binds, in source order
	NonDeterministic []string // now, millis, random, shuffle: those used, sorted

	// WholeRoot says that the context itself is seen, not only nodes in it (a
	// bare $, $$, *, **, $keys() at the root): any node may be read, and their
	// order shows.
	WholeRoot bool
	// Unknown says that a node is named by something that is not a literal, or
	// that $eval runs a text that is not a literal without escapes: any node may be read.
	Unknown bool
}

// ReadsUnnamed reports whether outputs of nodes may be read that are not in Nodes.
func (r *Refs) ReadsUnnamed() bool {
	return r.WholeRoot || r.Unknown || slices.ContainsFunc(r.Functions, func(c Call) bool { return c.Name == "previousNode" }) ||
		slices.ContainsFunc(r.Variables, func(u Use) bool { return u.Name == "previousNode" })
}

// A Ref is one mention of a node. Start and End enclose the name alone, with
// its quotes or backticks.
type Ref struct {
	Node       string
	Start, End int
	Path       []Field // the fields read under it, as far as they are plain
	Via        string  // "path", or the function that names it: nodeExecution, lookup, …
	Sifted     bool    // a filter or an order after the first Plain fields may read others
	Plain      int
	Quoted     int // how many texts of $eval it is inside of
}

// A Field is one plain step under a node.
type Field struct {
	Name       string
	Start, End int
}

// A Call is a call or partial application of $Name, whose name is at
// [Start, End).
type Call struct {
	Name       string
	Start, End int
	Args       int  // the arguments, with the value that "~>" passes
	Shadowed   bool // Name is a variable of the expression, not a built-in
}

// A Use is a variable that the expression does not bind: a built-in function
// passed as a value, $item, or a mistake.
type Use struct {
	Name       string
	Start, End int
}

// Via of a Ref that is a path; the functions of a run that take a node's id.
const (
	viaPath           = "path"
	viaLookup         = "lookup"
	ViaNodeExecution  = "nodeExecution"
	ViaNodeExecutions = "nodeExecutions"
	ViaExecutionCount = "executionCount"
)

// A view is what is known of a value with regard to the context: it is the
// context itself, or it is something that does not contain it.
type view uint8

const (
	viewData view = iota
	viewRoot
)

// noRef is the reference of a value that a Ref cannot name.
const noRef = -1

// Refs returns what the expression may read. It is linear in the size of a.
func (a *AST) Refs() *Refs {
	r := referrer{src: a.Source, out: &Refs{}}
	if a.Parents {
		r.entry = map[*Node]view{}
	}
	r.frame(false, a.Root)
	v, _ := r.value(a.Root, viewRoot)
	r.use(v)
	out := r.out
	slices.SortStableFunc(out.Nodes, func(a, b Ref) int { return cmp.Compare(a.Start, b.Start) })
	slices.SortStableFunc(out.Functions, func(a, b Call) int { return cmp.Compare(a.Start, b.Start) })
	slices.SortStableFunc(out.Variables, func(a, b Use) int { return cmp.Compare(a.Start, b.Start) })
	slices.Sort(out.NonDeterministic)
	out.NonDeterministic = slices.Compact(out.NonDeterministic)
	return out
}

// A referrer walks an expression as evaluation does.
type referrer struct {
	src    string // or the text of $eval that is walked
	base   int    // where it begins in the source
	quoted int    // in how many such texts
	out    *Refs
	scope  *names
	entry  map[*Node]view // the context in which a step that "%" means was entered
}

// use notes that a value was consumed whole.
func (r *referrer) use(v view) {
	if v == viewRoot {
		r.out.WholeRoot = true
	}
}

// used evaluates n and consumes its value.
func (r *referrer) used(n *Node, ctx view) {
	v, _ := r.value(n, ctx)
	r.use(v)
}

// value evaluates n in ctx. ref is the index of the Ref that is exactly the
// value, or noRef.
func (r *referrer) value(n *Node, ctx view) (v view, ref int) {
	if n.Kind == KindPath {
		return r.path(n, ctx)
	}
	v, ref = r.bare(n, ctx)
	r.stages(n, v)
	if n.Group != nil {
		r.each(n.Group.Args, v)
		v, ref = viewData, noRef
	}
	return v, ref
}

func (r *referrer) stages(n *Node, ctx view) {
	for _, s := range n.Stages {
		if s.Kind == KindIndex {
			r.scope.define(s.Text, viewData)
			continue
		}
		r.used(s, ctx)
	}
}

func (r *referrer) each(nodes []*Node, ctx view) {
	for _, n := range nodes {
		r.used(n, ctx)
	}
}

// bare evaluates n without what hangs on it.
func (r *referrer) bare(n *Node, ctx view) (view, int) {
	switch n.Kind {
	case KindVariable:
		return r.variable(n, ctx), noRef
	case KindParent:
		return r.entry[n.ancestry.slot.target], noRef
	case KindWildcard, KindDescendant:
		r.use(ctx)
	case KindBlock:
		return r.block(n, ctx)
	case KindBind:
		v, _ := r.value(n.Args[1], ctx)
		if r.scope.bind(n.Args[0].Text, v) {
			r.use(v)
		}
		return v, noRef
	case KindCondition:
		r.used(n.Args[0], ctx)
		return r.either(n.Args[1:], ctx), noRef
	case KindElvis, KindCoalesce:
		return r.either(n.Args, ctx), noRef
	case KindCall, KindPartial:
		return r.call(n, ctx, nil, viewData)
	case KindApply:
		return r.apply(n, ctx)
	case KindLambda:
		r.lambda(n, ctx)
	case KindTransform:
		r.transform(n, viewData)
	default:
		r.each(n.Args, ctx)
	}
	return viewData, noRef
}

// either evaluates alternatives, which are the context only if all are.
func (r *referrer) either(nodes []*Node, ctx view) view {
	root := 0
	for _, n := range nodes {
		if v, _ := r.value(n, ctx); v == viewRoot {
			root++
		}
	}
	if root == len(nodes) {
		return viewRoot
	}
	if root > 0 {
		r.use(viewRoot)
	}
	return viewData
}

func (r *referrer) variable(n *Node, ctx view) view {
	switch n.Text {
	case "":
		return ctx
	case "$":
		return viewRoot
	}
	if b := r.scope.find(n.Text); b != nil {
		return b.view()
	}
	r.out.Variables = append(r.out.Variables, Use{n.Text, r.base + n.Start, r.nameEnd(n)})
	if r.function(n.Text).Reads == ReadsNode {
		r.out.Unknown = true
	}
	return viewData
}

// noBuiltin is in the place of a function that does not exist.
var noBuiltin = &Builtin{params: &signature{}}

// function notes what the mere use of a built-in means, and returns it.
func (r *referrer) function(name string) *Builtin {
	b := LookupBuiltin(name)
	if b == nil {
		return noBuiltin
	}
	if b.Varies {
		r.out.NonDeterministic = append(r.out.NonDeterministic, name)
	}
	if b.Reads == ReadsExpression {
		r.out.Unknown, r.out.WholeRoot = true, true
	}
	return b
}

// nameEnd returns the end of the one token that n starts with, in the whole source.
func (r *referrer) nameEnd(n *Node) int { return r.base + TokenEnd(r.src, n.Start) }

func (r *referrer) block(n *Node, ctx view) (v view, ref int) {
	defer r.frame(false, n.Args...)()
	ref = noRef
	for _, e := range n.Args {
		v, ref = r.value(e, ctx)
	}
	return v, ref
}

// lambda evaluates a body where it is defined: its context is that of the
// definition. Its parameters are never the context without WholeRoot.
func (r *referrer) lambda(n *Node, ctx view) {
	params, body := n.Args[:len(n.Args)-1], n.Args[len(n.Args)-1]
	defer r.frame(true, body)()
	for _, p := range params {
		r.scope.define(p.Text, viewData)
	}
	if slices.Contains([]byte(n.Text), '-') { // a parameter may be the caller's context
		r.use(viewRoot)
	}
	r.used(body, ctx)
}

// transform evaluates |pattern|update,delete| over a copy of what it is given.
func (r *referrer) transform(n *Node, given view) {
	v, _ := r.value(n.Args[0], given)
	r.each(n.Args[1:], v)
}

// add appends a Ref for the name that starts at n and returns its index.
func (r *referrer) add(n *Node, via string) int {
	r.out.Nodes = append(r.out.Nodes, Ref{Node: n.Text, Start: r.base + n.Start, End: r.nameEnd(n), Via: via, Quoted: r.quoted})
	return len(r.out.Nodes) - 1
}

// Rename returns src, whose tree is ast, with every reference to node from made
// one to node to, and the edits that do so in order of position. Backticks are
// put where to needs them. Nodes that are named by anything but a
// literal are not found: [Refs.Unknown] and [Refs.WholeRoot] tell.
func Rename(src string, ast *AST, from, to string) (string, []diag.TextEdit) {
	var edits []diag.TextEdit
	for _, ref := range ast.Refs().Nodes {
		if ref.Node != from {
			continue
		}
		text := types.QuoteName(to)
		switch quoted := src[ref.Start] == '"' || src[ref.Start] == '\''; {
		case ref.Via != viaPath || quoted:
			text = types.QuoteString(to)
		case text[0] == '"' && !strings.HasSuffix(strings.TrimSpace(src[:ref.Start]), "."):
			text = "$." + text
		}
		for range ref.Quoted {
			escaped := types.QuoteString(text)
			text = escaped[1 : len(escaped)-1]
		}
		edits = append(edits, diag.Replace(ref.Start, ref.End, text)...)
	}
	return diag.ApplyEdits(src, edits), edits
}
