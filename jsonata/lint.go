package jsonata

import (
	"cmp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/types"
)

// The codes of what is JSONata and probably not meant.
const (
	lintCall        = "not-a-function"
	lintStringPlus  = "string-plus"
	lintLength      = "length-field"
	lintCounted     = "length-of-result"
	lintConstant    = "foreign-constant"
	lintUncalled    = "uncalled-function"
	lintChain       = "comparison-chain"
	lintIn          = "in-string"
	lintKey         = "unquoted-key"
	LintHyphen      = "hyphenated-id"
	lintAssignment  = "assignment"
	lintTemplate    = "template-text"
	lintBareReturn  = "return"
	lintBareName    = "bare-variable"
	lintCurly       = "curly-quotes"
	lintContentText = "content-text"
)

// Lint returns what in a valid expression is probably not meant, in order of
// position. known says which ids are nodes; with nil none is. Every finding that
// has Edits is repaired by them.
func Lint(ast *AST, known func(id string) bool) []*Error {
	if known == nil {
		known = func(string) bool { return false }
	}
	s := linter{ast: ast, known: known, refs: ast.Refs(), nodeAt: map[int]bool{}, freeAt: map[int]bool{}}
	for _, r := range s.refs.Nodes {
		if r.Via == viaPath {
			s.nodeAt[r.Start] = true
		}
	}
	for _, u := range s.refs.Variables {
		s.freeAt[u.Start] = true
	}
	s.hyphens()
	s.value(ast.Root)
	s.walk(ast.Root, nil)
	slices.SortStableFunc(s.found, func(a, b *Error) int { return cmp.Compare(a.Start, b.Start) })
	return s.found
}

type linter struct {
	ast    *AST
	known  func(string) bool
	refs   *Refs
	nodeAt map[int]bool // where a path names a node
	freeAt map[int]bool // where a variable is used that nothing here binds
	params []string     // of the lambdas around
	found  []*Error
}

func (s *linter) report(code string, start, end int, message, hint string, edits ...diag.TextEdit) {
	s.found = append(s.found, &Error{Code: code, Message: message, Hint: hint, Start: start, End: end, Edits: edits})
}

// walk looks at n, whose parent is up, and at all below it.
func (s *linter) walk(n, up *Node) {
	switch n.Kind {
	case KindPath:
		s.path(n, up)
	case KindCall, KindPartial:
		if up == nil || up.Kind != KindPath || up.Args[0] == n { // a later step is its path's business
			s.call(n)
		}
	case KindBinary:
		s.binary(n, up)
		s.value(n.Args[0])
		s.value(n.Args[1])
	case KindArray:
		for _, item := range n.Args { // an array of functions is one to fold over
			if b := LookupBuiltin(item.Text); item.Kind == KindVariable && b != nil && b.bare() {
				s.value(item)
			}
		}
	case KindObject, KindGroup:
		s.pairs(n)
	case KindCondition:
		for _, branch := range n.Args {
			s.value(branch)
		}
	case KindBlock:
		s.statements(n)
	case KindString:
		s.text(n)
	case KindLambda:
		outer := len(s.params)
		for _, p := range n.Args[:len(n.Args)-1] {
			s.params = append(s.params, p.Text)
		}
		defer func() { s.params = s.params[:outer] }()
	}
	for c := range n.Children() {
		s.walk(c, n)
	}
}

// tokenEnd returns the end of the token that starts at offset.
func (s *linter) tokenEnd(offset int) int { return TokenEnd(s.ast.Source, offset) }

// pairs looks for keys without quotes.
func (s *linter) pairs(n *Node) {
	for i := 0; i < len(n.Args); i += 2 {
		key := n.Args[i]
		s.value(n.Args[i+1])
		if !PlainField(key) || !s.nodeAt[key.Start] || s.ast.Source[key.Start] == '`' {
			continue
		}
		if name := key.Args[0].Text; !s.known(name) && !curly(name) { // curly ones are reported as quotes
			s.report(lintKey, key.Start, key.End, "the key "+diag.Quote(name)+" is not in quotes, so it is read from the context",
				"write "+types.QuoteString(diag.Excerpt(name))+":", diag.Replace(key.Start, key.End, types.QuoteString(name))...)
		}
	}
}

// statements looks for comparisons whose result is not used.
func (s *linter) statements(n *Node) {
	for i, e := range n.Args {
		if i < len(n.Args)-1 && e.Kind == KindBinary && e.Text == "=" && e.Args[0].Kind == KindVariable && len(e.Args[0].Stages) == 0 && e.Args[0].Text != "" && e.Args[0].Text != "$" {
			op := s.operator(e)
			s.report(lintAssignment, op.start, op.end, `"=" compares here, and the result is lost`, `bind with ":="`, diag.Replace(op.start, op.end, ":=")...)
		}
	}
}

// operator returns the token of a binary operation.
func (s *linter) operator(n *Node) token {
	l := lexer{src: s.ast.Source, pos: n.Args[0].End}
	return l.next(true)
}

// value looks for mistakes where a value is expected.
func (s *linter) value(n *Node) {
	b := LookupBuiltin(n.Text)
	if !n.Bare(KindVariable) || !s.freeAt[n.Start] || b == nil {
		return
	}
	name := "$" + n.Text
	hint := "call it: " + name + "(…)"
	var edits []diag.TextEdit
	if b.bare() {
		hint = "write " + name + "()"
		edits = diag.Insert(n.End, "()")
	}
	s.report(lintUncalled, n.Start, n.End, diag.Quote(name)+" is the function itself, not its result", hint, edits...)
}

// LintContent returns the places where the MCP content form is unpacked from
// the output of a node whose output is unpacked already: tool says which nodes'
// outputs are plain text.
func LintContent(ast *AST, tool func(id string) bool) (found []*Error) {
	for _, r := range ast.Refs().Nodes {
		if len(r.Path) < 2 || r.Path[0].Name != "content" || r.Path[1].Name != "text" || !tool(r.Node) {
			continue
		}
		start := strings.LastIndexByte(ast.Source[:r.Path[0].Start], '.')
		found = append(found, &Error{
			Code: lintContentText, Message: "the output of " + diag.Quote(r.Node) + " is already the text; it has no content", Hint: "remove " + ast.Source[start:r.Path[1].End],
			Start: start, End: r.Path[1].End, Edits: diag.Replace(start, r.Path[1].End, ""),
		})
	}
	return found
}
