package jsonata

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/types"
)

// constants are names that other languages give to values, and JSONata's.
var constants = map[string]string{"None": "null", "nil": "null", "NULL": "null", "True": "true", "TRUE": "true", "False": "false", "FALSE": "false", "undefined": "", "NaN": ""}

// path looks at a path.
func (s *linter) path(n, up *Node) {
	if s.calls(n) {
		return
	}
	first, last, src := n.Args[0], n.Last(), s.ast.Source
	if first.Kind == KindName && src[first.Start] != '`' && src[first.Start] != '"' && src[first.Start] != '\'' {
		s.name(n, first, up)
	}
	if first.Kind == KindName && src[first.Start] == '`' {
		s.backticks(n, first)
	}
	if len(n.Args) < 2 {
		return
	}
	before := n.Args[len(n.Args)-2]
	switch {
	case last.Kind == KindName && last.Text == "length" && len(last.Stages) == 0 && src[last.Start] != '`':
		if fn := s.counter(before); fn != "" && len(n.Args) == 2 {
			s.report(lintCounted, last.Start, last.End, `"length" is read as a field`, "write "+fn+"(…)", append(diag.Insert(n.Start, fn+"("), diag.Replace(before.End, last.End, ")")...)...)
			break
		}
		s.report(lintLength, last.Start, last.End, `"length" is read as a field`, "write $count(…) for the number of items, $length(…) for the number of characters")
	case last.Kind == KindVariable && len(last.Stages) == 0 && s.freeAt[last.Start] && LookupBuiltin(last.Text) != nil:
		b := LookupBuiltin(last.Text)
		e := diag.Insert(last.End, "()")
		hint := "call it: ." + src[last.Start:last.End] + "()"
		if p := b.Params(); len(p) > 0 && p[0].Array {
			hint = "write " + src[last.Start:last.End] + "(…) around the path"
			e = append(diag.Insert(n.Start, "$"+last.Text+"("), diag.Replace(before.End, last.End, ")")...)
		} else if len(p) == 0 || !p[len(p)-1].Context {
			e = nil
		}
		s.report(lintUncalled, last.Start, last.End, diag.Quote("$"+last.Text)+" is the function itself, not its result", hint, e...)
	}
}

// counter returns the function that counts what a call of a built-in gives, ""
// where that has fields of its own or is unknown.
func (s *linter) counter(n *Node) string {
	name, ok := n.Callee()
	if !ok || len(n.Stages) > 0 {
		return ""
	}
	switch b := LookupBuiltin(name); {
	case b == nil:
	case b.list():
		return "$count"
	case b.Result == ResultString:
		return "$length"
	}
	return ""
}

// name looks at the bare name that path n starts with.
func (s *linter) name(n, first, up *Node) {
	name := first.Text
	if s.known(name) {
		return
	}
	end := s.tokenEnd(first.Start)
	switch constant, is := constants[name]; {
	case is && len(n.Args) == 1 && n.Group == nil && len(first.Stages) == 0:
		s.constant(n, up, constant)
	case curly(name):
		var edits []diag.TextEdit
		if inner := strings.Trim(name, "“”„‘’"); len(n.Args) == 1 && !curly(inner) {
			edits = diag.Replace(first.Start, end, types.QuoteString(inner))
		}
		s.report(lintCurly, first.Start, end, "typographic quotes do not quote: "+diag.Quote(name)+" is read as a field", `use straight quotes: "…" or '…'`, edits...)
	case name == "return" && len(n.Args) == 1 && (n.Group != nil || len(first.Stages) > 0):
		next := lexer{src: s.ast.Source, pos: end}
		next.skip()
		s.report(lintBareReturn, first.Start, end, foreignReturn.message, foreignReturn.hint, diag.Replace(first.Start, next.pos, "")...)
	case slices.Contains(s.params, name):
		s.report(lintBareName, first.Start, end, diag.Quote(name)+" is read as a field of the context, not as the parameter", "write $"+diag.Excerpt(name), diag.Insert(first.Start, "$")...)
	}
}

