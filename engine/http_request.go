package engine

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
)

var (
	ruleWebMethod = diag.Define("http-method", diag.Error,
		"The method of an http node is none, or the node has a body and does not say its method.")
	ruleWebURL = diag.Define("http-url", diag.Error,
		"The url of an http node is no whole URL of the web: https://, a host, and a path without placeholders or segments that lead up.")
	ruleWebNotAllowed = diag.Define("http-not-allowed", diag.Error,
		"The operator does not allow requests to this address. Nothing may be asked for until patchbay.yaml says so, in http.allow.")
	ruleWebHeader = diag.Define("http-header", diag.Error,
		"A header of an http node is none: a name or value with characters that headers do not have, a name that is there twice, or one that belongs to the connection.")
	ruleWebQuery = diag.Define("http-query", diag.Error,
		"The query of an http node is not a map of names to texts, numbers, booleans or lists of them.")
	ruleWebBody = diag.Define("http-body", diag.Warning,
		"The request has a body and a method that gives a body no meaning: servers ignore or refuse it.")
)

// webMethod compiles the method, and returns it where it is known.
func (p *Pass) webMethod(n *Node, r *requester) string {
	v := n.Field("method")
	r.method = &Template{literal: "GET"}
	switch {
	case !v.Exists() && !n.Field("body").Exists():
		return "GET"
	case !v.Exists():
		d := p.Report(ruleWebMethod, n.Field("body"), n, "the node has a body and no method, which means GET")
		d.Hint = "write method: POST, or PUT or PATCH"
		d.Fixes = []diag.Fix{n.Insert("add method: POST", "method", "POST", "type")}
		return "POST"
	case isExpr(v):
		r.method = p.Template(n, v)
		return ""
	}
	text := v.Text()
	if !v.Is(graph.String) || !slices.Contains(webMethodNames(), text) {
		if v.Is(graph.String) && p.readsNode(text) {
			r.method = p.Computed(n, v, "method")
			return ""
		}
		d := p.Report(ruleWebMethod, v, n, "method is %s", cut(string(raw(v)), 40))
		near := strings.ToUpper(strings.TrimSpace(text))
		if !slices.Contains(webMethodNames(), near) {
			near = p.closest(near, webMethodNames())
		}
		d.Hint = "the methods are " + strings.Join(webMethodNames(), ", ")
		if near == "" {
			return ""
		}
		d.Fixes = []diag.Fix{v.Replace(fmt.Sprintf("change to %q", near), near)}
		text = near
	}
	r.method.literal = text
	return text
}

// webURL compiles the url. A literal one is judged here, whatever its variables
// stand for; one that is computed, when it is asked for.
func (p *Pass) webURL(n *Node, r *requester, variables []string) {
	v := p.Require(n, "url")
	if !v.Exists() {
		return
	}
	said := len(*p.diags)
	r.url = p.Computed(n, v, "url")
	if len(*p.diags) > said || !r.url.constant() {
		return
	}
	if !v.Is(graph.String) {
		p.Report(ruleWebURL, v, n, "url is %s, expected text", shape(v)).Hint = "write a whole URL, or {expr: …}"
		return
	}
	text := v.Text()
	if p.urlPlaceholder(n, v) || p.urlForm(n, v, text) || p.env.Web == nil || slices.Contains(variables, "") {
		return
	}
	fault := p.env.Web.Allows(text, variables)
	if fault == nil {
		return
	}
	rule := ruleWebURL
	if fault.Code == ruleWebNotAllowed.Code {
		rule = ruleWebNotAllowed
	}
	p.Report(rule, v, n, "%s", fault.Message).Hint = fault.Hint
}

// urlForm reports a literal that is no URL, whatever the operator allows.
func (p *Pass) urlForm(n *Node, v graph.Value, text string) bool {
	if strings.Contains(text, "${") {
		return false // its values are the operator's
	}
	u, err := url.Parse(text)
	switch {
	case err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "":
		if u.User == nil {
			return false
		}
		d := p.Report(ruleWebURL, v, n, "the url carries a name or password")
		d.Hint = "write auth: {basic: {username: …, password: …}}, with ${NAME} for what is secret"
		return true
	case err == nil && u.Scheme != "" && strings.Contains(text, "://"):
		p.Report(ruleWebURL, v, n, "the scheme of the url is %q, expected https or http", u.Scheme)
		return true
	}
	d := p.Report(ruleWebURL, v, n, "%q is no whole URL", cut(text, 80))
	d.Hint = "write the scheme and the host too: https://api.example.com/v1/items"
	host, _, _ := strings.Cut(strings.TrimLeft(text, "/:"), "/")
	scheme := "https://"
	if name, _, _ := strings.Cut(host, ":"); name == "localhost" || name == "127.0.0.1" {
		scheme = "http://"
	} else if !strings.Contains(host, ".") {
		return true
	}
	if whole := scheme + strings.TrimLeft(text, "/:"); !strings.ContainsAny(host, " @") {
		if u, err := url.Parse(whole); err == nil && u.Host != "" {
			d.Fixes = []diag.Fix{v.Replace("add "+scheme, whole)}
		}
	}
	return true
}

