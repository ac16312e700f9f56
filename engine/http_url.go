package engine

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

var (
	ruleWebURL = diag.Define("http-url", diag.Error,
		"The url of an http node is no whole URL of the web: https://, a host, and a path without placeholders or segments that lead up.")
	ruleWebNotAllowed = diag.Define("http-not-allowed", diag.Error,
		"The operator does not allow requests to this address. Nothing may be asked for until patchbay.yaml says so, in http.allow.")
)

// webURL compiles the url. A literal one is judged here, whatever its variables
// stand for; one that is computed, when it is asked for.
func (p *Pass) webURL(n *Node, r *requester, variables []string) {
	v := p.Require(n, "url")
	if !v.Exists() {
		return
	}
	said := len(*p.diags)
	r.url = p.Computed(n, v, "url")
	if len(*p.diags) > said {
		return
	}
	if !r.url.constant() {
		p.urlBeginning(n, v.Get("expr"))
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
	p.urlFault(n, v, v.Range(), p.env.Web.Allows(text, variables))
}

func (p *Pass) urlFault(n *Node, v graph.Value, at diag.Range, fault *diag.Fault) {
	if fault == nil {
		return
	}
	rule := ruleWebURL
	if fault.Code == ruleWebNotAllowed.Code {
		rule = ruleWebNotAllowed
	}
	p.reportAt(rule, v, at, n, "%s", fault.Message).Hint = fault.Hint
}

// textFirst is an expression that joins something to a text.
var textFirst = regexp.MustCompile(`^\s*("[^"\\]*"|'[^'\\]*')\s*&`)

// urlBeginning judges what is plain of a computed url: the text it begins with.
func (p *Pass) urlBeginning(n *Node, x graph.Value) {
	m := textFirst.FindStringSubmatchIndex(x.Text())
	if m == nil || p.env.Web == nil {
		return
	}
	p.urlFault(n, x, x.Within(m[2], m[3]), p.env.Web.Begins(x.Text()[m[2]+1:m[3]-1]))
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
	d := p.Report(ruleWebURL, v, n, "%q is no whole URL", schema.Cut(text, 80))
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
	d := p.Report(ruleWebURL, v, n, "the url has the placeholder {%s}, which nothing fills", schema.Cut(name, 40))
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
		d.Hint = "write {expr: " + yamlQuote(schema.Cut(source, 200)) + "}"
		d.Fixes = []diag.Fix{v.Replace("compute it: {expr: "+schema.Cut(source, 80)+"}", graph.Object{{Key: "expr", Value: source}})}
	}
	return true
}
