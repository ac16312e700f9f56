package openapi

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// A response is one answer that a document describes.
type response struct {
	status string // "200", "2XX" or "default"
	media  string // "" if it has no body
	form   bodyForm
	schema *node
}

// responses are the answers of an operation that are not errors.
type responses struct {
	list []response
	bare bool // the result is the body, an object; else it has members for what is wanted

	status, headers bool // the result has them
}

// results reads the answers that an operation has when it succeeds.
func (a *api) results(op *operation) error {
	var others []response
	for code, at := range op.node.get("responses").fields() {
		good := len(code) == 3 && code[0] == '2'
		if !good && code != "default" {
			continue
		}
		n, err := a.resolve(at)
		if err != nil {
			return err
		}
		r := response{status: strings.ToUpper(code)}
		content := n.get("content")
		if a.swagger {
			content = a.swaggerContent(op, n)
		}
		for media, content := range content.fields() {
			if form := answerForm(media); r.media == "" || form < r.form {
				r.media, r.form, r.schema = media, form, content.get("schema")
			}
		}
		if good {
			op.responses.list = append(op.responses.list, r)
		} else {
			others = append(others, r)
		}
	}
	if len(op.responses.list) == 0 {
		op.responses.list = others
	}
	op.responses.status, op.responses.headers = a.status, a.headers
	op.responses.bare = !a.status && !a.headers && op.method != "HEAD" && len(op.responses.list) > 0 &&
		!slices.ContainsFunc(op.responses.list, func(r response) bool {
			return r.media == "" || r.form != jsonBody || !a.isObject(r.schema)
		})
	return nil
}

// answerForm tells how a body of a media type is shown: as JSON, as text or as bytes.
func answerForm(media string) bodyForm {
	if kind, _, _ := strings.Cut(strings.ToLower(media), ";"); apis.IsLines(strings.TrimSpace(kind)) {
		return linesBody
	}
	if form := mediaForm(media); form != urlencoded && form != multipartForm {
		return form
	}
	return textBody
}

// isObject reports whether all values of a schema are objects. Each schema is looked at
// once, however often others refer to it.
func (a *api) isObject(at *node) bool {
	n, err := a.resolve(at)
	if err != nil || n.nullable() {
		return false
	}
	known, ok := a.objects[n]
	if !ok {
		a.objects[n] = false // where it leads back to itself
		known = a.saysObject(n)
		a.objects[n] = known
	}
	return known
}

func (a *api) saysObject(n *node) bool {
	switch t := n.get("type"); {
	case t.is('"'):
		return t.text == "object"
	case t.is('['):
		return len(t.members) == 1 && t.members[0].value.str() == "object"
	case n.get("properties") != nil:
		return true
	}
	for part := range n.get("allOf").items() {
		if a.isObject(part) {
			return true
		}
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		list := n.get(keyword)
		if list.is('[') && len(list.members) > 0 && !slices.ContainsFunc(list.members, func(m member) bool { return !a.isObject(m.value) }) {
			return true
		}
	}
	return false
}

// accept is the media types that are asked for.
func (r *responses) accept() string {
	var list []string
	for _, one := range r.list {
		if one.media != "" && isFieldValue(one.media) && !slices.Contains(list, one.media) {
			list = append(list, one.media)
		}
	}
	if len(list) == 0 {
		return "application/json, */*;q=0.5"
	}
	return strings.Join(list, ", ")
}

// of returns what the document says of an answer with a status, if anything.
func (r *responses) of(code string) *response {
	for _, status := range []string{code, "2XX", "DEFAULT"} {
		for i := range r.list {
			if r.list[i].status == status {
				return &r.list[i]
			}
		}
	}
	return nil
}

// aBinary is the schema of a body of bytes.
const aBinary = `{"type":"object","properties":{"base64":{"type":"string"},"mimeType":{"type":"string"}},"required":["base64","mimeType"]}`

// output returns the schema of an operation's results.
func (d *definitions) output(op *operation) []byte {
	w := &schemaWriter{definitions: d}
	r := &op.responses
	if r.bare {
		return w.complete(w.object(r))
	}
	b := []byte(`{"type":"object","properties":{`)
	var required []string
	if d.status || !r.hasBody() {
		b = append(b, `"status":{"type":"integer"}`...)
		required = append(required, `"status"`)
	}
	if d.headers || op.method == "HEAD" {
		b = append(w.name(b, "headers"), `{"type":"object","additionalProperties":{"type":"string"}}`...)
		required = append(required, `"headers"`)
	}
	if op.method != "HEAD" {
		b = w.bodies(w.name(b, "body"), r)
		if r.hasBody() {
			required = append(required, `"body"`)
		}
	}
	return w.complete(append(b, `},"required":[`+strings.Join(required, ",")+`]`...))
}

// hasBody reports whether some answer has one.
func (r *responses) hasBody() bool {
	return slices.ContainsFunc(r.list, func(one response) bool { return one.media != "" })
}

// object writes the members of the schema of an object that is the result. It says that
// it is one, as MCP asks.
func (w *schemaWriter) object(r *responses) []byte {
	b := []byte(`{"type":"object"`)
	if len(r.list) > 1 {
		return append(w.alternatives(append(b, `,"anyOf":[`...), r.list), ']')
	}
	schema := r.list[0].schema
	if n, err := w.resolve(schema); err == nil && (w.old || len(schema.members) == 1) {
		schema = n // what is referred to, but for keywords next to the reference
	}
	text := w.schema(nil, schema, "")
	if schema.get("type") != nil && schema.get("$ref") == nil {
		return text[:len(text)-1]
	}
	return append(append(b, ','), text[1:len(text)-1]...)
}

func (w *schemaWriter) alternatives(b []byte, list []response) []byte {
	for i, one := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = w.schema(b, one.schema, "")
	}
	return b
}

// bodies writes the schema of the body, one of those of the answers.
func (w *schemaWriter) bodies(b []byte, r *responses) []byte {
	var list [][]byte
	add := func(text []byte) {
		if !slices.ContainsFunc(list, func(have []byte) bool { return string(have) == string(text) }) {
			list = append(list, text)
		}
	}
	for _, one := range r.list {
		switch {
		case one.media == "":
			if r.hasBody() {
				add([]byte(`{"type":"null"}`))
			}
		case one.form == textBody:
			add([]byte(`{"type":"string"}`))
		case one.form == linesBody:
			add([]byte(`{"type":"array"}`))
		case one.form == binaryBody:
			add([]byte(aBinary))
		case one.schema == nil:
			return append(b, `{}`...)
		default:
			add(w.schema(nil, one.schema, ""))
		}
	}
	switch len(list) {
	case 0:
		return append(b, `{}`...)
	case 1:
		return append(b, list[0]...)
	}
	b = append(b, `{"anyOf":[`...)
	for i, text := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, text...)
	}
	return append(b, "]}"...)
}
