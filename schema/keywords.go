package schema

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// maxReferences is how many references are followed from one schema to the next.
const maxReferences = 8

// Properties yields the properties of an object schema in the author's order.
func (n *Node) Properties() iter.Seq2[string, *Node] {
	properties := n.Get("properties")
	if !properties.IsObject() {
		properties = nil
	}
	return properties.All()
}

// Property returns the schema of a property, nil when it has none.
func (n *Node) Property(name string) *Node { return n.Get("properties").Get(name) }

// PropertyNames returns the names of the properties, sorted.
func (n *Node) PropertyNames() []string {
	if n.Get("properties").Len() == 0 {
		return nil
	}
	names := make([]string, 0, n.Get("properties").Len())
	for name := range n.Properties() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Requires reports whether a property is required.
func (n *Node) Requires(name string) bool {
	for _, required := range n.Get("required").All() {
		if required.Text() == name {
			return true
		}
	}
	return false
}

// Required returns the names of the required properties in the order of the
// properties, then those that have no schema.
func (n *Node) Required() []string {
	list := n.Get("required")
	if list.kind() != '[' || list.Len() == 0 {
		return nil
	}
	missing := make(map[string]bool, list.Len())
	for _, name := range list.All() {
		if name.kind() == '"' {
			missing[name.Text()] = true
		}
	}
	out := make([]string, 0, len(missing))
	for name := range n.Properties() {
		if missing[name] {
			out = append(out, name)
			delete(missing, name)
		}
	}
	return append(out, slices.Sorted(maps.Keys(missing))...)
}

// Closed reports whether an object may have no other properties than those listed.
func (n *Node) Closed() bool {
	return n.Get("additionalProperties").kind() == 'f' && n.Get("patternProperties") == nil
}

// Resolve returns the schema that n refers to within its document, or n. Keywords
// next to a reference take precedence over what it refers to.
func (n *Node) Resolve() *Node {
	for range maxReferences {
		target := n.target(n.Get("$ref").Text())
		if !target.IsObject() {
			break
		}
		if n.Len() == 1 {
			n = target
			continue
		}
		n = target.with(slices.DeleteFunc(slices.Clone(n.parts()), func(m member) bool { return m.name == "$ref" }))
	}
	return n
}

// target returns what a local reference leads to.
func (n *Node) target(ref string) *Node {
	if fragment, local := strings.CutPrefix(ref, "#"); local && (fragment == "" || fragment[0] == '/') {
		return n.doc.root.at(fragment)
	}
	return nil
}

// step returns what one step of a JSON Pointer, as a reference writes it, leads to.
func (n *Node) step(step string) *Node {
	if unescaped, err := url.PathUnescape(step); err == nil {
		step = unescaped
	}
	if n.IsObject() {
		return n.Get(diag.UnescapePointer(step))
	}
	if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < n.Len() {
		return n.parts()[i].value
	}
	return nil
}

// Types lists the types that values of the schema have: as it says, or as its
// alternatives, enum, properties or items do; "any" means one that does not
// say.
func (n *Node) Types() []string {
	if n == nil {
		return []string{"any"}
	}
	n.doc.mu.Lock()
	defer n.doc.mu.Unlock()
	return n.types()
}

// typesOnce works the types of each schema of a document out once, however often others
// refer to it. One that leads back to itself for the same value may have any.
func (n *Node) typesOnce() []string {
	for range maxReferences {
		if to := n.target(n.Get("$ref").Text()); n.Len() == 1 && to.IsObject() {
			n = to
		}
	}
	known, begun := n.doc.types[n]
	switch {
	case known != nil:
		return known
	case begun:
		return []string{"any"}
	case n.doc.types == nil:
		n.doc.types = map[*Node][]string{}
	}
	n.doc.types[n] = nil
	n.doc.types[n] = n.types()
	return n.doc.types[n]
}

func (n *Node) types() []string {
	n = n.Resolve()
	switch t := n.Get("type"); t.kind() {
	case '"':
		return []string{t.Text()}
	case '[':
		names := make([]string, 0, t.Len())
		for _, name := range t.All() {
			names = append(names, name.Text())
		}
		if len(names) > 0 {
			return names
		}
	}
	var found []string
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, alternative := range n.list(keyword) {
			found = append(found, alternative.value.typesOnce()...)
		}
	}
	for _, part := range n.list("allOf") {
		if t := part.value.typesOnce(); !slices.Contains(t, "any") {
			return slices.Clone(t)
		}
	}
	if len(found) > 0 {
		return unique(found)
	}
	if c := n.Get("const"); c != nil {
		return []string{c.typeOfValue()}
	}
	for _, v := range n.list("enum") {
		found = append(found, v.value.typeOfValue())
	}
	switch {
	case len(found) > 0:
		return unique(found)
	case n.Get("properties") != nil:
		return []string{"object"}
	case n.Get("items") != nil || n.Get("prefixItems") != nil:
		return []string{"array"}
	}
	return []string{"any"}
}

// TypeName returns the one type that values of the schema have other than null, or "any".
func (n *Node) TypeName() string {
	found := slices.DeleteFunc(n.Types(), func(t string) bool { return t == "null" })
	slices.Sort(found)
	switch found = slices.Compact(found); {
	case len(found) == 1:
		return found[0]
	case len(found) == 2 && found[0] == "integer" && found[1] == "number":
		return "number"
	}
	return "any"
}

// unique drops repeats, in the order of the first of each.
func unique(names []string) []string {
	out := names[:0]
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// list returns the items of an array keyword.
func (n *Node) list(keyword string) []member {
	if list := n.Get(keyword); list.kind() == '[' {
		return list.parts()
	}
	return nil
}

// typeOfValue names the JSON type of a value, or "any" for none.
func (n *Node) typeOfValue() string {
	if n.kind() == 0 {
		return "any"
	}
	return JSONType(n.raw)
}

// JSONType names the JSON type of a value, which is JSON: object, array, string, boolean,
// null, number, or integer for a number that is written as one.
func JSONType(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if bytes.ContainsAny(value, ".eE") {
		return "number"
	}
	return "integer"
}
