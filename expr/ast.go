package expr

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
	KindBad                        // stands where the parser recovered
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
	height     int32
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

// Callee returns the name of the function that a call or partial application
// names with "$", and whether it names one.
func (n *Node) Callee() (string, bool) {
	if n.Kind != KindCall && n.Kind != KindPartial {
		return "", false
	}
	if f := n.Args[0]; f.Kind == KindVariable && len(f.Stages) == 0 && f.Group == nil {
		return f.Text, true
	}
	return "", false
}

// An AST is a parsed expression. It is immutable.
type AST struct {
	Source string
	Root   *Node

	parents bool // "%" occurs
}

// text returns the source of n.
func (a *AST) text(n *Node) string { return a.Source[n.Start:n.End] }

// lineColumn returns the 1-based line and column of a byte offset, columns counted in
// runes, as "line:column".
func lineColumn(src string, offset int) string {
	before := src[:min(offset, len(src))]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return strconv.Itoa(line) + ":" + strconv.Itoa(column)
}

// excerptLength is how many runes of an author's text a message repeats.
const excerptLength = 40

// excerpt returns s, cut to excerptLength runes.
func excerpt(s string) string {
	n := 0
	for i := range s {
		if n++; n > excerptLength {
			return s[:i] + "…"
		}
	}
	return s
}

// quote returns a cut s in double quotes, for a message.
func quote(s string) string { return `"` + excerpt(s) + `"` }

// identifier returns name as a path step, in backticks when it needs them. A
// name that holds a backtick cannot be written so and is a string.
func identifier(name string) string {
	if plainName(name) {
		return name
	}
	if strings.ContainsRune(name, '`') {
		return jsonataString(name)
	}
	return "`" + name + "`"
}

// plainName reports whether name is one name token without backticks. It is
// stricter than the grammar: letters, digits and "_" only.
func plainName(name string) bool {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	switch name {
	case "", "and", "or", "in", "true", "false", "null", "function", "λ":
		return false
	}
	return true
}

// jsonataString returns s as a string literal of JSONata.
func jsonataString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
