package openapi

import (
	"cmp"
	"slices"
	"strings"
)

// Swagger 2.0 differs from OpenAPI 3.0 in where a document says things, not in how its
// operations work. The functions of this file return what it says as OpenAPI 3.0 would
// say it. References need no change: they lead to places of the document as it is.

// parts of a document that are made, not read.
func (n *node) with(kind byte, members ...member) *node {
	return &node{kind: kind, line: n.line, file: n.file, members: members}
}

func (n *node) string(text string) *node { return &node{kind: '"', line: n.line, text: text} }

// servers is the list of servers that a document, a path or an operation names. That of
// Swagger is host and basePath with one of its schemes: the document's own, if it is one
// of them, else https, http, or the first.
func (a *api) servers(n *node) *node {
	root := a.file.root
	if !a.swagger || n != root && n.get("schemes") == nil {
		return n.get("servers")
	}
	schemes := root.get("schemes")
	if own := n.get("schemes"); own != nil {
		schemes = own
	}
	scheme, host := "https", root.get("host").label()
	if a.file.url != nil {
		scheme, host = a.file.url.Scheme, cmp.Or(host, a.file.url.Host)
	}
	var listed []string
	for s := range schemes.items() {
		listed = append(listed, strings.ToLower(s.str()))
	}
	for _, s := range slices.Concat([]string{scheme, "https", "http"}, listed) {
		if len(listed) == 0 || slices.Contains(listed, s) {
			scheme = s
			break
		}
	}
	if before, after, ok := strings.Cut(host, "://"); ok { // authors write a URL
		scheme, host = before, after
	}
	address := "/" + strings.TrimLeft(root.get("basePath").label(), "/")
	if host != "" {
		address = scheme + "://" + strings.TrimRight(host, "/") + address
	}
	return n.with('[', member{value: n.with('{', member{"url", n.string(address)})})
}

// delimiters are those of collectionFormat.
var delimiters = map[string]string{"csv": ",", "ssv": " ", "tsv": "\t", "pipes": "|"}

// collect sets how the items of an array are sent.
func (p *parameter) collect(n *node) {
	if n.get("type").str() != "array" {
		return
	}
	format := n.get("collectionFormat").str()
	if p.explode = format == "multi"; p.explode {
		return
	}
	if p.delimiter = delimiters[format]; p.delimiter == "" {
		p.delimiter = delimiters["csv"]
	}
}

// send keeps a parameter that is the body, or a field of its form. That of an operation
// replaces that of its path.
func (op *operation) send(n *node) {
	same := func(m member) bool {
		return m.value.get("in").str() == n.get("in").str() && (n.get("in").str() == "body" || m.name == n.get("name").label())
	}
	op.sent = append(slices.DeleteFunc(op.sent, same), member{n.get("name").label(), n})
}

// mediaTypes are those of an operation or, where it has no list of its own, of the
// document: of "consumes" or "produces".
func (a *api) mediaTypes(op *operation, key string) []string {
	list := op.node.get(key)
	if list == nil {
		list = a.file.root.get(key)
	}
	var media []string
	for n := range list.items() {
		if n.str() != "" {
			media = append(media, n.str())
		}
	}
	return media
}

// content is a schema by media type, as OpenAPI 3 has it.
func (n *node) content(media []string, schema *node) *node {
	content := n.with('{')
	for _, m := range media {
		of := n.with('{')
		if schema != nil {
			of.members = []member{{"schema", schema}}
		}
		content.members = append(content.members, member{m, of})
	}
	return content
}

// swaggerBody is the body of an operation, nil if it has none.
func (a *api) swaggerBody(op *operation) *node {
	if len(op.sent) == 0 {
		return nil
	}
	consumes := a.mediaTypes(op, "consumes")
	if i := slices.IndexFunc(op.sent, func(m member) bool { return m.value.get("in").str() == "body" }); i >= 0 {
		n := op.sent[i].value
		if len(consumes) == 0 {
			consumes = []string{"application/json"}
		}
		return n.with('{', append(slices.Clone(n.members), member{"content", n.content(consumes, n.get("schema"))})...)
	}
	first := op.sent[0].value
	required := first.with('[')
	form := urlencoded
	for _, m := range op.sent {
		if m.value.get("required").is('t') {
			required.members = append(required.members, member{value: first.string(m.name)})
		}
		if isFile(m.value) {
			form = multipartForm
		}
	}
	forms := slices.DeleteFunc(consumes, func(media string) bool { return mediaForm(media) != urlencoded && mediaForm(media) != multipartForm })
	if form == urlencoded && len(forms) > 0 && !slices.ContainsFunc(forms, func(media string) bool { return mediaForm(media) == urlencoded }) {
		form = multipartForm
	}
	media := map[bodyForm]string{urlencoded: "application/x-www-form-urlencoded", multipartForm: "multipart/form-data"}[form]
	if i := slices.IndexFunc(forms, func(media string) bool { return mediaForm(media) == form }); i >= 0 {
		media = forms[i]
	}
	schema := first.with('{', member{"type", first.string("object")}, member{"properties", first.with('{', op.sent...)}, member{"required", required})
	body := first.with('{', member{"content", first.content([]string{media}, schema)})
	if len(required.members) > 0 {
		body.members = append(body.members, member{"required", &node{kind: 't'}})
	}
	return body
}

// swaggerContent is the content of an answer, nil if it has no body.
func (a *api) swaggerContent(op *operation, n *node) *node {
	schema := n.get("schema")
	if schema == nil {
		return nil
	}
	media, otherwise := a.mediaTypes(op, "produces"), "application/json"
	if resolved, err := a.resolve(schema); err == nil && isFile(resolved) {
		media, otherwise = slices.DeleteFunc(media, isJSON), "application/octet-stream"
	}
	if len(media) == 0 {
		media = []string{otherwise}
	}
	return n.content(media, schema)
}
