package openapi

import (
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
)

// Bounds on the definitions that one tool's schema repeats, in bytes. What is referred
// to from further away is there without its members.
const (
	maxDefinitions      = 64 << 10
	minDefinitions      = 2 << 10
	maxDefinitionsOfAll = 8 << 20
)

// A definition is a schema that others refer to by name, as one that is sent and as one
// that comes back.
type definition struct {
	name    string
	node    *node
	written [2]*written
}

// A written schema is its text, and the definitions that it refers to, also of those the
// ones that are about the same value.
type written struct {
	text    []byte
	refs    []*definition
	inPlace []*definition

	visited, open bool // whether inPlace was followed, and is being followed
	looped        bool // it leads back here
}

// definitions are those of an API.
type definitions struct {
	*api
	names apis.Names
	byID  map[string]*definition
	each  int // how many bytes of them one schema repeats
	noted map[string]bool
	loose map[*node]bool // schemas whose oneOf is checked as anyOf
	err   error          // of the first reference to another document that cannot be read
}

// share sets how much each of so many tools may repeat.
func (d *definitions) share(tools int) {
	d.each = min(maxDefinitions, max(minDefinitions, maxDefinitionsOfAll/tools))
}

func (d *definitions) noteOnce(err error) {
	if d.noted[err.Error()] {
		return
	}
	if d.noted == nil {
		d.noted = map[string]bool{}
	}
	d.noted[err.Error()] = true
	d.note("%v; any value is accepted there", err)
}

// of returns the definition of a place.
func (d *definitions) of(to found) *definition {
	if def, ok := d.byID[to.id]; ok {
		return def
	}
	name := to.id[strings.LastIndexByte(to.id, '#')+1:]
	if name = sanitized(unescape(name[strings.LastIndexByte(name, '/')+1:]), "-."); name == "" {
		name = "schema"
	}
	name, _ = d.names.Take(name)
	def := &definition{name: name, node: to.node}
	d.byID[to.id] = def
	return def
}

// text returns what is written of a definition. One whose value would have to be checked
// by itself again, without end, accepts any value.
func (d *definitions) text(def *definition, input bool) *written {
	t := d.write(def, input)
	if t.visited {
		t.looped = t.looped || t.open
		return t
	}
	t.visited, t.open = true, true
	for _, next := range t.inPlace {
		d.text(next, input)
	}
	if t.open = false; t.looped {
		d.noteOnce(def.node.file.fault(def.node, "the schema %s is defined by itself", def.name))
		*t = written{text: []byte(`{}`), visited: true}
	}
	return t
}

func (d *definitions) write(def *definition, input bool) *written {
	way := 0
	if input {
		way = 1
	}
	if def.written[way] == nil {
		w := &schemaWriter{definitions: d, input: input}
		text := w.schema(nil, def.node, "")
		def.written[way] = &written{text: text, refs: w.refs, inPlace: w.inPlace}
	}
	return def.written[way]
}

// complete appends to the members of a schema the definitions that it refers to, the
// nearest first, and closes it.
func (w *schemaWriter) complete(b []byte) []byte {
	if len(w.refs) == 0 {
		return append(b, '}')
	}
	b = append(w.name(b, "$defs"), '{')
	seen := map[*definition]bool{}
	for _, def := range w.refs {
		seen[def] = true
	}
	from := len(b)
	for queue := w.refs; len(queue) > 0; queue = queue[1:] {
		def := queue[0]
		b = w.name(b, def.name)
		text := w.text(def, w.input)
		if len(b)-from+len(text.text) > w.each && len(text.text) > len(outline(nil, def.node)) {
			b = outline(b, def.node)
			w.cut = true
			continue
		}
		b = append(b, text.text...)
		for _, next := range text.refs {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	if b = append(b, "}}"...); w.cut {
		return listing.Loosened(b)
	}
	return b
}

// outline writes a schema without its members: its type, where it has one that null
// does not belong to.
func outline(b []byte, n *node) []byte {
	if t := n.get("type"); t.is('"') && !n.nullable() {
		return append(appendString(append(b, `{"type":`...), t.text), '}')
	}
	return append(b, `{}`...)
}

// input returns the schema of an operation's arguments.
func (d *definitions) input(op *operation) []byte {
	w := &schemaWriter{definitions: d, input: true}
	b := append([]byte(nil), `{"type":"object","properties":{`...)
	var required []byte
	need := func(name string) {
		if required != nil {
			required = append(required, ',')
		}
		required = appendString(required, name)
	}
	for _, p := range op.parameters {
		b = w.name(b, p.argument)
		if p.schema == nil {
			p.schema = &node{kind: '{', file: d.file} // the document does not say what it takes
		}
		b = w.schema(b, p.schema, p.about())
		if p.required {
			need(p.argument)
		}
	}
	if op.body != nil {
		b = w.body(w.name(b, op.body.argument), op.body)
		if op.body.required {
			need(op.body.argument)
		}
	}
	b = append(b, '}')
	if required != nil {
		b = append(append(append(b, `,"required":[`...), required...), ']')
	}
	return w.complete(append(b, `,"additionalProperties":false`...))
}

// body writes the schema of the argument that is the body.
func (w *schemaWriter) body(b []byte, of *body) []byte {
	description := of.node.get("description").label()
	switch of.form {
	case textBody:
		return append(w.member(append(b, `{"type":"string"`...), "description", description), '}')
	case binaryBody:
		return append(w.member(append(b, `{"type":"string","contentEncoding":"base64"`...), "description", description), '}')
	case urlencoded, multipartForm:
		if len(of.fields) > 0 {
			return w.form(b, of, description)
		}
	}
	if of.schema == nil {
		return append(w.member(append(b, '{'), "description", description), '}')
	}
	return w.schema(b, of.schema, description)
}

// aFile is the schema of a file to upload, but for its description.
const aFile = `{"type":"object","properties":{"base64":{"type":"string","contentEncoding":"base64"},"text":{"type":"string"},"filename":{"type":"string"},"contentType":{"type":"string"}},"anyOf":[{"required":["base64"]},{"required":["text"]}],"additionalProperties":false`

// form writes the schema of a form.
func (w *schemaWriter) form(b []byte, of *body, description string) []byte {
	b = append(w.member(append(b, `{"type":"object"`...), "description", description), `,"properties":{`...)
	var required []byte
	for _, f := range of.fields {
		b = w.name(b, f.name)
		about := f.schema.get("description").label()
		switch {
		case f.file && f.schema.get("type").str() == "array":
			b = append(w.member(append(b, `{"type":"array"`...), "description", about), `,"items":`+aFile+`}}`...)
		case f.file:
			b = append(w.member(append(b, aFile...), "description", about), '}')
		default:
			b = w.schema(b, f.node, "")
		}
		if f.required && !w.otherWay(f.node) {
			if required != nil {
				required = append(required, ',')
			}
			required = appendString(required, f.name)
		}
	}
	b = append(b, '}')
	if required != nil {
		b = append(append(append(b, `,"required":[`...), required...), ']')
	}
	return append(b, '}')
}

// rawSchema is a schema for the SDK.
func rawSchema(b []byte) json.RawMessage { return json.RawMessage(b) }
