package engine

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

var (
	ruleExprSiblings = diag.Define("expr-with-siblings", diag.Error,
		"A value has expr beside other keys. {expr: …} stands alone where a value is computed.")
	ruleLiteralExpr = diag.Define("literal-expression", diag.Error,
		"A literal text in a graph sent by an agent looks like an expression, and would be passed as it stands. Values are computed by {expr: …}.")
	ruleLiteralExprFile = diag.Define("expression-like-text", diag.Warning,
		"A literal text in a file of the operator looks like an expression, and is passed as it stands. Values are computed by {expr: …}.")
	ruleLegacyArg = diag.Define("legacy-argument", diag.Note,
		"An argument is an expression in mcpGraph's older form, text that starts with $. The canonical form is {expr: …}.")
	ruleTemplate = diag.Define("template-syntax", diag.Error,
		"A text in a graph sent by an agent holds {{ }} or ${ } of another system's templates. It would be passed as it stands; values are computed by {expr: …}.")
	ruleTemplateFile = diag.Define("template-like-text", diag.Warning,
		"A text in a file of the operator holds {{ }} or ${ } of another system's templates. It is passed as it stands; values are computed by {expr: …}.")
)

// A Template is a value of the document in which {expr: …} are evaluated and
// everything else is literal.
type Template struct {
	literal expr.Value
	expr    *Expr
	list    []*Template
	keys    []string
	members []*Template
	kind    templateKind
}

type templateKind int

const (
	literalTemplate templateKind = iota
	exprTemplate
	listTemplate
	mapTemplate
	placeholderTemplate
)

// constant reports whether nothing in the template is evaluated.
func (t *Template) constant() bool { return t.kind == literalTemplate }

// Template compiles a value in which expressions may stand.
func (p *Pass) Template(n *Node, v graph.Value) *Template {
	switch {
	case isPlaceholder(v):
		return p.placeholder(n, v)
	case isExpr(v):
		return p.exprTemplate(n, v)
	case p.meantExpr(n, v):
		return &Template{kind: exprTemplate, expr: p.Expr(n, p.misspeltExpr(n, v))}
	case v.Is(graph.Map):
		t := &Template{kind: mapTemplate}
		computed := false
		for _, key := range v.Keys() {
			m := p.Template(n, v.Get(key))
			computed = computed || !m.constant()
			t.keys, t.members = append(t.keys, key), append(t.members, m)
		}
		if computed {
			return t
		}
	case v.Is(graph.List):
		t := &Template{kind: listTemplate}
		computed := false
		for _, item := range v.Items() {
			m := p.Template(n, item)
			computed = computed || !m.constant()
			t.list = append(t.list, m)
		}
		if computed {
			return t
		}
	case v.Is(graph.String):
		if t := p.textTemplate(n, v); t != nil {
			return t
		}
		p.suspect(n, v)
	}
	return p.literal(v)
}

func (p *Pass) literal(v graph.Value) *Template {
	value, err := expr.Decode(raw(v))
	if err != nil {
		value = nil
	}
	return &Template{literal: value}
}

// isExpr reports whether a value is written {expr: …}, alone or not.
func isExpr(v graph.Value) bool { return v.Is(graph.Map) && v.Get("expr").Exists() }

func (p *Pass) exprTemplate(n *Node, v graph.Value) *Template {
	if v.Len() > 1 {
		d := p.Report(ruleExprSiblings, v, n, "expr stands beside %s", others(v, "expr"))
		d.Hint = "{expr: …} is the whole value; compute the other keys inside the expression, or write them without expr"
		if onlyKeys(v, "expr", "type", "language", "lang", "kind", "mode", "description", "format") {
			d.Fixes = []diag.Fix{v.Replace("leave expr alone", graph.Object{{Key: "expr", Value: raw(v.Get("expr"))}})}
		}
	}
	return &Template{kind: exprTemplate, expr: p.Expr(n, v.Get("expr"))}
}

// onlyKeys reports whether a map has no keys but those named.
func onlyKeys(v graph.Value, names ...string) bool {
	return !slices.ContainsFunc(v.Keys(), func(k string) bool { return !slices.Contains(names, k) })
}

func others(v graph.Value, except string) string {
	var names []string
	for _, k := range v.Keys() {
		if k != except {
			names = append(names, strconv.Quote(k))
		}
	}
	return strings.Join(names, ", ")
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
		if _, err := compileExpr(text); err == nil {
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
	d := p.Report(p.bySender(ruleTemplate, ruleTemplateFile), v, n, "%s is passed as it stands: there are no {{ }} or ${ } templates", strconv.Quote(schema.Cut(text, 60)))
	d.Hint = "write {expr: " + yamlQuote(source) + "}"
	if _, err := compileExpr(source); err == nil {
		d.Fixes = []diag.Fix{v.Replace("compute it: {expr: "+schema.Cut(source, 80)+"}", graph.Object{{Key: "expr", Value: source}})}
	}
	return nil
}

// bySender chooses between the rule for graphs that agents send, who cannot see what
// a run passes on, and the rule for the operator's own files.
func (p *Pass) bySender(agent, operator *diag.Rule) *diag.Rule {
	if p.env.Untrusted {
		return agent
	}
	return operator
}

// disguised handles a text that is an expression by its looks: in a tool without
// any {expr}, mcpGraph's older form; elsewhere a mistake.
func (p *Pass) disguised(n *Node, v graph.Value, text string) *Template {
	fix := v.Replace("compute it: {expr: "+schema.Cut(text, 80)+"}", graph.Object{{Key: "expr", Value: text}})
	topLevel := v.Parent().Path() == n.Field("args").Path()
	if topLevel && !p.exprArgs {
		d := p.Report(ruleLegacyArg, v, n, "%s is an expression in the older form", strconv.Quote(schema.Cut(text, 60)))
		d.Fixes = []diag.Fix{fix}
		return &Template{kind: exprTemplate, expr: p.Expr(n, v)}
	}
	d := p.Report(p.bySender(ruleLiteralExpr, ruleLiteralExprFile), v, n, "%s is passed as text, not evaluated", strconv.Quote(schema.Cut(text, 60)))
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

// fromPlaceholder turns what stands inside {{ }} into JSONata over node ids.
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

// yamlQuote writes an expression as a single-quoted YAML scalar.
func yamlQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// Eval builds the value. Undefined parts drop their object key and become null
// in a list.
func (t *Template) Eval(ctx context.Context, s *State) (expr.Value, error) {
	return t.eval(ctx, s, nil)
}

// eval is Eval with a change made to what is computed, not to what is literal.
func (t *Template) eval(ctx context.Context, s *State, change func(expr.Value) expr.Value) (expr.Value, error) {
	switch t.kind {
	case placeholderTemplate:
		return nil, diag.Faultf(rulePlaceholder.Code, "a placeholder is still to be filled in")
	case exprTemplate:
		v, err := t.expr.Eval(ctx, s)
		if change != nil && err == nil {
			v = change(v)
		}
		return v, err
	case listTemplate:
		out := make([]any, len(t.list))
		for i, m := range t.list {
			v, err := m.eval(ctx, s, change)
			if err != nil {
				return nil, err
			}
			if v == nil {
				v = expr.Null()
			}
			out[i] = v
		}
		return out, nil
	case mapTemplate:
		out := expr.NewObject()
		for i, m := range t.members {
			v, err := m.eval(ctx, s, change)
			if err != nil {
				return nil, err
			}
			if v != nil {
				out.Set(t.keys[i], v)
			}
		}
		return out, nil
	}
	return t.literal, nil
}
