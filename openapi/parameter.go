package openapi

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A parameter is one of an operation's, or a field of its form.
type parameter struct {
	argument  string // its name among the arguments
	name      string
	in        string // path, query, header or cookie
	style     string
	explode   bool
	delimiter string // between the items of an array, where the style does not say it
	required  bool
	reserved  bool // its reserved characters are sent as they are
	asJSON    bool
	schema    *node
	node      *node
}

// defaultStyles are the styles of parameters by their place.
var defaultStyles = map[string]string{"path": "simple", "query": "form", "header": "simple", "cookie": "form"}

// styles are those that each place allows.
var styles = map[string][]string{
	"path":   {"simple", "label", "matrix"},
	"query":  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	"header": {"simple"},
	"cookie": {"form"},
}

// notParameters are headers that the specification, or HTTP, takes from parameters.
var notParameters = []string{
	"accept", "authorization", "connection", "content-encoding", "content-length", "content-type", "cookie", "host", "te", "trailer", "transfer-encoding", "upgrade",
}

// parameter reads one; nil means that it is not the caller's.
func (a *api) parameter(n *node) (*parameter, error) {
	p := &parameter{name: n.get("name").label(), in: n.get("in").str(), required: n.get("required").is('t'), reserved: n.get("allowReserved").is('t'), schema: n.get("schema"), node: n}
	allowed, known := styles[p.in]
	switch {
	case !n.is('{') || p.name == "":
		return nil, a.at(n, "a parameter has no name")
	case !known:
		return nil, a.at(n, "the parameter %s is in %s, not in path, query, header or cookie", diag.Quote(p.name), diag.Quote(n.get("in").label()))
	case p.in == "header" && slices.Contains(notParameters, strings.ToLower(p.name)):
		return nil, nil
	case (p.in == "header" || p.in == "cookie") && !isToken(p.name):
		return nil, a.at(n, "%s cannot be the name of a %s", diag.Quote(p.name), p.in)
	case a.isCredential(p), p.in == "header" && a.client.hasHeader(p.name), p.in == "cookie" && a.client.hasHeader("Cookie"):
		return nil, nil
	}
	if p.required = p.required || p.in == "path"; !p.required && n.get("deprecated").is('t') && !a.options.Deprecated {
		return nil, nil
	}
	if p.style = n.get("style").str(); p.style == "" {
		p.style = defaultStyles[p.in]
	}
	if !slices.Contains(allowed, p.style) {
		return nil, a.at(n, "the parameter %s has the style %s, which is not one of %s", diag.Quote(p.name), diag.Quote(p.style), diag.OneOf(allowed, 5))
	}
	p.explode = p.style == "form" || p.style == "deepObject"
	if e := n.get("explode"); e != nil {
		p.explode = e.is('t')
	}
	if a.swagger {
		p.schema = n
		p.collect(n)
	}
	for media, content := range n.get("content").fields() {
		p.asJSON, p.schema = isJSON(media), content.get("schema")
		break
	}
	return p, nil
}

// about describes a parameter. It says the name that is sent, where that is another one.
func (p *parameter) about() string {
	text := p.node.get("description").label()
	if p.argument == p.name {
		return text
	}
	return strings.TrimSpace(text + " (sent as " + p.name + ")")
}

// at is an error about a place in the document, or, where it is not known, in the API.
func (a *api) at(n *node, format string, args ...any) error {
	f := a.file
	if n == nil {
		n = f.root
	}
	if n.file != nil {
		f = n.file
	}
	return f.fault(n, format, args...)
}

// isCredential reports whether a parameter is what a security scheme sends: that comes
// from the operator alone.
func (a *api) isCredential(p *parameter) bool {
	for _, s := range a.schemes {
		if s.kind == apiKey && s.in == p.in && (s.param == p.name || p.in == "header" && strings.EqualFold(s.param, p.name)) {
			return true
		}
	}
	return false
}

// isJSON reports whether a media type is JSON, or any at all.
func isJSON(media string) bool {
	media, _, _ = strings.Cut(strings.ToLower(media), ";")
	media = strings.TrimSpace(media)
	return media == "application/json" || strings.HasSuffix(media, "+json") || media == "*/*" || media == "application/*"
}