// constant looks at undefined, None, True and the like.
func (s *linter) constant(n, up *Node, constant string) {
	name := n.Args[0].Text
	if constant != "" {
		s.report(lintConstant, n.Start, n.End, diag.Quote(name)+" is read as a field", "write "+constant, diag.Replace(n.Start, n.End, constant)...)
		return
	}
	hint := "a missing value is undefined: test with $exists(…)"
	if name == "NaN" {
		hint = `test with $type(…) = "number"`
	}
	var edits []diag.TextEdit
	if up != nil && up.Kind == KindBinary && (up.Text == "=" || up.Text == "!=") && name == "undefined" {
		other := up.Args[0]
		if other == n {
			other = up.Args[1]
		}
		fn, end := "$exists(", ")"
		if up.Text == "=" {
			fn, end = "$not($exists(", "))"
		}
		if len(up.Stages) == 0 && movable(other) {
			edits = diag.Replace(up.Start, up.End, fn+s.ast.Text(other)+end)
		}
	}
	s.report(lintConstant, n.Start, n.End, diag.Quote(name)+" is read as a field", hint, edits...)
}

// binary looks at an operation.
func (s *linter) binary(n, up *Node) {
	switch n.Text {
	case "+":
		if up == nil || up.Kind != KindBinary || up.Text != "+" || up.Args[0] != n {
			s.plus(n)
		}
	case "<", "<=", ">", ">=":
		l := n.Args[0]
		if l.Kind != KindBinary || strings.IndexByte("<>", l.Text[0]) < 0 {
			return
		}
		middle := l.Args[1]
		var edits []diag.TextEdit
		if up == nil || up.Kind != KindBinary || up.Text == "and" || up.Text == "or" {
			edits = diag.Insert(middle.End, " and "+s.ast.Text(middle))
		}
		s.report(lintChain, n.Start, n.End, "comparisons do not chain: this compares a boolean with "+diag.Quote(s.ast.Text(n.Args[1])), "write a < b and b < c", edits...)
	case "in":
		l, r := n.Args[0], n.Args[1]
		if r.Kind == KindString && len(r.Stages) == 0 {
			s.report(lintIn, n.Start, n.End, `"in" looks for an item of an array, not for a part of a string`, "write $contains(text, part)",
				diag.Replace(n.Start, n.End, "$contains("+s.ast.Text(r)+", "+s.ast.Text(l)+")")...)
		}
	}
}

// plus looks at a chain of additions that holds text.
func (s *linter) plus(n *Node) {
	text := false
	var edits []diag.TextEdit
	for ; n.Kind == KindBinary && n.Text == "+"; n = n.Args[0] {
		op := s.operator(n)
		edits = append(edits, diag.Replace(op.start, op.end, "&")...)
		text = text || isText(n.Args[1]) || isText(n.Args[0])
	}
	if text {
		slices.Reverse(edits)
		s.report(lintStringPlus, edits[0].Start, edits[0].End, `"+" adds numbers, and one side is text`, `join text with "&"`, edits...)
	}
}

// isText reports whether n is text as written.
func isText(n *Node) bool {
	if name, ok := n.Callee(); ok && len(n.Stages) == 0 && n.Group == nil {
		b := LookupBuiltin(name)
		return b != nil && b.Result == ResultString
	}
	return n.Kind == KindString && len(n.Stages) == 0 || n.Kind == KindBinary && n.Text == "&"
}

// hyphens looks for known ids that were taken apart at their "-".
func (s *linter) hyphens() {
	src := s.ast.Source
	if !strings.Contains(src, "-") || len(s.nodeAt) == 0 {
		return
	}
	l := lexer{src: src}
	for t := l.next(false); t.kind != lexEnd; {
		infix := startsValue(t) || t.kind == lexCloseParen || t.kind == lexCloseSquare || t.kind == lexCloseCurly
		next := l.next(infix)
		if t.kind != lexName || !s.nodeAt[t.start] || src[t.start] == '`' {
			t = next
			continue
		}
		best, end := 0, t.end
		for next.kind == lexMinus && next.start == end {
			part := l.next(false)
			if part.kind != lexName && part.kind != lexNumber && !startsValue(part) || part.start != next.end || part.kind == lexString || part.kind == lexVariable {
				next = part
				break
			}
			end = part.end
			if s.known(src[t.start:end]) {
				best = end
			}
			next = l.next(true)
		}
		if best > 0 {
			id := src[t.start:best]
			s.report(LintHyphen, t.start, best, diag.Quote(id)+" is read as a subtraction", "an id with \"-\" needs backticks: `"+diag.Excerpt(id)+"`", diag.Replace(t.start, best, "`"+id+"`")...)
		}
		t = next
	}
}
