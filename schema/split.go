package schema

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxTogether is how many subschemas are compiled together, about. The library takes time
// that grows with the square of them.
const maxTogether = 300

// maxJoined is how many may be compiled together where they cannot be taken apart: in about
// 0.2 s.
const maxJoined = 5000

// A part is some of the properties of an object schema, which are compiled by themselves.
type part struct {
	path  []string // of the object schema in the document
	doc   any      // the document with these properties alone
	names []string
}

// A splitter takes what can be compiled by itself out of a document, which it changes.
type splitter struct {
	dialect any // of the document, or nil
	most    int // subschemas that may be together
	parts   []part
}

// split takes properties out of the objects of a schema that have more subschemas than
// most, until few remain together. What a reference could lead to stays. ok is false if more
// remains than is compiled together.
func split(doc any, most int) (parts []part, ok bool) {
	root, isObject := doc.(map[string]any)
	if !isObject || !independent(doc) {
		return nil, objects(doc) <= maxJoined
	}
	s := &splitter{dialect: root["$schema"], most: most}
	ok = s.schema(doc, nil) <= maxJoined
	return s.parts, ok
}

// schema returns how many subschemas remain in the one at a path.
func (s *splitter) schema(v any, path []string) int {
	object, ok := v.(map[string]any)
	if !ok {
		return 1
	}
	n := 1
	for _, keyword := range slices.Sorted(maps.Keys(object)) {
		value := object[keyword]
		below, isObject := value.(map[string]any)
		switch {
		case !isObject:
			n += objects(value)
		case keyword == "items" || keyword == "additionalProperties":
			n += s.schema(below, append(slices.Clip(path), keyword))
		case keyword == "$defs" || keyword == "definitions":
			for _, name := range slices.Sorted(maps.Keys(below)) {
				n += s.schema(below[name], append(slices.Clip(path), keyword, name))
			}
		case keyword != "properties":
			n += objects(value)
		}
	}
	properties, ok := object["properties"].(map[string]any)
	if !ok {
		return n
	}
	names, sizes, all := slices.Sorted(maps.Keys(properties)), map[string]int{}, 0
	for _, name := range names {
		sizes[name] = s.schema(properties[name], append(slices.Clip(path), "properties", name))
		all += sizes[name]
	}
	if all <= s.most {
		return n + all
	}
	taken, size := []string{}, 0
	for _, name := range names {
		if hasReference(properties[name]) {
			n += sizes[name]
			continue
		}
		if size > 0 && size+sizes[name] > s.most {
			s.take(properties, path, taken)
			taken, size = nil, 0
		}
		taken, size = append(taken, name), size+sizes[name]
	}
	s.take(properties, path, taken)
	return n
}

// take makes a part of some properties.
func (s *splitter) take(properties map[string]any, path, names []string) {
	if len(names) == 0 {
		return
	}
	some := make(map[string]any, len(names))
	for _, name := range names {
		some[name] = properties[name]
		delete(properties, name)
	}
	var doc any = map[string]any{"properties": some}
	for _, key := range slices.Backward(path) {
		doc = map[string]any{key: doc}
	}
	if s.dialect != nil {
		doc.(map[string]any)["$schema"] = s.dialect
	}
	s.parts = append(s.parts, part{path, doc, names})
}

// objects is how many objects a document has, which is at least as many as its
// subschemas.
func objects(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += objects(item)
		}
	case map[string]any:
		n = 1
		for _, value := range v {
			n += objects(value)
		}
	}
	return n
}

// independent reports whether references lead to the top or to a definition alone, and
// nothing has an identifier of its own.
func independent(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !independent(item) })
	case map[string]any:
		for key, value := range v {
			text, isText := value.(string)
			switch key {
			case "$ref":
				if isText && text != "#" && (!strings.HasPrefix(text, "#/$defs/") && !strings.HasPrefix(text, "#/definitions/") || strings.Count(text, "/") != 2) {
					return false
				}
			case "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef":
				if isText {
					return false
				}
			case "$recursiveAnchor":
				return false
			}
			if !independent(value) {
				return false
			}
		}
	}
	return true
}

// hasReference reports whether there may be a reference in a value.
func hasReference(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, hasReference)
	case map[string]any:
		if _, ok := v["$ref"]; ok {
			return true
		}
		for _, value := range v {
			if hasReference(value) {
				return true
			}
		}
	}
	return false
}

// join compiles the parts of a document, and adds what they have to what is compiled of it.
func join(c *jsonschema.Compiler, parts []part) error {
	owner := map[string]string{} // the location of the document that a property was taken to, by its path
	for i, p := range parts {
		at := fmt.Sprintf("mem:///part%d.json", i)
		if err := c.AddResource(at, p.doc); err != nil {
			return err
		}
		for _, name := range p.names {
			owner[pointer(append(slices.Clip(p.path), "properties", name))] = at
		}
	}
	for i, p := range parts {
		from, err := c.Compile(fmt.Sprintf("mem:///part%d.json#%s", i, pointer(p.path)))
		if err != nil {
			return err
		}
		whole := here
		for n := len(p.path); n > 0; n-- {
			if at, ok := owner[pointer(p.path[:n])]; ok {
				whole = at
				break
			}
		}
		to, err := c.Compile(whole + "#" + pointer(p.path))
		if err != nil {
			return err
		}
		if to.Properties == nil {
			to.Properties = map[string]*jsonschema.Schema{}
		}
		maps.Copy(to.Properties, from.Properties)
	}
	return nil
}

// pointer is a path as the fragment of a URL.
func pointer(path []string) string {
	var b strings.Builder
	for _, key := range path {
		b.WriteString("/" + url.PathEscape(pointerEscapes.Replace(key)))
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
