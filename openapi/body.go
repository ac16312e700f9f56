package openapi

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// A bodyForm is how the argument becomes the body of a request.
type bodyForm int

const (
	jsonBody  bodyForm = iota
	linesBody          // of answers: a sequence of JSON values
	urlencoded
	multipartForm
	textBody
	binaryBody
)

// A body is what an operation is sent.
type body struct {
	argument string
	required bool
	media    string
	form     bodyForm
	schema   *node
	fields   []*field // of a form
	node     *node
}

// A field is one of a form.
type field struct {
	parameter
	file        bool
	contentType string // of its part
}

// mediaForm tells how a media type is written.
func mediaForm(media string) bodyForm {
	media, _, _ = strings.Cut(strings.ToLower(media), ";")
	switch media = strings.TrimSpace(media); {
	case isJSON(media):
		return jsonBody
	case media == "application/x-www-form-urlencoded":
		return urlencoded
	case strings.HasPrefix(media, "multipart/"):
		return multipartForm
	case media != "" && apis.IsTextType(media):
		return textBody
	}
	return binaryBody
}

// requestBody reads the body, in the first of its media types that carries most.
func (a *api) requestBody(op *operation) error {
	n, err := a.resolve(op.node.get("requestBody"))
	if a.swagger {
		n, err = a.swaggerBody(op), nil
	}
	if err != nil || n == nil {
		return err
	}
	best := -1
	content := n.get("content")
	var b *body
	for media, of := range content.fields() {
		if form := mediaForm(media); b == nil || int(form) < best {
			b = &body{required: n.get("required").is('t'), media: media, form: form, schema: of.get("schema"), node: n}
			best = int(form)
			if strings.Contains(media, "*") {
				b.media = "application/json"
			}
			if form == urlencoded || form == multipartForm {
				if b.fields, err = a.fields(b, of.get("encoding")); err != nil {
					return err
				}
			}
		}
	}
	if b == nil && content != nil {
		return a.at(n, "the body has no media type")
	}
	op.body = b
	return nil
}

// fields reads the properties of a form.
func (a *api) fields(b *body, encodings *node) ([]*field, error) {
	var of formProperties
	if err := of.add(a, b.schema); err != nil {
		return nil, err
	}
	if a.inForms += len(of.list); a.inForms > maxFields {
		return nil, a.at(b.node, "the forms of all operations have more than %d fields: use include to choose operations", maxFields)
	}
	var list []*field
	for _, m := range of.list {
		if of.last[m.name] != m.value {
			continue // another replaces it
		}
		delete(of.last, m.name)
		encoding := encodings.get(m.name)
		f := &field{parameter: parameter{name: m.name, argument: m.name, style: "form", explode: true, schema: m.value, node: m.value, required: of.required[m.name]}}
		if a.swagger {
			f.collect(m.value)
		}
		if s := encoding.get("style").str(); slices.Contains(styles["query"], s) {
			f.style, f.explode = s, s == "form" || s == "deepObject"
		}
		if e := encoding.get("explode"); e != nil {
			f.explode = e.is('t')
		}
		f.reserved = encoding.get("allowReserved").is('t')
		f.contentType = firstMedia(encoding.get("contentType").str())
		if f.contentType != "" && !isFieldValue(f.contentType) {
			return nil, a.at(encoding, "the contentType of the field %s is not valid", diag.Quote(m.name))
		}
		var err error
		if f.schema, err = a.resolve(m.value); err != nil {
			return nil, err
		}
		items, err := a.resolve(f.schema.get("items"))
		if err != nil {
			return nil, err
		}
		f.file = b.form == multipartForm && (isFile(f.schema) || isFile(items) || mediaForm(f.contentType) == binaryBody && f.contentType != "")
		f.asJSON = isJSON(f.contentType) && f.contentType != ""
		list = append(list, f)
	}
	return list, nil
}

// maxFields is how many fields the forms of all operations may have.
const maxFields = 500_000

// formProperties are those of an object, with those of allOf, and which are required.
// Of one name the last counts.
type formProperties struct {
	list     []member
	last     map[string]*node
	required map[string]bool
	seen     map[*node]bool
}

// add adds what a schema has, unless it was added before.
func (f *formProperties) add(a *api, at *node) error {
	n, err := a.resolve(at)
	if err != nil || f.seen[n] {
		return err
	}
	if f.seen == nil {
		f.last, f.required, f.seen = map[string]*node{}, map[string]bool{}, map[*node]bool{}
	}
	f.seen[n] = true
	parts, err := a.list(n.get("allOf"))
	if err != nil {
		return err
	}
	for part := range parts.items() {
		if err := f.add(a, part); err != nil {
			return err
		}
	}
	for name, schema := range n.get("properties").fields() {
		f.list, f.last[name] = append(f.list, member{name, schema}), schema
	}
	required, err := a.list(n.get("required"))
	for name := range required.items() {
		f.required[name.str()] = true
	}
	return err
}

