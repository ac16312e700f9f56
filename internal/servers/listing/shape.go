package listing

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A writer writes a definition, and remembers what differs.
type writer struct {
	changed bool
	notes   []string
}

func (w *writer) note(format string, args ...any) {
	w.changed = true
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// written is the text of a definition: that of the server, if clients accept it.
func (w *writer) written(v *value, def json.RawMessage) json.RawMessage {
	if !w.changed && !v.conceals() {
		return def
	}
	return v.appendTo(nil)
}

func (w *writer) schema(v *value, name string) *value {
	out, changed, notes := sanitized(v, name, false, false)
	w.changed, w.notes = w.changed || changed, append(w.notes, notes...)
	return out
}

// ofObject makes a schema that of an object, and reports whether it can be one.
func (w *writer) ofObject(v *value, name string) bool {
	t := v.get("type")
	switch {
	case t.str() == "object":
		return true
	case t != nil && isType(t) && !slices.Contains(v.types(), "object"):
		return false
	case t != nil:
		w.note("%s/type is listed as object: clients take no other", name)
	}
	w.changed = true
	v.remove("type")
	v.members = append([]member{{"type", text("object")}}, v.members...)
	return true
}

// describe names the arguments in the description of a tool that its schema cannot have.
func (w *writer) describe(tool, in *value) {
	var more []string
	required := in.get("required")
	for _, m := range in.get("properties").list() {
		if !PortableName(m.name) && diag.Visible(m.name) == m.name {
			said := fmt.Sprintf("%q", m.name)
			if required.is("[") && slices.ContainsFunc(required.items, func(name *value) bool { return name.text == m.name }) {
				said += " (required)"
			}
			if about := m.get("description").str(); about != "" {
				said += ": " + about
			}
			more = append(more, said)
		}
	}
	if len(more) > 0 {
		tool.set("description", text(strings.TrimSpace(tool.get("description").str()+"\n\nMore arguments, which the schema cannot name: "+strings.Join(more, "; "))))
		w.changed = true
	}
}

func (v *value) list() []member {
	if v == nil {
		return nil
	}
	return v.members
}

// A shape says what clients take as the members of an object.
type shape map[string]field

// A field is one member: of a kind, one of some texts, or an object or a list of objects of a
// shape. A member that differs is left out, and with it the object if it is needed.
type field struct {
	kinds string
	of    []string // texts
	shape shape
	need  bool
}

var (
	icons        = field{kinds: "[", shape: shape{"src": {kinds: `"`, need: true}, "mimeType": {kinds: `"`}, "sizes": {kinds: "[", of: anyText}, "theme": {kinds: `"`, of: []string{"light", "dark"}}}}
	meta         = field{kinds: "{"}
	readable     = field{kinds: `"`}
	annotated    = field{kinds: "{", shape: shape{"audience": {kinds: "[", of: []string{"user", "assistant"}}, "priority": {kinds: "0"}, "lastModified": {kinds: `"`}}}
	toolShape    = shape{"title": readable, "description": readable, "icons": icons, "_meta": meta, "annotations": {kinds: "{", shape: shape{"title": readable, "readOnlyHint": {kinds: "tf"}, "destructiveHint": {kinds: "tf"}, "idempotentHint": {kinds: "tf"}, "openWorldHint": {kinds: "tf"}}}, "execution": {kinds: "{", shape: shape{"taskSupport": {kinds: `"`, of: []string{"required", "optional", "forbidden"}}}}}
	promptShape  = shape{"name": {kinds: `"`, need: true}, "title": readable, "description": readable, "icons": icons, "_meta": meta, "arguments": {kinds: "[", shape: shape{"name": {kinds: `"`, need: true}, "title": readable, "description": readable, "required": {kinds: "tf"}}}}
	contentShape = shape{"name": {kinds: `"`, need: true}, "title": readable, "description": readable, "mimeType": readable, "icons": icons, "_meta": meta, "annotations": annotated}
	itemShapes   = map[string]shape{
		Resource: contentShape.with("uri", field{kinds: `"`, need: true}).with("size", field{kinds: "0"}),
		Template: contentShape.with("uriTemplate", field{kinds: `"`, need: true}),
		Prompt:   promptShape,
	}

	anyText = []string{}
)

func (s shape) with(name string, f field) shape {
	out := maps.Clone(s)
	out[name] = f
	return out
}

// shape leaves out what clients do not take as members of an object. The error says which
// member is needed.
func (w *writer) shape(v *value, at string, s shape) error {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		f, of := s[name], v.get(name)
		if of == nil && !f.need {
			continue
		}
		if of == nil || !w.fits(of, at+name, f) {
			if f.need {
				return fmt.Errorf("its %s%s is not what clients take", at, name)
			}
			w.note("%s%s is left out: clients do not take this value", at, name)
			v.remove(name)
		}
	}
	return nil
}

func (w *writer) fits(v *value, at string, f field) bool {
	if !v.is(f.kinds) {
		return false
	}
	oneOf := func(item *value) bool { return item.is(`"`) && (len(f.of) == 0 || slices.Contains(f.of, item.text)) }
	switch {
	case f.of != nil && v.is("["):
		return !slices.ContainsFunc(v.items, func(item *value) bool { return !oneOf(item) })
	case f.of != nil:
		return oneOf(v)
	case f.shape != nil && v.is("["):
		before := len(v.items)
		v.items = slices.DeleteFunc(v.items, func(item *value) bool { return !item.is("{") || w.shape(item, at+"/", f.shape) != nil })
		if len(v.items) < before {
			w.note("%d of %s are left out: clients do not take them", before-len(v.items), at)
		}
	case f.shape != nil:
		_ = w.shape(v, at+"/", f.shape) // none of its members is needed
	}
	return true
}
