package listing

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// A sanitizer writes a schema without the keywords for which some clients refuse the tool, or
// the whole list. What it writes accepts all that the schema accepts.
type sanitizer struct {
	root    *value
	name    string // inputSchema or outputSchema
	draft07 bool
	short   bool // it is an author's: descriptions are cut, and the usual draft is not said
	left    []string
	loose   bool // something other than an annotation is left out somewhere
	changed bool
}

// maxNotes is how many keywords are named, maxPlace how many characters their places have.
const maxNotes, maxPlace = 20, 120

// sanitized returns a schema as clients accept it, whether it differs, and what was left out.
// A wrapped one is that of the property "result".
func sanitized(root *value, name string, wrap, short bool) (out *value, changed bool, notes []string) {
	s := sanitizer{root: root, name: name, short: short, draft07: strings.TrimSuffix(root.get("$schema").str(), "#") == draft07}
	out, _ = s.schema(root, "", !wrap)
	if s.loose {
		s.left = nil
		out, _ = s.schema(root, "", !wrap)
	}
	if wrap {
		out = object(member{"properties", object(member{"result", out})}, member{"required", &value{kind: '[', items: []*value{text("result")}}}, member{"type", text("object")})
	}
	if ref := dangling(out, out, wrap); ref != "" {
		out, s.left, s.changed = object(member{"type", text("object")}), []string{fmt.Sprintf("%s: tools/list describes any object, since the reference %q leads to a place that is not listed", name, ref)}, true
	}
	if more := len(s.left) - maxNotes; more > 0 {
		s.left = append(s.left[:maxNotes:maxNotes], fmt.Sprintf("%s: %d more are left out", name, more))
	}
	return out, s.changed || wrap, s.left
}

// note says that the keyword at a place is left out.
func (s *sanitizer) note(at, why string) {
	s.left = append(s.left, s.name+diag.Cut(at, maxPlace)+" is left out of tools/list: "+why)
	s.changed = true
}

// Drafts that every client knows, without a final #.
const (
	draft07   = "http://json-schema.org/draft-07/schema"
	draft2020 = "https://json-schema.org/draft/2020-12/schema"
)

// keywordKinds are the kinds of values that clients take for a keyword. They compile these
// keywords, and fail at any other kind.
var keywordKinds = map[string]string{
	"$schema": `"`, "$id": `"`, "$ref": `"`, "$anchor": `"`, "$dynamicRef": `"`, "$dynamicAnchor": `"`, "$comment": `"`,
	"$defs": "{", "definitions": "{", "properties": "{", "patternProperties": "{", "dependentSchemas": "{", "dependentRequired": "{", "dependencies": "{",
	"allOf": "[", "anyOf": "[", "oneOf": "[", "prefixItems": "[", "enum": "[", "required": "[", "examples": "[",
	"items": "{[tf", "additionalItems": "{tf", "additionalProperties": "{tf", "not": "{tf", "if": "{tf", "then": "{tf", "else": "{tf",
	"contains": "{tf", "propertyNames": "{tf", "unevaluatedProperties": "{tf", "unevaluatedItems": "{tf", "contentSchema": "{tf",
	"type": `"[`, "pattern": `"`, "format": `"`, "title": `"`, "description": `"`, "contentEncoding": `"`, "contentMediaType": `"`,
	"minimum": "0", "maximum": "0", "exclusiveMinimum": "0", "exclusiveMaximum": "0", "multipleOf": "0",
	"minLength": "0", "maxLength": "0", "minItems": "0", "maxItems": "0", "minProperties": "0", "maxProperties": "0", "minContains": "0", "maxContains": "0",
	"uniqueItems": "tf", "nullable": "tf", "deprecated": "tf", "readOnly": "tf", "writeOnly": "tf",
}

// annotations are keywords that refuse no value.
var annotations = []string{"$schema", "$id", "id", "$anchor", "$comment", "$defs", "definitions", "title", "description", "examples", "contentEncoding", "contentMediaType", "contentSchema", "deprecated", "readOnly", "writeOnly", "nullable"}

// typeNames are the types of JSON Schema.
var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

var wholeNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+(\.0+)?$`) })

// unseen is why a keyword is left out whose texts cannot be changed.
const unseen = "it has characters that cannot be seen"

// refused says why clients refuse a keyword of a schema, "" if they do not.
func (s *sanitizer) refused(v *value, key string, of *value, top bool) string {
	if kinds, ok := keywordKinds[key]; ok && !of.is(kinds) {
		return "clients do not take this kind of value"
	}
	switch key {
	case "anyOf", "oneOf", "allOf":
		if top && s.short {
			return "some clients refuse " + key + " at the top of a schema"
		}
		if len(of.items) == 0 {
			return "clients refuse an empty list"
		}
	case "enum":
		if len(of.items) == 0 {
			return "clients refuse an empty list"
		}
		if of.conceals() {
			return unseen
		}
	case "const", "required", "dependentRequired":
		if of.conceals() {
			return unseen
		}
	case "pattern":
		if of.conceals() {
			return unseen
		}
		if !regex.PortablePattern(of.text) {
			return fmt.Sprintf("JavaScript may not read the pattern %q", of.text)
		}
	case "type":
		if !isType(of) {
			return "JSON Schema has no such type"
		}
	case "nullable":
		if v.find("type") < 0 {
			return "some clients refuse it without a type"
		}
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		if !wholeNumber().Match(of.raw) {
			return "it is not a whole number"
		}
	case "multipleOf":
		if n, err := strconv.ParseFloat(string(of.raw), 64); err != nil || n <= 0 {
			return "it is not more than 0"
		}
	case "$schema":
		if draft := strings.TrimSuffix(of.text, "#"); draft != draft07 && draft != draft2020 {
			return fmt.Sprintf("some clients do not know %q", of.text)
		}
	case "id":
		return "some clients refuse id, whose newer name is $id"
	case "$async":
		return "some clients compile such a schema to something else"
	case "$ref":
		if !s.leads(of.text) {
			return fmt.Sprintf("nothing in the schema is at %q", of.text)
		}
	case "prefixItems":
		if len(of.items) == 0 {
			return "clients refuse an empty list"
		}
	case "additionalItems":
		if !s.draft07 && !v.get("items").is("[") {
			return "it has no meaning here"
		}
	}
	return ""
}

func isType(v *value) bool {
	if v.kind == '"' {
		return slices.Contains(typeNames, v.text)
	}
	seen := map[string]bool{}
	for _, t := range v.items {
		if !t.is(`"`) || !slices.Contains(typeNames, t.text) || seen[t.text] {
			return false
		}
		seen[t.text] = true
	}
	return len(v.items) > 0
}

// schema writes a schema; less says that it accepts more than the schema does.
func (s *sanitizer) schema(v *value, at string, top bool) (out *value, less bool) {
	if v.is("tf") {
		return v, false
	}
	if !v.is("{") {
		s.note(at, "it is not a schema")
		s.loose = true
		return object(), true
	}
	if v == deep {
		s.note(at, fmt.Sprintf("it is nested deeper than %d levels", maxDepth))
		s.loose = true
		return object(), true
	}
	out = object()
	drop := map[string]bool{}
	var unlisted map[string]bool
	for _, m := range v.members {
		key := m.name
		if why := s.refused(v, key, m.value, top); why != "" {
			s.note(at+"/"+key, why)
			drop[key] = true
			less = s.loosen(!slices.Contains(annotations, key)) || less
			continue
		}
		switch key {
		case "$schema":
			if s.short && strings.TrimSuffix(m.text, "#") == draft2020 {
				s.changed = true
				continue // MCP's default
			}
		case "$id":
			s.changed = true
			continue // clients keep one schema for each; references to it were refused
		case "format":
			if s.name == outputSchema { // some clients check it, by rules of their own, and lose the result
				s.changed = true
				continue
			}
		case "items":
			if m.is("[") && !s.draft07 {
				if key, s.changed = "prefixItems", true; len(m.items) == 0 {
					continue
				}
			}
		case "additionalItems":
			if !s.draft07 {
				key, s.changed = "items", true
			}
		case "properties":
			unlisted = s.unlisted(m.value)
		}
		of, loosened := s.keyword(m.name, m.value, at+"/"+m.name, top)
		const more = "it contains a keyword that is left out, without which it would refuse more values"
		switch {
		case loosened && (key == "not" || key == "if"):
			s.note(at+"/"+key, more)
			drop[key] = true
			if key == "if" {
				drop["then"], drop["else"] = true, true
			}
		case loosened && key == "contains":
			s.note(at+"/"+key, more)
			drop[key], drop["minContains"], drop["maxContains"] = true, true, true
		case loosened && key == "oneOf":
			if key = "anyOf"; v.find(key) >= 0 {
				s.note(at+"/oneOf", more)
				key = ""
			}
		case loosened && key == "patternProperties":
			if drop["additionalProperties"] = true; v.find("additionalProperties") >= 0 {
				s.note(at+"/additionalProperties", "a pattern next to it is left out")
			}
		}
		if s.loose && (key == "unevaluatedProperties" || key == "unevaluatedItems") {
			s.note(at+"/"+key, "a keyword that it depends on is left out")
			drop[key], less = true, true
		}
		less = less || loosened || s.loose && (key == "$ref" || key == "$dynamicRef")
		if key != "" {
			out.members = append(out.members, member{key, of})
		}
	}
	out.members = lastOfEach(out.members)
	if drop["type"] || drop["nullable"] {
		drop["nullable"] = true
	}
	if drop["properties"] || len(unlisted) > 0 {
		drop["additionalProperties"] = true
		if required := out.get("required"); required != nil {
			out.set("required", &value{kind: '[', items: slices.DeleteFunc(slices.Clone(required.items), func(name *value) bool { return unlisted[name.text] })})
		}
	}
	if drop["prefixItems"] || drop["items"] && v.get("items").is("[") {
		drop["items"], drop["additionalItems"] = true, true
	}
	if s.name == inputSchema && slices.Contains(v.types(), "array") && v.find("items") < 0 && v.find("prefixItems") < 0 {
		out.set("items", object())
		s.changed = true
	}
	before := len(out.members)
	out.members = slices.DeleteFunc(out.members, func(m member) bool { return drop[m.name] })
	s.changed = s.changed || len(out.members) < before
	return out, less
}

