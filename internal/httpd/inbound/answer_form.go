package inbound

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/schema"
)

// An answerFields is the form of a question: a field for each property of its schema, which is
// flat.
type answerFields []answerField

type answerField struct {
	name, title, doc string
	kind             string   // string, number, integer, boolean or array
	format           string   // of a string
	choices          []string // of a string or an array; nil: any
	labels           []string // of the choices
	required         bool
	initial          []string
}

// readForm reads the schema of a question.
func readForm(raw json.RawMessage) (fields answerFields) {
	root := schema.Read(raw)
	var required []string
	for _, n := range root.Get("required").All() {
		required = append(required, n.Text())
	}
	for name, p := range root.Get("properties").All() {
		f := answerField{name: name, title: cmp.Or(p.Get("title").Text(), name), doc: p.Get("description").Text(), kind: p.Get("type").Text(), format: p.Get("format").Text(), required: slices.Contains(required, name)}
		from := p
		if f.kind == "array" {
			from = p.Get("items")
		}
		f.choices, f.labels = enumChoices(from)
		switch initial := p.Default().Value().(type) {
		case nil:
		case []any:
			for _, v := range initial {
				f.initial = append(f.initial, fmt.Sprint(v))
			}
		default:
			f.initial = []string{fmt.Sprint(initial)}
		}
		fields = append(fields, f)
	}
	return fields
}

// enumChoices returns what may be chosen, from enum, or oneOf or anyOf of constants with titles.
func enumChoices(n *schema.Node) (values, labels []string) {
	for _, v := range n.Get("enum").All() {
		values = append(values, fmt.Sprint(v.Value()))
	}
	labels = slices.Clone(values)
	at := 0
	for _, v := range n.Get("enumNames").All() {
		if at < len(labels) {
			labels[at] = v.Text()
		}
		at++
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		for _, v := range n.Get(key).All() {
			if c := v.Get("const"); c != nil {
				values = append(values, fmt.Sprint(c.Value()))
				labels = append(labels, cmp.Or(v.Get("title").Text(), values[len(values)-1]))
			}
		}
	}
	return values, labels
}

// content is the answer in a form that was sent: an object with the types of the schema. A field
// that is left empty is left out unless it is a boolean.
func (fields answerFields) content(sent url.Values) json.RawMessage {
	out := map[string]any{}
	for _, f := range fields {
		values := sent["f."+f.name]
		text := ""
		if len(values) > 0 {
			text = values[0]
		}
		switch {
		case f.kind == "boolean":
			out[f.name] = text == "true"
		case f.kind == "array":
			out[f.name] = append([]string{}, values...)
		case text == "":
			if f.required && f.kind == "string" && f.choices == nil {
				out[f.name] = ""
			}
		case f.kind == "number" || f.kind == "integer":
			out[f.name] = text // the check of the answer says what is wrong with it
			if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
				out[f.name] = json.Number(text)
			}
		default:
			out[f.name] = text
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return b
}

// answerForm is the page of a question. Sent is what was filled in before, and wrong what was wrong
// with it.
func answerForm(q *execution.LinkedQuestion, fields answerFields, sent url.Values, wrong string) string {
	var b strings.Builder
	what := "A run"
	if q.Graph != "" {
		what = "The graph " + q.Graph
	}
	fmt.Fprintf(&b, `<p class="about">%s asks</p><h1>%s</h1>`, html.EscapeString(what), html.EscapeString(q.Message))
	if wrong != "" {
		fmt.Fprintf(&b, `<p class="wrong" role="alert">%s</p>`, html.EscapeString(wrong))
	}
	b.WriteString(`<form method="post">`)
	for i, f := range fields {
		now := f.initial
		if sent != nil {
			now = sent["f."+f.name]
		}
		f.write(&b, "f"+strconv.Itoa(i), now)
	}
	b.WriteString(`<p class="buttons"><button name="action" value="accept">Answer</button> <button name="action" value="decline" formnovalidate>Decline</button></p></form>`)
	if q.Until != "" {
		fmt.Fprintf(&b, `<p class="about">The question is open until %s.</p>`, html.EscapeString(q.Until))
	}
	return b.String()
}

// write writes a field with an id and the values that it has.
func (f *answerField) write(b *strings.Builder, id string, now []string) {
	name, required := html.EscapeString("f."+f.name), ""
	if f.required {
		required = " required"
	}
	fmt.Fprintf(b, `<p><label for="%s">%s</label>`, id, html.EscapeString(f.title))
	if f.doc != "" {
		fmt.Fprintf(b, `<small>%s</small>`, html.EscapeString(f.doc))
	}
	value := ""
	if len(now) > 0 {
		value = html.EscapeString(now[0])
	}
	switch {
	case f.kind == "boolean":
		fmt.Fprintf(b, `<input type="checkbox" id="%s" name="%s" value="true"%s>`, id, name, mark(value == "true", "checked"))
	case f.choices != nil:
		fmt.Fprintf(b, `<select id="%s" name="%s"%s%s>`, id, name, mark(f.kind == "array", "multiple"), required)
		if f.kind != "array" {
			b.WriteString(`<option value=""></option>`)
		}
		for i, c := range f.choices {
			fmt.Fprintf(b, `<option value="%s"%s>%s</option>`, html.EscapeString(c), mark(slices.Contains(now, c), "selected"), html.EscapeString(f.labels[i]))
		}
		b.WriteString(`</select>`)
	default:
		fmt.Fprintf(b, `<input type="%s" id="%s" name="%s" value="%s"%s%s>`, f.inputType(), id, name, value, mark(f.kind == "number", `step="any"`), required)
	}
	b.WriteString(`</p>`)
}

func (f *answerField) inputType() string {
	switch {
	case f.kind == "number" || f.kind == "integer":
		return "number"
	case f.format == "email" || f.format == "date":
		return f.format
	case f.format == "uri":
		return "url"
	}
	return "text"
}

func mark(on bool, attribute string) string {
	if !on {
		return ""
	}
	return " " + attribute
}

func answerMessage(text string) string { return "<h1>" + html.EscapeString(text) + "</h1>" }

// answerStyle is the only style of a page; the policy of the page names its hash.
const answerStyle = `body{font:1rem/1.5 system-ui,sans-serif;margin:0;background:#f6f6f4;color:#222}main{max-width:34rem;margin:10vh auto;padding:2rem;background:#fff;border-radius:8px}h1{font-size:1.25rem;white-space:pre-wrap;overflow-wrap:anywhere}label,small{display:block}small,.about{color:#666}input:not([type=checkbox]),select{width:100%;box-sizing:border-box;font:inherit;padding:.4rem}button{font:inherit;padding:.4rem 1.2rem}.wrong{color:#a00}@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}main{background:#222}small,.about{color:#aaa}.wrong{color:#f88}}`

const answerStyleHash = "Lu6ylcqvfZtunxNHx9Khsdz1UJRLmAyTTLCsXD5Ywlk=" // SHA-256 of answerStyle
