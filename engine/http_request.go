package engine

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/types"
)

var (
	ruleHTTPMethod = diag.Define("http-method", diag.Error,
		"The method of an http node is not an HTTP method, or the node has a body and no method.")
	ruleHTTPHeader = diag.Define("http-header", diag.Error,
		"A header of an http node is invalid: its name or value has characters that are not allowed in headers, its name is used twice, or the HTTP client sets it.")
	ruleHTTPQuery = diag.Define("http-query", diag.Error,
		"The query of an http node is not a map of names to strings, numbers, booleans or lists of these.")
	ruleHTTPBody = diag.Define("http-body", diag.Warning,
		"The body of a request is probably a mistake: the method does not use a body, or the body is JSON written as text.")
	ruleHTTPBodyType = diag.Define("http-body-type", diag.Error,
		"The body of a request is an object or a list, and its Content-Type is neither JSON nor a form.")
)

// httpMethod compiles the method, and returns it if it is known.
func (p *Pass) httpMethod(n *Node, r *httpRequest) string {
	v := n.Field("method")
	r.method = &Template{literal: "GET"}
	switch {
	case !v.Exists() && !n.Field("body").Exists():
		return "GET"
	case !v.Exists():
		p.Report(ruleHTTPMethod, n.Field("body"), n, "the node has a body and no method, so the method is GET").
			WithFix("write method: POST, or PUT or PATCH", n.Insert("add method: POST", "method", "POST", "type"))
		return "POST"
	case p.computed(n, v):
		r.method = p.Template(n, v)
		return ""
	}
	text := v.Text()
	if !v.Is(graph.String) || !slices.Contains(httpMethodNames(), text) {
		if v.Is(graph.String) && p.readsNode(text) {
			r.method = p.Computed(n, v, "method")
			return ""
		}
		d := p.Report(ruleHTTPMethod, v, n, "method is %s", diag.Cut(string(raw(v)), 40))
		near := strings.ToUpper(strings.TrimSpace(text))
		if !slices.Contains(httpMethodNames(), near) {
			near = p.closest(near, httpMethodNames())
		}
		d.Hint = "the methods are " + strings.Join(httpMethodNames(), ", ")
		if near == "" {
			return ""
		}
		d.Offer(changeTo(v, near))
		text = near
	}
	r.method.literal = text
	return text
}

// httpQuery compiles the query.
func (p *Pass) httpQuery(n *Node) *Template {
	v := n.Field("query")
	switch {
	case !v.Exists() || v.Is(graph.Null):
		return nil
	case v.Is(graph.Object):
		if !p.computed(n, v) && !isPlaceholder(v) {
			p.queryValues(n, v)
		}
		return p.Template(n, v)
	case v.Is(graph.String) && p.readsNode(v.Text()):
		return p.Computed(n, v, "query")
	}
	p.wrongForm(&queryForm, "", n, v)
	return nil
}

func (p *Pass) queryValues(n *Node, v graph.Value) {
	for key, member := range v.Members() {
		for _, m := range append(member.Items(), member) {
			list := m.Is(graph.Array) && m.Path() != member.Path()
			if m.Is(graph.Object) && !p.computed(n, m) && !isPlaceholder(m) || list {
				p.Report(ruleHTTPQuery, m, n, "%q of the query is %s, expected text, a number, a boolean or a list of them", key, shape(m)).Hint = "$string(…) turns a value into JSON text"
			}
		}
	}
}

// httpBody compiles the body.
func (p *Pass) httpBody(n *Node, method string) *Template {
	v := n.Field("body")
	if !v.Exists() || v.Is(graph.Null) {
		return nil
	}
	if method == "GET" || method == "HEAD" {
		p.Report(ruleHTTPBody, v, n, "%s requests do not use a body", method).Hint = "write method: POST, or put it into query"
	}
	p.checkBody(n, v)
	return p.Computed(n, v, "body")
}

// checkRequest reports computed parts of a request that can never be one.
func (t *Types) checkRequest(r *httpRequest) {
	n := t.pass.nodes[t.at]
	for _, part := range r.parts() {
		name := part.at.Field
		if part.at.takes == "" || part.value == nil || part.value.kind != exprTemplate {
			continue
		}
		want := types.Of(types.String)
		if part.at.takes == "a map" {
			want = types.Of(types.Object)
		}
		t.mayLack(part.at, part.value)
		for _, m := range withCertainty(types.Certain, types.Compare(t.Template(part.value), want)) {
			t.fault(func(p *Pass) {
				d := p.Report(ruleWrongArgType, firstExisting(n.Field(name).Expr().Value, n.Field(name)), n, "%s: %s", name, m.Message())
				d.Got, d.Want = m.Got.String(), m.Want.String()
				d.Hint = conversion(m.Want)
			})
		}
	}
}
