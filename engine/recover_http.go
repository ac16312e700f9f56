package engine

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// wrappedRequest recovers from a request inside a key of the node with
// settings that are not fields of the node: they are moved too, and checked at
// their new place.
func wrappedRequest(p *Pass, n *Node, key string) bool {
	v := n.Get(key)
	if key != "request" && key != n.Kind.Spec.NodeType && !slices.Contains(wrappers, key) || !v.Is(graph.Map) || n.Field("url").Exists() {
		return false
	}
	taken := map[string]bool{}
	fixes := []diag.Fix{v.Remove("")}
	moved := map[string]graph.Value{}
	for _, name := range v.Keys() {
		to := name
		if i := slices.IndexFunc(n.Kind.Fields, func(f Field) bool { return f.Name == name || slices.Contains(f.Aliases, name) }); i >= 0 {
			to = n.Kind.Fields[i].Name
			moved[to] = v.Get(name)
		}
		if taken[to] || n.Get(to).Exists() {
			return false
		}
		taken[to] = true
		fixes = append(fixes, n.Insert("", to, raw(v.Get(name)), ""))
	}
	if !moved["url"].Exists() {
		return false
	}
	d := p.Report(ruleWrapped, n.Key(key), n, "the request is inside %q", key)
	d.Hint = "write its parts on the node itself: " + strings.Join(v.Keys(), ", ")
	d.Fixes = []diag.Fix{graph.Join(fmt.Sprintf("move them out of %q", key), fixes...)}
	for name, value := range moved {
		n.set(name, value)
	}
	return true
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

// bodyForm reports a literal body of a form that its content type is not.
func (p *Pass) bodyForm(n *Node, v graph.Value) {
	kind := graph.Value{}
	headers := n.Field("headers")
	for _, name := range headers.Keys() {
		if strings.EqualFold(name, "Content-Type") {
			kind = headers.Get(name)
		}
	}
	text := strings.TrimSpace(v.Text())
	switch {
	case v.Is(graph.String) && !kind.Exists() && !headers.Expr().Exists() && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text)):
		d := p.Report(ruleHTTPBody, v, n, "the body is JSON written as text, and would be sent as text")
		d.Hint = "write it as a map or a list: it is sent as JSON"
		d.Fixes = []diag.Fix{v.Replace("turn the text into a value", json.RawMessage(text))}
	case kind.Is(graph.String) && (v.Is(graph.List) || v.Is(graph.Map) && !p.computed(n, v) && !isPlaceholder(v)):
		name, _, _ := strings.Cut(strings.ToLower(kind.Text()), ";")
		name = strings.TrimSpace(name)
		if strings.HasSuffix(name, "json") || name == "application/x-www-form-urlencoded" && v.Is(graph.Map) {
			return
		}
		d := p.Report(ruleHTTPBodyType, kind, n, "%s cannot be sent as %s", shape(v), diag.Cut(kind.Text(), 60))
		d.Hint = "leave Content-Type out to send JSON, or write the body as text"
		d.Fixes = []diag.Fix{kind.Remove("remove the header")}
	}
}

// urlForm reports a literal that is not a URL, whatever the operator allows.
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
		d := p.Report(ruleHTTPURL, v, n, "the url contains a user name or password")
		d.Hint = "write auth: {basic: {username: …, password: …}}, with ${NAME} for what is secret"
		return true
	case err == nil && u.Scheme != "" && strings.Contains(text, "://"):
		p.Report(ruleHTTPURL, v, n, "the scheme of the url is %q, expected https or http", u.Scheme)
		return true
	}
	d := p.Report(ruleHTTPURL, v, n, "%q is not a complete URL", diag.Cut(text, 80))
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
	d := p.Report(ruleHTTPURL, v, n, "the url has the placeholder {%s}, which is not replaced", diag.Cut(name, 40))
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
	if _, err := p.compileExpr(source); err == nil {
		d.Hint = "write {expr: " + yamlQuote(diag.Cut(source, 200)) + "}"
		d.Fixes = []diag.Fix{v.Replace("compute it: {expr: "+diag.Cut(source, 80)+"}", graph.Object{{Key: "expr", Value: source}})}
	}
	return true
}
