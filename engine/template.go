package engine

import (
	"context"
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
		"A value has expr and other keys. A computed value is {expr: …} without other keys.")
	ruleLiteralExpr = diag.Define("literal-expression", diag.Error,
		"A literal string in a graph sent by an agent looks like an expression, and would be passed as text. Values are computed by {expr: …}.")
	ruleLiteralExprFile = diag.Define("expression-like-text", diag.Warning,
		"A literal string in a file of the operator looks like an expression, and is passed as text. Values are computed by {expr: …}.")
	ruleLegacyArg = diag.Define("legacy-argument", diag.Note,
		"An argument is an expression in mcpGraph's older form, a string that starts with $. The canonical form is {expr: …}.")
	ruleTemplate = diag.Define("template-syntax", diag.Error,
		"A string in a graph sent by an agent contains {{ }} or ${ } of another system's templates. It would be passed unchanged; values are computed by {expr: …}.")
	ruleTemplateFile = diag.Define("template-like-text", diag.Warning,
		"A string in a file of the operator contains {{ }} or ${ } of another system's templates. It is passed unchanged; values are computed by {expr: …}.")
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
	// defaults are filled into what it makes: a required argument is missing that has one.
	defaults *schema.Schema
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

// Template compiles a value that may contain expressions.
func (p *Pass) Template(n *Node, v graph.Value) *Template {
	p.did(0)
	says, unfilled := readPlaceholder(v)
	switch {
	case unfilled:
		return p.placeholder(n, v, says)
	case v.Expr().Exists():
		return p.exprTemplate(n, v)
	case p.meantExpr(n, v):
		return &Template{kind: exprTemplate, expr: p.Expr(n, p.misspeltExpr(n, v))}
	case v.Is(graph.Object):
		t := &Template{kind: mapTemplate}
		computed := false
		for key, member := range v.Members() {
			m := p.Template(n, member)
			computed = computed || !m.constant()
			t.keys, t.members = append(t.keys, key), append(t.members, m)
		}
		if computed {
			return t
		}
	case v.Is(graph.Array):
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

// Computed compiles a field that holds {expr: …} or a literal.
func (p *Pass) Computed(n *Node, v graph.Value, field string) *Template {
	if v.Is(graph.String) && p.readsNode(v.Text()) {
		p.respell(&computedForm, field, n, v)
		if x := p.Expr(n, v); x != nil {
			return &Template{kind: exprTemplate, expr: x}
		}
		return &Template{literal: expr.Null()}
	}
	return p.Template(n, v)
}

func (p *Pass) literal(v graph.Value) *Template {
	value, err := expr.Decode(raw(v))
	if err != nil {
		value = nil
	}
	return &Template{literal: value}
}

func (p *Pass) exprTemplate(n *Node, v graph.Value) *Template {
	if v.Len() > 1 {
		d := p.Report(ruleExprSiblings, v, n, "expr has siblings: %s", others(v, "expr"))
		d.Hint = "{expr: …} is the whole value: compute the other keys inside the expression, or remove expr"
		if onlyKeys(v, "expr", "type", "language", "lang", "kind", "mode", "description", "format") {
			d.Offer(v.Replace("keep only expr", oneMember("expr", raw(v.Expr().Value))))
		}
	}
	return &Template{kind: exprTemplate, expr: p.Expr(n, v.Expr().Value)}
}

// onlyKeys reports whether a map has no keys but those named.
func onlyKeys(v graph.Value, names ...string) bool {
	for key := range v.Members() {
		if !slices.Contains(names, key) {
			return false
		}
	}
	return true
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

// fileRules are the rules for the operator's own files that differ from those for graphs
// of agents, who cannot see what a run passes on.
var fileRules = map[*diag.Rule]*diag.Rule{ruleLiteralExpr: ruleLiteralExprFile, ruleTemplate: ruleTemplateFile}

// yamlQuote writes an expression as a single-quoted YAML scalar.
func yamlQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// Eval builds the value. Undefined parts drop their object key and become null
// in a list.
func (t *Template) Eval(ctx context.Context, s *State) (expr.Value, error) {
	v, err := t.eval(ctx, s, nil)
	if err != nil || t.defaults == nil {
		return v, err
	}
	return withDefaults(v, t.defaults)
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