// firstMedia is the first media type of a list that names one, without a wildcard.
func firstMedia(list string) string {
	for media := range strings.SplitSeq(list, ",") {
		if media = strings.TrimSpace(media); !strings.Contains(media, "*") {
			return media
		}
	}
	return ""
}

// isFile reports whether a schema is that of bytes: of Swagger by its type, of 3.0 by its
// format, of 3.1 by its media type.
func isFile(n *node) bool {
	media := n.get("contentMediaType").str()
	return n.get("format").str() == "binary" || n.get("type").str() == "file" || media != "" && !isJSON(media)
}

// encode writes the body of a request, and its content type.
func (b *body) encode(v *node) (text []byte, contentType string, err error) {
	switch b.form {
	case urlencoded:
		if !v.is('{') {
			return nil, "", fmt.Errorf("the argument %q is not an object", b.argument)
		}
		var list []pair
		for _, m := range v.members {
			list = append(list, b.field(m.name).pairs(m.value)...)
		}
		return []byte(joined(list)), b.media, nil
	case multipartForm:
		if !v.is('{') {
			return nil, "", fmt.Errorf("the argument %q is not an object", b.argument)
		}
		return b.multipart(v)
	case textBody:
		return []byte(v.textValue()), b.media, nil
	case binaryBody:
		data, err := base64.StdEncoding.DecodeString(v.str())
		if err != nil || !v.is('"') {
			return nil, "", fmt.Errorf("the argument %q is not a string in base64", b.argument)
		}
		return data, b.media, nil
	}
	return v.appendJSON(nil), b.media, nil
}

// field returns the field of a name; one that the document does not have is a text.
func (b *body) field(name string) *field {
	for _, f := range b.fields {
		if f.name == name {
			return f
		}
	}
	return &field{parameter: parameter{name: name, argument: name, style: "form", explode: true}}
}

// multipart writes each value as a part, and each item of an array as one of its own.
func (b *body) multipart(v *node) ([]byte, string, error) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, m := range v.members {
		f, values := b.field(m.name), []member{m}
		if m.value.is('[') && !f.asJSON && f.delimiter == "" {
			values = m.value.members
		}
		for _, item := range values {
			if err := f.part(w, item.value); err != nil {
				return nil, "", err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	media, _, _ := strings.Cut(b.media, ";")
	return out.Bytes(), strings.TrimSpace(media) + "; boundary=" + w.Boundary(), nil
}

var quoteEscaper = strings.NewReplacer("\\", "\\\\", `"`, "%22", "\r", "%0D", "\n", "%0A")

// part writes one part of a multipart body.
func (f *field) part(w *multipart.Writer, v *node) error {
	header := textproto.MIMEHeader{}
	disposition := `form-data; name="` + quoteEscaper.Replace(f.name) + `"`
	data, contentType := []byte(v.textValue()), f.contentType
	if v.is('[') && f.delimiter != "" {
		data = []byte(f.list(v, f.delimiter, false, "", func(s string) string { return s }))
	}
	if f.file {
		name, err := "", error(nil)
		if data, name, contentType, err = f.contents(v); err != nil {
			return err
		}
		disposition += `; filename="` + quoteEscaper.Replace(name) + `"`
	} else if contentType == "" && v.is('{') {
		contentType = "application/json"
	}
	header.Set("Content-Disposition", disposition)
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	out, err := w.CreatePart(header)
	if err == nil {
		_, err = out.Write(data)
	}
	return err
}

// contents reads a file: {base64} or {text}, with filename and contentType, or a text.
func (f *field) contents(v *node) (data []byte, name, contentType string, err error) {
	name, contentType = v.get("filename").str(), v.get("contentType").str()
	name = cmp.Or(name, f.name)
	contentType = cmp.Or(contentType, f.contentType, "application/octet-stream")
	encoded, text := v.get("base64"), v.get("text")
	switch {
	case !isFieldValue(contentType):
		err = fmt.Errorf("the contentType of the file %q is not valid", f.name)
	case v.is('"'):
		data = []byte(v.text)
	case text.is('"'):
		data = []byte(text.text)
	case encoded.is('"'):
		if data, err = base64.StdEncoding.DecodeString(encoded.text); err != nil {
			err = fmt.Errorf("the file %q is not valid base64", f.name)
		}
	default:
		err = fmt.Errorf("the file %q is neither {base64: …} nor {text: …}", f.name)
	}
	return data, name, contentType, err
}
