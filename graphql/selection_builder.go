package graphql

import (
	"slices"
	"strings"
)

// A selectionBuilder writes a selection and the schema of its result.
type selectionBuilder struct {
	text       strings.Builder
	properties []string
	required   []string
	keys       map[string]bool
	fields     int
}

func (b *selectionBuilder) word(text string) {
	if b.text.Len() > 0 {
		b.text.WriteByte(' ')
	}
	b.text.WriteString(text)
}

// typename selects the name of the type, one of those given.
func (b *selectionBuilder) typename(names []string) {
	b.word("__typename")
	b.property("__typename", enumSchema(names, false), true)
	b.fields++
}

// add selects a field, which every result has or only that of a fragment.
func (b *selectionBuilder) add(a *api, f chosenField, always bool) {
	if f.key != f.Name {
		b.word(f.key + ": " + f.Name)
	} else {
		b.word(f.Name)
	}
	b.fields++
	if f.sub != nil {
		b.text.WriteString(" { " + f.sub.text + " }")
		b.fields += f.sub.fields
	}
	b.property(f.key, a.outputSchema(f.Type, f.sub), always)
}

func (b *selectionBuilder) property(key, schema string, always bool) {
	if b.keys[key] {
		return // members of a union have it with the same type
	}
	if b.keys == nil {
		b.keys = map[string]bool{}
	}
	b.keys[key] = true
	b.properties = append(b.properties, quote(key)+":"+schema)
	if always {
		b.required = append(b.required, key)
	}
}

// open begins a fragment for a type, close ends it.
func (b *selectionBuilder) open(typ string) { b.word("... on " + typ + " {") }

func (b *selectionBuilder) close() { b.text.WriteString(" }") }

func (b *selectionBuilder) selection() *selection {
	return &selection{b.text.String(), closedObject(b.properties, b.required), b.fields}
}

// closedObject is the schema of an object with these properties and no others.
func closedObject(properties, required []string) string {
	var s strings.Builder
	s.WriteString(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}`)
	if len(required) > 0 {
		s.WriteString(`,"required":` + quoteAll(slices.Clone(required)))
	}
	s.WriteString(`,"additionalProperties":false}`)
	return s.String()
}
