package engine

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// templateInExpr reports an expression that is another system's template.
func (p *Pass) templateInExpr(n *Node, v graph.Value) bool {
	if !strings.Contains(v.Text(), "{{") && !strings.HasPrefix(v.Text(), "${") {
		return false
	}
	source, ok := p.fromTemplate(strings.TrimSpace(v.Text()))
	if !ok {
		return false
	}
	if source, ok = p.repaired(source); !ok {
		return false
	}
	d := p.Report(ruleExprSyntax, v, n, "an expression is plain JSONata: there are no {{ }} or ${ } templates")
	d.Hint = "write " + source
	d.Fixes = []diag.Fix{v.Replace("write "+oneLine(source), source)}
	return true
}

var (
	looksLikeExpr = regexp.MustCompile(`^\$(\.|\$\.|[A-Za-z_]\w*\()`)
	moustache     = regexp.MustCompile(`\{\{-?\s*(.*?)\s*-?\}\}`)
	dollarBrace   = regexp.MustCompile(`\$\{\s*([^{}]+?)\s*\}`)
)

// textTemplate looks at a literal text for an expression in disguise. Nil means
// that the text is what it seems.
func (p *Pass) textTemplate(n *Node, v graph.Value) *Template {
	text := v.Text()
	if looksLikeExpr.MatchString(text) {
		if _, err := p.compileExpr(text); err == nil {
			return p.disguised(n, v, text)
		}
	}
	if !strings.Contains(text, "{{") && !strings.Contains(text, "${") {
		return nil
	}
	source, ok := p.fromTemplate(text)
	if !ok {
		return nil
	}
	d := p.Report(p.bySender(ruleTemplate, ruleTemplateFile), v, n, "%s is passed unchanged: there are no {{ }} or ${ } templates", strconv.Quote(diag.Cut(text, 60)))
	d.Hint = "write {expr: " + yamlQuote(source) + "}"
	if _, err := p.compileExpr(source); err == nil {
		d.Fixes = []diag.Fix{v.Replace("compute it: {expr: "+diag.Cut(source, 80)+"}", graph.Object{{Key: "expr", Value: source}})}
	}
	return nil
}

// usesExprArgs reports whether some node of the tool writes {expr: …} in its
// args: then a text that looks like an expression is not the legacy form.
func (p *Pass) usesExprArgs() bool {
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
	for _, n := range p.nodes {
		if args := n.Get("args"); args.Exists() && has(args) {
			return true
		}
	}
	return false
}

// disguised handles a text that is an expression by its looks: in a tool without
// any {expr}, mcpGraph's older form; elsewhere a mistake.
func (p *Pass) disguised(n *Node, v graph.Value, text string) *Template {
	fix := v.Replace("compute it: {expr: "+diag.Cut(text, 80)+"}", graph.Object{{Key: "expr", Value: text}})
	topLevel := v.Parent().Path() == n.Field("args").Path()
	if topLevel && !p.exprArgs {
		d := p.Report(ruleLegacyArg, v, n, "%s is an expression in the older form", strconv.Quote(diag.Cut(text, 60)))
		d.Fixes = []diag.Fix{fix}
		return &Template{kind: exprTemplate, expr: p.Expr(n, v)}
	}
	d := p.Report(p.bySender(ruleLiteralExpr, ruleLiteralExprFile), v, n, "%s is passed as text, not evaluated", strconv.Quote(diag.Cut(text, 60)))
	d.Hint = "write {expr: " + yamlQuote(text) + "}"
	d.Fixes = []diag.Fix{fix}
	return nil
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
	var parts []string
	at := 0
	for _, m := range found {
		if m[0] > at {
			parts = append(parts, quoted(text[at:m[0]]))
		}
		parts = append(parts, p.fromPlaceholder(text[m[2]:m[3]]))
		at = m[1]
	}
	if at < len(text) {
		parts = append(parts, quoted(text[at:]))
	}
	return strings.Join(parts, " & "), true
}

// isPath reports whether the inside of ${ } is a path into this graph, and not
// an environment variable or some other text.
func (p *Pass) isPath(s string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(s, "$."), "$"), ".")
	return slices.Contains(callerWords, first) || slices.Contains(holderWords, first) || p.indexOf(first) != NoNode
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
		if p.indexOf(inner) != NoNode {
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
	case p.indexOf(head) != NoNode:
	case slices.Contains(callerWords, head) && entry != "":
		head = entry
	case p.isArgument(head) && entry != "":
		head, rest = entry, "."+head+rest
	}
	return "$." + quoteID(head) + rest
}
