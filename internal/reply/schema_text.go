package reply

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/schema"
)

// maxShownFields is how many fields of an object are shown, not counting the required
// ones; maxSchemaSteps is how many schemas are read for one type.
const (
	maxShownFields = 8
	maxSchemaSteps = 200
)

// SchemaText is the type that a schema describes, in a line:
//
//	string(date-time)   integer(1-50)   'asc'|'desc'   {name*: string, tags: string[]}
//
// Objects within objects within objects are just "object".
func SchemaText(n *schema.Node) string {
	w := schemaWriter{steps: maxSchemaSteps}
	return diag.Cut(w.text(n, typeDepth), maxTypeText)
}

// A schemaWriter reads a bounded number of schemas: references can lead in circles.
type schemaWriter struct{ steps int }

func (w *schemaWriter) text(n *schema.Node, depth int) string {
	if n = n.Resolve(); n == nil || w.steps == 0 {
		return "any"
	}
	w.steps--
	if c := n.Get("const"); c != nil {
		return literal(c.Value())
	}
	if values, _ := n.Get("enum").Value().([]any); len(values) > 0 {
		return choices(values)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if alternatives := n.Get(keyword); alternatives != nil && n.Get("properties") == nil {
			return w.alternatives(alternatives, depth)
		}
	}
	var kinds []string
	switch t := n.Get("type"); {
	case t.Text() != "":
		kinds = []string{t.Text()}
	case t.Len() > 0:
		for _, one := range t.All() {
			kinds = append(kinds, one.Text())
		}
	case n.Get("properties") != nil:
		kinds = []string{"object"}
	case n.Get("items") != nil:
		kinds = []string{"array"}
	case n.Get("allOf") != nil:
		return w.all(n.Get("allOf"), depth)
	default:
		return "any"
	}
	for i, kind := range kinds {
		kinds[i] = w.kind(n, kind, depth)
	}
	return strings.Join(kinds, "|")
}

// kind is the type of a schema taken as one of its types.
func (w *schemaWriter) kind(n *schema.Node, kind string, depth int) string {
	switch kind {
	case "object":
		return w.object(n, depth)
	case "array":
		return elements(w.text(n.Get("items"), depth))
	case "integer", "number":
		return kind + bounds(n)
	case "string":
		if format := n.Get("format").Text(); format != "" {
			return "string(" + format + ")"
		}
	}
	return kind
}

// elements is the type of a list of items.
func elements(item string) string {
	depth := 0
	for _, r := range item {
		switch r {
		case '{', '(':
			depth++
		case '}', ')':
			depth--
		case '|', '&':
			if depth == 0 {
				return "(" + item + ")[]"
			}
		}
	}
	return item + "[]"
}

// object writes the fields of an object: all that are required, and some others.
func (w *schemaWriter) object(n *schema.Node, depth int) string {
	if depth == 0 {
		return "object"
	}
	if n.Get("properties").Len() == 0 {
		if values := n.Get("additionalProperties"); values.IsObject() {
			return "{[key]: " + w.text(values, depth-1) + "}"
		}
		return "object"
	}
	var fields []string
	optional := 0
	for name, field := range n.Properties() {
		mark := ""
		if n.Requires(name) {
			mark = "*"
		} else if optional++; optional > maxShownFields {
			continue
		}
		if w.steps == 0 {
			break
		}
		fields = append(fields, plainName(name)+mark+": "+w.text(field, depth-1))
	}
	if len(fields) < n.Get("properties").Len() {
		fields = append(fields, "…")
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

func (w *schemaWriter) alternatives(list *schema.Node, depth int) string {
	var texts []string
	for _, one := range list.All() {
		if text := w.text(one, depth); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "|")
}

// all writes what several schemas demand together.
func (w *schemaWriter) all(list *schema.Node, depth int) string {
	var texts []string
	for _, one := range list.All() {
		if text := w.text(one, depth); text != "any" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "any"
	}
	return strings.Join(texts, " & ")
}

// bounds are the limits of a number, "(1-50)", or "".
func bounds(n *schema.Node) string {
	least, most := n.Get("minimum").Value(), n.Get("maximum").Value()
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf("(%v-%v)", least, most)
	case least != nil:
		return fmt.Sprintf("(>=%v)", least)
	case most != nil:
		return fmt.Sprintf("(<=%v)", most)
	}
	return ""
}
