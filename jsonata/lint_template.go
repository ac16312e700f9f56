package jsonata

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// text looks for templates in a string that mention a known node.
func (s *linter) text(n *Node) {
	end := s.tokenEnd(n.Start)
	raw := s.ast.Source[n.Start+1 : end-1]
	if !strings.Contains(raw, "${") && !strings.Contains(raw, "{{") {
		return
	}
	joined, mentions, ok := s.template(raw, s.ast.Source[n.Start])
	if !ok || !mentions {
		return
	}
	s.report(lintTemplate, n.Start, end, "a string is not a template: this stays as it is written", `join the parts with "&"`, diag.Replace(n.Start, end, joined)...)
}

// backticks looks for a template in what is a quoted name.
func (s *linter) backticks(path, first *Node) {
	if !strings.Contains(first.Text, "${") || s.known(first.Text) {
		return
	}
	end := s.tokenEnd(first.Start)
	var edits []diag.TextEdit
	if joined, _, ok := s.template(strings.ReplaceAll(first.Text, `"`, `\"`), '"'); ok && len(path.Args) == 1 {
		edits = diag.Replace(first.Start, end, joined)
	}
	s.report(lintTemplate, first.Start, end, "backticks quote a name, they are not a template", `join the parts with "&"`, edits...)
}

// template turns the template raw, as it is written between quotes, into an
// expression. mentions says that a part of it refers to a known node.
func (s *linter) template(raw string, quotes byte) (joined string, mentions, ok bool) {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, string(quotes)+text+string(quotes))
		}
	}
	for raw != "" {
		shut := "}"
		at := strings.Index(raw, "${")
		if double := strings.Index(raw, "{{"); double >= 0 && (at < 0 || double < at) {
			at, shut = double, "}}"
		}
		if at < 0 {
			break
		}
		inner, rest, found := strings.Cut(raw[at+2:], shut)
		ast, err := Parse(strings.TrimSpace(inner))
		if !found || err != nil {
			return "", false, false
		}
		for _, r := range ast.Refs().Nodes {
			mentions = mentions || s.known(r.Node)
		}
		add(raw[:at])
		part := strings.TrimSpace(inner)
		if !movable(ast.Root) {
			part = "(" + part + ")"
		}
		parts = append(parts, part)
		raw = rest
	}
	add(raw)
	if len(parts) == 1 && parts[0][0] != quotes {
		return "$string(" + parts[0] + ")", mentions, true
	}
	joined = strings.Join(parts, " & ")
	if len(parts) > 1 {
		joined = "(" + joined + ")"
	}
	return joined, mentions, true
}
