package engine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// sourceOfTemplate reads another system's template in the place of an expression.
func sourceOfTemplate(p *Pass, v graph.Value) any {
	if !strings.Contains(v.Text(), "{{") && !strings.HasPrefix(v.Text(), "${") {
		return nil
	}
	source, ok := p.fromTemplate(strings.TrimSpace(v.Text()))
	if !ok {
		return nil
	}
	if source, ok = p.repaired(source); !ok {
		return nil
	}
	return source
}

// exprOfTemplate reads a text with templates as an expression.
func exprOfTemplate(p *Pass, v graph.Value) any {
	source, _ := p.fromTemplate(v.Text())
	return p.compiling("expr", source)
}

// compiling is an expression under a key, nil for one that does not compile.
func (p *Pass) compiling(key, source string) any {
	if _, err := p.compileExpr(source); err != nil {
		return nil
	}
	return oneMember(key, source)
}

var (
	looksLikeExpr = regexp.MustCompile(`^\$(\.|\$\.|[A-Za-z_]\w*\()`)
	moustache     = regexp.MustCompile(`\{\{-?\s*(.*?)\s*-?\}\}`)
	dollarBrace   = regexp.MustCompile(`\$\{\s*([^{}]+?)\s*\}`)
)

// textTemplate reports a literal text that is an expression in disguise: in the args of
// a tool without any {expr}, it is mcpGraph's older form, which is compiled; elsewhere it
// is a mistake, and nil is returned.
func (p *Pass) textTemplate(n *Node, v graph.Value) *Template {
	switch {
	case varOfExpr(p, v) == nil:
		if _, ok := p.fromTemplate(v.Text()); ok {
			p.wrongForm(&templateForm, "", n, v)
		}
	case p.exprArgs || v.Parent().Path() != n.Field("args").Path():
		p.respell(&literalForm, "", n, v)
	default:
		p.respell(&olderArgForm, "", n, v)
		return &Template{kind: exprTemplate, expr: p.Expr(n, v)}
	}
	return nil
}

// findExprArgs notes whether some node of the tool writes {expr: …} in its
// args: then a text that looks like an expression is not the legacy form.
func (p *Pass) findExprArgs() {
	var has func(v graph.Value) bool
	has = func(v graph.Value) bool {
		if v.Expr().Exists() {
			return true
		}
		if slices.ContainsFunc(v.Items(), has) {
			return true
		}
		for _, member := range v.Members() {
			if has(member) {
				return true
			}
		}
		return false
	}
	p.exprArgs = slices.ContainsFunc(p.nodes, func(n *Node) bool { return has(n.Get("args")) })
}

// fromTemplate rewrites a text with {{ }} or ${ } into JSONata; ok is false when
// it holds no template.
func (p *Pass) fromTemplate(text string) (source string, ok bool) {
	if strings.HasPrefix(text, "={{") { // n8n marks its expressions so
		text = text[1:]
	}
	pattern := moustache
	found := pattern.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		pattern = dollarBrace
		for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
			if p.isPath(text[m[2]:m[3]]) {
				found = append(found, m)
			}
		}
	}
	if len(found) == 0 {
		return "", false
	}
	return joined(text, found, p.fromPlaceholder), true
}

// joined writes a text as an expression, with an expression for what is inside of each
// placeholder found in it.
func joined(text string, found [][]int, inside func(string) string) string {
	var parts []string
	at := 0
	for _, m := range found {
		if m[0] > at {
			parts = append(parts, plainjson.Quote(text[at:m[0]]))
		}
		parts = append(parts, inside(text[m[2]:m[3]]))
		at = m[1]
	}
	if at < len(text) {
		parts = append(parts, plainjson.Quote(text[at:]))
	}
	return strings.Join(parts, " & ")
}

// isPath reports whether the inside of ${ } is a path into this graph, and not
// an environment variable or some other text.
func (p *Pass) isPath(s string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(s, "$."), "$"), ".")
	return slices.Contains(callerWords, first) || slices.Contains(holderWords, first) || p.nodeIndex(first) != NoNode
}

var (
	n8nNode  = regexp.MustCompile(`^\$\(?(?:node)?[\[(]?["']([^"']+)["'][\])]\)?(?:\.(?:first\(\)|item|last\(\)))?\.json`)
	pathHead = regexp.MustCompile(`^[A-Za-z_][\w-]*`)
)

// fromPlaceholder turns the text inside {{ }} into JSONata over node ids.
func (p *Pass) fromPlaceholder(s string) string {
	s = strings.TrimSpace(strings.TrimPrefix(s, "="))
	s = n8nNode.ReplaceAllString(s, "$1")
	if rest, ok := strings.CutPrefix(s, "$json."); ok {
		s = p.entryID() + "." + rest
	}
	s = strings.TrimPrefix(s, "$.")
	if strings.HasPrefix(s, "$") {
		return s
	}
	head := pathHead.FindString(s)
	rest := s[len(head):]
	if slices.Contains(holderWords, head) && strings.HasPrefix(rest, ".") {
		inner := pathHead.FindString(rest[1:])
		if p.nodeIndex(inner) != NoNode {
			head, rest = inner, rest[1+len(inner):]
			for _, word := range outputWords {
				if after, ok := strings.CutPrefix(rest, "."+word); ok && (after == "" || after[0] == '.' || after[0] == '[') {
					rest = after
					break
				}
			}
		}
	}
	entry := p.entryID()
	switch {
	case head == "":
		return s
	case p.nodeIndex(head) != NoNode:
	case slices.Contains(callerWords, head) && entry != "":
		head = entry
	case p.isArgument(head) && entry != "":
		head, rest = entry, "."+head+rest
	}
	return "$." + quoteID(head) + rest
}
