package engine

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// checkBody reports a literal body of a form that its content type is not.
func (p *Pass) checkBody(n *Node, v graph.Value) {
	kind := graph.Value{}
	headers := n.Field("headers")
	for name, m := range headers.Members() {
		if strings.EqualFold(name, "Content-Type") {
			kind = m
		}
	}
	switch {
	case v.Is(graph.String) && !kind.Exists() && !headers.Expr().Exists():
		p.respell(&bodyForm, "", n, v)
	case kind.Is(graph.String) && (v.Is(graph.Array) || v.Is(graph.Object) && !p.computed(n, v) && !isPlaceholder(v)):
		name, _, _ := strings.Cut(strings.ToLower(kind.Text()), ";")
		name = strings.TrimSpace(name)
		if strings.HasSuffix(name, "json") || name == "application/x-www-form-urlencoded" && v.Is(graph.Object) {
			return
		}
		p.Report(ruleHTTPBodyType, kind, n, "%s cannot be sent as %s", shape(v), diag.Cut(kind.Text(), 60)).
			WithFix("leave Content-Type out to send JSON, or write the body as text", kind.Remove("remove the header"))
	}
}

// checkURL reports a literal that is not a URL, whatever the operator allows.
func (p *Pass) checkURL(n *Node, v graph.Value, text string) bool {
	if strings.Contains(text, "${") {
		return false // its values are the operator's
	}
	u, err := url.Parse(text)
	switch {
	case err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "":
		if u.User == nil {
			return false
		}
		p.Report(ruleHTTPURL, v, n, "the url contains a user name or password").Hint = "write auth: {basic: {username: …, password: …}}, with ${NAME} for what is secret"
		return true
	case err == nil && u.Scheme != "" && strings.Contains(text, "://"):
		p.Report(ruleHTTPURL, v, n, "the scheme of the url is %q, expected https or http", u.Scheme)
		return true
	}
	p.wrongForm(&urlForm, "", n, v)
	return true
}

// withScheme completes a URL that begins with its host.
func withScheme(_ *Pass, v graph.Value) any {
	rest := strings.TrimLeft(v.Text(), "/:")
	host, _, _ := strings.Cut(rest, "/")
	scheme := "https://"
	if name, _, _ := strings.Cut(host, ":"); name == "localhost" || name == "127.0.0.1" {
		scheme = "http://"
	} else if !strings.Contains(host, ".") {
		return nil
	}
	if u, err := url.Parse(scheme + rest); strings.ContainsAny(host, " @") || err != nil || u.Host == "" {
		return nil
	}
	return scheme + rest
}

// urlPlaceholder reports {id} in a URL, as descriptions of APIs write their paths.
func (p *Pass) urlPlaceholder(n *Node, v graph.Value) bool {
	open, end := strings.Index(v.Text(), "{"), strings.Index(v.Text(), "}")
	if open < 0 || end < open || open > 0 && v.Text()[open-1] == '$' {
		return false
	}
	p.wrongForm(&urlPathForm, diag.Cut(v.Text()[open+1:end], 40), n, v)
	return true
}

// braces finds the placeholders of a URL.
var braces = regexp.MustCompile(`\{([^}]*)\}`)

// exprOfURL is an expression that fills in the placeholders of a URL.
func exprOfURL(p *Pass, v graph.Value) any {
	text := v.Text()
	found := braces.FindAllStringSubmatchIndex(text, -1)
	if strings.Count(text, "{") != len(found) {
		return nil
	}
	for _, m := range found {
		inside := text[m[2]:m[3]]
		if m[0] > 0 && text[m[0]-1] == '$' || !p.isArgument(inside) && p.nodeIndex(strings.Split(inside, ".")[0]) == NoNode {
			return nil
		}
	}
	return p.compiling("expr", joined(text, found, func(inside string) string { return "$encodeUrlComponent(" + p.fromPlaceholder(inside) + ")" }))
}
