package openapi

import (
	"errors"
	"slices"
	"strings"
)

// maxExample is the size in bytes of the longest example that a schema keeps.
const maxExample = 500

// A schemaWriter writes schemas of a document as JSON Schema 2020-12. References lead
// to definitions by name.
type schemaWriter struct {
	*definitions
	input bool // of what is sent, so that what is only read is not required; else of what comes back
	refs  []*definition

	cut     bool          // some of refs are written without their members
	inner   int           // how many values are between the schema that is written and its whole
	inPlace []*definition // those of refs that are about the same value as the whole
}

// schema writes one schema; a description, if not empty, takes the place of its own.
func (w *schemaWriter) schema(b []byte, n *node, description string) []byte {
	switch {
	case n.is('t'), n.is('f'):
		return append(b, n.label()...)
	case !n.is('{'):
		return append(b, `{}`...)
	}
	if ref := n.get("$ref"); ref.is('"') {
		return w.reference(b, n, ref, description)
	}
	if w.old && n.nullable() && n.get("type") == nil && n.get("enum") == nil {
		return w.nullable(b, n, description)
	}
	return append(w.keywords(append(b, '{'), n, description), '}')
}

// reference writes a reference to a definition. In 3.1 it may have other keywords next
// to it, in 3.0 these have no meaning, though authors describe a property so.
func (w *schemaWriter) reference(b []byte, n, ref *node, description string) []byte {
	d := w.definition(n, ref)
	if description == "" {
		description = n.get("description").label()
	}
	if d == nil {
		return append(w.member(append(b, '{'), "description", description), '}')
	}
	if !slices.Contains(w.refs, d) {
		w.refs = append(w.refs, d)
	}
	if w.inner == 0 {
		w.inPlace = append(w.inPlace, d)
	}
	b = append(b, `{"$ref":"#/$defs/`...)
	b = append(append(b, d.name...), '"')
	if w.old {
		b = w.member(b, "description", description)
	} else {
		b = w.keywords(b, n, description)
	}
	return append(b, '}')
}

// nullable writes a schema of 3.0 that allows null and says its type elsewhere.
func (w *schemaWriter) nullable(b []byte, n *node, description string) []byte {
	b = w.member(append(b, '{'), "description", description)
	if len(b) > 0 && b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, `"anyOf":[{`...)
	b = w.keywords(b, n, "")
	return append(b, `},{"type":"null"}]}`...)
}

// member writes the name and text of a member, unless the text is empty.
func (w *schemaWriter) member(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return appendString(w.name(b, name), text)
}

// name begins a member.
func (w *schemaWriter) name(b []byte, name string) []byte {
	if last := b[len(b)-1]; last != '{' && last != '[' {
		b = append(b, ',')
	}
	return append(appendString(b, name), ':')
}

// lists are the keywords whose values are lists.
var lists = []string{"enum", "required", "allOf", "anyOf", "oneOf", "prefixItems"}

// keywords writes the members of a schema that JSON Schema has. Of values that it does
// not allow, such as required: true, nothing is written.
func (w *schemaWriter) keywords(b []byte, n *node, description string) []byte {
	if description != "" {
		b = w.member(b, "description", description)
	}
	for key, v := range n.fields() {
		if slices.Contains(lists, key) {
			to, err := w.list(v)
			if err != nil {
				w.noteOnce(err)
				continue
			}
			v = to
		}
		switch key {
		case "description":
			if description == "" {
				b = w.member(b, key, v.label())
			}
		case "title", "format", "pattern", "contentMediaType", "contentEncoding":
			b = w.member(b, key, v.str())
		case "type":
			b = w.types(b, n, v)
		case "enum":
			b = w.enum(b, n, v)
		case "properties", "patternProperties":
			w.inner++
			b = w.schemas(b, key, v)
			w.inner--
		case "dependentSchemas":
			b = w.schemas(b, key, v)
		case "not", "if", "then", "else":
			b = w.one(b, key, v)
		case "items", "additionalProperties", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
			w.inner++
			b = w.one(b, key, v)
			w.inner--
		case "allOf", "anyOf", "oneOf":
			if key == "oneOf" { // whose members are told apart by descriptions, or by a discriminator
				if key = "anyOf"; n.get(key) != nil {
					continue
				}
				if v.is('[') && len(v.members) > 1 && n.get("discriminator") == nil {
					w.loose[n] = true
				}
			}
			if d := n.get("discriminator"); w.input && key == "anyOf" && d.get("propertyName").str() != "" {
				b = w.variants(b, v, d)
				continue
			}
			b = w.writeList(b, key, v)
		case "prefixItems":
			w.inner++
			b = w.writeList(b, key, v)
			w.inner--
		case "required":
			b = w.required(b, n, v)
		case "minimum", "maximum":
			b = w.bound(b, n, key, v)
		case "exclusiveMinimum", "exclusiveMaximum":
			if v.is('0') {
				b = v.appendJSON(w.name(b, key))
			}
		case "multipleOf":
			if v.is('0') && v.text[0] != '-' && strings.ContainsAny(mantissa(v.text), "123456789") {
				b = v.appendJSON(w.name(b, key))
			}
		case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
			if v.is('0') && strings.Trim(v.text, "0123456789") == "" {
				b = v.appendJSON(w.name(b, key))
			}
		case "default", "const":
			b = v.appendJSON(w.name(b, key))
		case "example":
			if text := v.appendJSON(nil); len(text) <= maxExample {
				b = append(append(append(w.name(b, "examples"), '['), text...), ']')
			}
		case "examples":
			if text := v.appendJSON(nil); len(text) <= maxExample && v.is('[') && n.get("example") == nil {
				b = append(w.name(b, key), text...)
			}
		case "uniqueItems", "deprecated", "readOnly", "writeOnly":
			if v.is('t') {
				b = append(w.name(b, key), "true"...)
			}
		case "dependentRequired":
			b = w.dependentRequired(b, v)
		}
	}
	return b
}

// one writes a keyword whose value is a schema.
func (w *schemaWriter) one(b []byte, key string, v *node) []byte {
	if v.is('{') || v.is('t') || v.is('f') {
		b = w.schema(w.name(b, key), v, "")
	}
	return b
}

func (w *schemaWriter) schemas(b []byte, key string, v *node) []byte {
	if v.get("$ref").is('"') { // the specification has no reference here, and documents have
		to, err := w.resolve(v)
		if err != nil {
			w.noteOnce(err)
			return b
		}
		v = to
	}
	if !v.is('{') {
		return b
	}
	b = append(w.name(b, key), '{')
	for name, schema := range v.fields() {
		b = w.schema(w.name(b, name), schema, "")
	}
	return append(b, '}')
}

func (w *schemaWriter) writeList(b []byte, key string, v *node) []byte {
	if !v.is('[') || len(v.members) == 0 {
		return b
	}
	b = append(w.name(b, key), '[')
	for i, m := range v.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = w.schema(b, m.value, "")
	}
	return append(b, ']')
}

// definition returns that of a reference; nil where it cannot be followed, and any value
// is accepted.
func (w *schemaWriter) definition(n, ref *node) *definition {
	to := w.lookup(n, ref)
	if to.err == nil {
		_, to.err = w.resolve(n)
	}
	if _, external := errors.AsType[*externalError](to.err); external {
		if w.err == nil {
			w.err = to.err
		}
		return nil
	}
	if to.err != nil {
		w.noteOnce(to.err)
		return nil
	}
	return w.of(to)
}