// urlPlaceholder reports {id} in a URL, as descriptions of APIs write their paths.
func (p *Pass) urlPlaceholder(n *Node, v graph.Value) bool {
	text := v.Text()
	open := strings.Index(text, "{")
	end := strings.Index(text, "}")
	if open < 0 || end < open || open > 0 && text[open-1] == '$' {
		return false
	}
	name := text[open+1 : end]
	d := p.Report(ruleWebURL, v, n, "the url has the placeholder {%s}, which nothing fills", cut(name, 40))
	d.Hint = `write {expr: '"https://…/" & $.<node id>.<field>'}`
	var parts []string
	for text != "" {
		before, rest, found := strings.Cut(text, "{")
		inside, after, closed := strings.Cut(rest, "}")
		if before != "" {
			parts = append(parts, quoted(before))
		}
		if !found {
			break
		}
		if !closed || strings.HasSuffix(before, "$") || !p.isArgument(inside) && p.indexOf(strings.Split(inside, ".")[0]) == NoNode {
			return true
		}
		parts = append(parts, "$encodeUrlComponent("+p.fromPlaceholder(inside)+")")
		text = after
	}
	source := strings.Join(parts, " & ")
	if _, err := compileExpr(source); err == nil {
		d.Hint = "write {expr: " + yamlQuote(cut(source, 200)) + "}"
		d.Fixes = []diag.Fix{v.Replace("compute it: {expr: "+cut(source, 80)+"}", graph.Object{{Key: "expr", Value: source}})}
	}
	return true
}

// webQuery compiles the query.
func (p *Pass) webQuery(n *Node) *Template {
	v := n.Field("query")
	switch {
	case !v.Exists() || v.Is(graph.Null):
		return nil
	case v.Is(graph.Map):
		if !isExpr(v) && !isPlaceholder(v) {
			p.queryValues(n, v)
		}
		return p.Template(n, v)
	case v.Is(graph.String) && p.readsNode(v.Text()):
		return p.Computed(n, v, "query")
	}
	d := p.Report(ruleWebQuery, v, n, "query is %s, expected {<name>: <value>}", shape(v))
	d.Hint = "write query: {page: 2, tag: [a, b]}"
	if pairs, ok := pairsOf(v); ok {
		d.Fixes = []diag.Fix{v.Replace("turn the list into a map", pairs)}
	} else if pairs, ok := queryText(v); ok {
		d.Fixes = []diag.Fix{v.Replace("turn the text into a map", pairs)}
	}
	return nil
}

func (p *Pass) queryValues(n *Node, v graph.Value) {
	for _, key := range v.Keys() {
		for _, m := range append(v.Get(key).Items(), v.Get(key)) {
			list := m.Is(graph.List) && m.Path() != v.Get(key).Path()
			if m.Is(graph.Map) && !isExpr(m) && !isPlaceholder(m) || list {
				p.Report(ruleWebQuery, m, n, "%q of the query is %s, expected text, a number, a boolean or a list of them", key, shape(m)).Hint = "$string(…) makes JSON text of a value"
			}
		}
	}
}

// queryText reads a=1&b=2.
func queryText(v graph.Value) (graph.Object, bool) {
	var pairs graph.Object
	if !v.Is(graph.String) {
		return nil, false
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(v.Text(), "?"), "&") {
		name, value, ok := strings.Cut(part, "=")
		name, bad := url.QueryUnescape(name)
		value, worse := url.QueryUnescape(value)
		if !ok || bad != nil || worse != nil || slices.ContainsFunc(pairs, func(p graph.Pair) bool { return p.Key == name }) {
			return nil, false
		}
		pairs = append(pairs, graph.Pair{Key: name, Value: value})
	}
	return pairs, true
}

// webBody compiles the body.
func (p *Pass) webBody(n *Node, method string) *Template {
	v := n.Field("body")
	if !v.Exists() || v.Is(graph.Null) {
		return nil
	}
	if method == "GET" || method == "HEAD" {
		d := p.Report(ruleWebBody, v, n, "%s requests have no use for a body", method)
		d.Hint = "write method: POST, or put it into query"
	}
	return p.Computed(n, v, "body")
}

// checkRequest reports computed parts of a request that can never be one.
func (t *Types) checkRequest(r *requester) {
	n := t.pass.nodes[t.at]
	for _, part := range []struct {
		name  string
		value *Template
		want  expr.ShapeKind
	}{{"method", r.method, expr.ShapeString}, {"url", r.url, expr.ShapeString}, {"query", r.query, expr.ShapeObject}, {"headers", r.headers, expr.ShapeObject}, {"auth", r.auth, expr.ShapeObject}} {
		if part.value == nil || part.value.kind != exprTemplate {
			continue
		}
		for _, c := range clashes(t.Template(part.value), expr.ShapeOf(part.want), nil) {
			t.fault(func(p *Pass) {
				d := p.Report(ruleWrongArgType, firstExisting(n.Field(part.name).Get("expr"), n.Field(part.name)), n, "%s: %s", part.name, c.message)
				d.Got, d.Want = c.got, c.want
				d.Hint = conversion(c)
			})
		}
	}
}
