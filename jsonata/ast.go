// Package jsonata is JSONata 2.1: lexer, parser, syntax tree, references, renaming, the
// lint that recognizes what authors write in the syntax of other languages, and the
// evaluator. It knows no graphs. An evaluation counts its steps, the bytes of its values
// and its nested calls, so that every expression of anyone ends, at the same step each
// time.
package jsonata

import (
	"iter"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A Kind says what a [Node] is and what its Text and Args hold.
type Kind uint8

// The kinds of node.
const (
	KindPath       Kind = iota + 1 // Args: the steps, in order; a lone name is a path of one step
	KindName                       // a step; Text: the field's name without quotes
	KindString                     // Text: the value
	KindNumber                     // Number: the value, sign included
	KindBool                       // Text: "true" or "false"
	KindNull                       //
	KindVariable                   // Text: the name without "$": "" is the context, "$" the root
	KindWildcard                   // *
	KindDescendant                 // **
	KindParent                     // %
	KindRegex                      // Text: the pattern as written between the slashes
	KindArray                      // Args: the items
	KindRange                      // an array's item; Args: from, to
	KindObject                     // Args: key, value, key, value, …
	KindBlock                      // Args: the expressions; the last is the value
	KindBind                       // Args: variable, value
	KindCondition                  // Args: condition, then and, if written, else
	KindElvis                      // left ?: right; Args: left, right
	KindCoalesce                   // left ?? right; Args: left, right
	KindBinary                     // Text: + - * / % & = != < <= > >= and or in; Args: left, right
	KindNegate                     // Args: operand
	KindCall                       // Args: the function, then the arguments
	KindPartial                    // as KindCall, with at least one KindHole
	KindHole                       // the "?" of a partial application
	KindLambda                     // Args: the parameters, then the body; Text: the signature
	KindTransform                  // Args: pattern, update and, if written, delete
	KindApply                      // left ~> right; Args: left, right
	KindSort                       // a step; Args: the terms
	KindTerm                       // a sort's term; Text: "<" or ">"; Args: expression
	KindGroup                      // Args: key, value, key, value, …
	KindIndex                      // a stage that binds the position; Text: the variable's name
	KindBad                        // inserted where the parser recovered
)

var kindNames = [...]string{
	KindPath: "path", KindName: "name", KindString: "string", KindNumber: "number", KindBool: "boolean", KindNull: "null",
	KindVariable: "variable", KindWildcard: "wildcard", KindDescendant: "descendant", KindParent: "parent", KindRegex: "regex",
	KindArray: "array", KindRange: "range", KindObject: "object", KindBlock: "block", KindBind: "bind", KindCondition: "condition",
	KindElvis: "elvis", KindCoalesce: "coalesce", KindBinary: "binary", KindNegate: "negate", KindCall: "call",
	KindPartial: "partial", KindHole: "hole", KindLambda: "lambda", KindTransform: "transform", KindApply: "apply",
	KindSort: "sort", KindTerm: "term", KindGroup: "group", KindIndex: "index", KindBad: "bad",
}

// String returns the kind's name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) && kindNames[k] != "" {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// A Node is one piece of an expression at source bytes [Start, End). Its shape
// is that of evaluation: paths are flat lists of steps, and what qualifies a
// step or a value hangs on it.
type Node struct {
	Kind       Kind
	KeepArray  bool // "[]": a single result stays an array
	keeps      bool // "[]" is after all of it, not after a step of it
	tuple      bool // a stream of tuples goes through it
	sought     bool // a step that a "%" goes back to
	height     int16
	Start, End int
	Text       string
	Number     float64
	Args       []*Node
	Stages     []*Node // predicates, each any expression, and KindIndex, in order
	Group      *Node   // "{…}" after a value: KindGroup; a path's groups its result
	Focus      *Node   // "@$v" on a step: KindVariable
	Index      *Node   // "#$v" on a step: KindVariable
	ancestry   *ancestry
}

// Bare reports whether n is of a kind and has no predicates and no grouping.
func (n *Node) Bare(kind Kind) bool { return n.Kind == kind && len(n.Stages) == 0 && n.Group == nil }

// Callee returns the name of the function that a call or partial application
// names with "$", and whether it names one.
func (n *Node) Callee() (string, bool) {
	if n.Kind != KindCall && n.Kind != KindPartial {
		return "", false
	}
	if f := n.Args[0]; f.Bare(KindVariable) {
		return f.Text, true
	}
	return "", false
}

// An AST is a parsed expression. It is immutable.
type AST struct {
	Source string
	Root   *Node

	Parents bool // "%" occurs
	binds   bool // ":=" occurs
}

// Text returns the source of n.
func (a *AST) Text(n *Node) string { return a.Source[n.Start:n.End] }

// FirstOfAll returns the edits that make a path that ends in "[0]", which picks the first
// item under each parent, pick the first item of all, or nil if n is not such a path.
func (n *Node) FirstOfAll() []diag.TextEdit {
	if n.Kind == KindBlock && len(n.Args) == 1 && len(n.Stages) == 0 {
		n = n.Args[0]
	}
	if n.Kind != KindPath || n.Group != nil || len(n.Args) < 2 {
		return nil
	}
	stages := n.Last().Stages
	if len(stages) == 0 || stages[len(stages)-1].Kind != KindNumber || stages[len(stages)-1].Number != 0 {
		return nil
	}
	return diag.Surround(n.Start, n.End, "(", ")[0]")
}

// SumOfNone returns the edits that make $sum(x) return 0 instead of undefined where x is
// undefined, or nil if n is not such a call.
func (n *Node) SumOfNone() []diag.TextEdit {
	if name, ok := n.Callee(); !ok || name != "sum" || len(n.Args) != 2 || n.Kind != KindCall {
		return nil
	}
	return diag.Surround(n.Args[1].Start, n.Args[1].End, "[", "]")
}

// Member is the value that an object constructor gives a key, or n itself.
func (n *Node) Member(key string) *Node {
	for m := n; m != nil; m = m.result() {
		if m.Kind != KindObject || len(m.Stages) > 0 {
			continue
		}
		for i := 0; i+1 < len(m.Args); i += 2 {
			if m.Args[i].Kind == KindString && m.Args[i].Text == key {
				return m.Args[i+1]
			}
		}
	}
	return n
}

// result is the node that gives the value of n, a block, or nil.
func (n *Node) result() *Node {
	if n.Bare(KindBlock) && len(n.Args) > 0 {
		return n.Args[len(n.Args)-1]
	}
	return nil
}

// Member returns where the expression makes the value at a path of its result, as
// far as constructors tell, and how many steps of the path those are.
func (a *AST) Member(path []string) (at *Node, depth int) {
	at = a.Root
	for _, name := range path {
		next := at.Member(name)
		if next == at {
			break
		}
		at = next
		depth++
	}
	return at, depth
}

// Each calls f for n and everything below it.
func (n *Node) Each(f func(*Node)) {
	f(n)
	for c := range n.Children() {
		c.Each(f)
	}
}

// EachBinding calls f with the name of each variable that n and what is below it bind
// in the scope of n: blocks and functions have scopes of their own.
func (n *Node) EachBinding(f func(name string)) {
	if n.Kind == KindBind {
		f(n.Args[0].Text)
	}
	if n.Kind != KindBlock && n.Kind != KindLambda {
		for _, c := range n.Args {
			c.EachBinding(f)
		}
	}
	for _, c := range n.Stages {
		c.EachBinding(f)
	}
	if n.Group != nil {
		n.Group.EachBinding(f)
	}
}

// Children yields all nodes right below n.
func (n *Node) Children() iter.Seq[*Node] {
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
