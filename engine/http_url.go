package engine

import (
	"regexp"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var (
	ruleHTTPURL = diag.Define("http-url", diag.Error,
		"The url of an http node is not a complete http or https URL: a scheme, a host, and a path without placeholders or \"..\" segments.")
	ruleHTTPNotAllowed = diag.Define("http-not-allowed", diag.Error,
		"The operator does not allow requests to this address. Only the addresses in egress.allow of patchbay.yaml are allowed.")
)

// httpURL compiles the url. A literal one is judged here, whatever its variables
// stand for; one that is computed, when it is asked for.
func (p *Pass) httpURL(n *Node, r *httpRequest, variables []string) {
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
		p.urlBeginning(n, v.Expr().Value)
		return
	}
	if !v.Is(graph.String) {
		p.Report(ruleHTTPURL, v, n, "url is %s, expected text", shape(v)).Hint = "write a whole URL, or {expr: …}"
		return
	}
	text := v.Text()
	if p.urlPlaceholder(n, v) || p.checkURL(n, v, text) || p.env.HTTP == nil || slices.Contains(variables, "") {
		return
	}
	p.urlFault(n, v, v.Range(), p.env.HTTP.Allows(text, variables))
}

func (p *Pass) urlFault(n *Node, v graph.Value, at diag.Range, fault *diag.Fault) {
	if fault == nil {
		return
	}
	rule := ruleHTTPURL
	if fault.Code == ruleHTTPNotAllowed.Code {
		rule = ruleHTTPNotAllowed
	}
	p.reportAt(rule, v, at, n, "%s", fault.Message).Hint = fault.Hint
}

// textFirst is an expression that joins something to a text.
var textFirst = regexp.MustCompile(`^\s*("[^"\\]*"|'[^'\\]*')\s*&`)

// urlBeginning judges what is plain of a computed url: the text it begins with.
func (p *Pass) urlBeginning(n *Node, x graph.Value) {
	m := textFirst.FindStringSubmatchIndex(x.Text())
	if m == nil || p.env.HTTP == nil {
		return
	}
	p.urlFault(n, x, x.Within(m[2], m[3]), p.env.HTTP.Begins(x.Text()[m[2]+1:m[3]-1]))
}