// loosen remembers that something is left out that refuses values.
func (s *sanitizer) loosen(is bool) bool {
	s.loose = s.loose || is
	return is
}

// types are those that a schema names.
func (v *value) types() []string {
	t := v.get("type")
	if t.is(`"`) {
		return []string{t.text}
	}
	var names []string
	if t.is("[") {
		for _, item := range t.items {
			names = append(names, item.text)
		}
	}
	return names
}

// unlisted are the properties that are left out.
func (s *sanitizer) unlisted(v *value) map[string]bool {
	names := map[string]bool{}
	for _, m := range v.members {
		if s.unnamed("properties", m.name) != "" {
			names[m.name] = true
		}
	}
	return names
}

// unnamed says why a member of a keyword is left out for its name, "" if it is not.
func (s *sanitizer) unnamed(key, name string) string {
	switch {
	case diag.Visible(name) != name:
		return unseen
	case key == "patternProperties" && !regex.PortablePattern(name):
		return fmt.Sprintf("JavaScript may not read the pattern %q", name)
	case key == "properties" && s.name == inputSchema && !PortableName(name):
		return "model APIs refuse the name"
	}
	return ""
}

// keyword writes the value of one keyword.
func (s *sanitizer) keyword(key string, v *value, at string, top bool) (out *value, less bool) {
	switch key {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		out = object()
		for _, m := range v.members {
			place := at + "/" + diag.EscapePointer(m.name)
			if why := s.unnamed(key, m.name); why != "" {
				s.note(place, why)
				less = s.loosen(true)
				continue
			}
			of, loosened := m.value, false
			if key != "dependencies" || !of.is("[") {
				of, loosened = s.schema(m.value, place, false)
			}
			if top && key == "properties" && of.is("tf") {
				of, s.changed = asObject(of), true
			}
			less = less || loosened && key != "$defs" && key != "definitions"
			out.members = append(out.members, member{m.name, of})
		}
		return out, less
	case "allOf", "anyOf", "oneOf", "prefixItems", "items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
		if !v.is("[") {
			return s.schema(v, at, false)
		}
		out = &value{kind: '['}
		for i, item := range v.items {
			of, loosened := s.schema(item, at+"/"+strconv.Itoa(i), false)
			less = less || loosened
			out.items = append(out.items, of)
		}
		return out, less
	case "required":
		out = &value{kind: '['}
		seen := map[string]bool{}
		for _, item := range v.items {
			switch {
			case !item.is(`"`):
				s.note(at, "one of its items is not a string")
				less = s.loosen(true)
			case seen[item.text]:
				s.changed = true
			default:
				seen[item.text] = true
				out.items = append(out.items, item)
			}
		}
		return out, less
	case "description":
		if cut := ShortDescription(v.text); s.short && cut != v.text {
			s.changed = true
			return text(cut), false
		}
	}
	return v, false
}

// asObject writes a boolean schema as an object: some clients refuse the whole list
// of tools for one property that is true.
func asObject(v *value) *value {
	if v.kind == 't' {
		return object()
	}
	return object(member{"not", object()})
}

// dangling returns a reference in a schema that leads nowhere in its root, or "". In a
// wrapped schema one to the whole leads elsewhere.
func dangling(root, v *value, wrapped bool) string {
	for _, m := range v.members {
		if m.name == "$ref" && m.is(`"`) && (strings.HasPrefix(m.text, "#/") && at(root, m.text) == nil || wrapped && m.text == "#") {
			return m.text
		}
		if ref := dangling(root, m.value, wrapped); ref != "" {
			return ref
		}
	}
	for _, item := range v.items {
		if ref := dangling(root, item, wrapped); ref != "" {
			return ref
		}
	}
	return ""
}

// leads reports whether a reference leads to a place in the schema.
func (s *sanitizer) leads(ref string) bool {
	switch {
	case ref == "#":
		return true
	case strings.HasPrefix(ref, "#/"):
		return at(s.root, ref) != nil
	}
	return strings.HasPrefix(ref, "#") && anchored(s.root, ref[1:])
}

// anchored reports whether a schema has an anchor.
func anchored(v *value, name string) bool {
	return v.get("$anchor").str() == name || v.get("$dynamicAnchor").str() == name ||
		slices.ContainsFunc(v.items, func(item *value) bool { return anchored(item, name) }) ||
		slices.ContainsFunc(v.members, func(m member) bool { return anchored(m.value, name) })
}

// at returns what a local reference points at, or nil.
func at(v *value, ref string) *value {
	for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		part = diag.UnescapePointer(part)
		if v.is("{") {
			if v = v.get(part); v == nil {
				return nil
			}
			continue
		}
		i, err := strconv.Atoi(part)
		if err != nil || !v.is("[") || i < 0 || i >= len(v.items) {
			return nil
		}
		v = v.items[i]
	}
	return v
}
