package schema

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxTogether limits the subschemas that are compiled together, where the schema can be
// split. The library takes time that grows with the square of their number.
const maxTogether = 300

// maxJoined limits the objects of a schema that cannot be split: they compile in about 0.2 s.
const maxJoined = 5000

// A part is a group of properties of an object schema that is compiled separately.
type part struct {
	path  []string // of the object schema in the document
	doc   any      // the document with these properties alone
	names []string
}

// A splitter moves properties from a document to parts.
type splitter struct {
	dialect any // of the document, or nil
	most    int // subschemas of a part
	parts   []part
}

// split moves properties of objects that have more than most subschemas from a document to
// parts. It keeps everything that a reference may lead to, and returns how many objects
// remain.
func split(doc any, most int) (parts []part, remaining int) {
	root, ok := doc.(map[string]any)
	if !ok || !independent(doc) {
		return nil, objects(doc)
	}
	s := &splitter{dialect: root["$schema"], most: most}
	remaining = s.schema(doc, nil)
	return s.parts, remaining
}

// schema splits the schema at a path, and returns how many of its objects remain.
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

// take moves properties to a new part.
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

// objects returns the number of objects in a document, which is not less than the number of
// its subschemas.
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

// independent reports whether every reference leads to the root or to a definition, and no
// subschema has an identifier.
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

// join compiles the parts of a document and adds their properties to the compiled schemas
// that they were moved from.
func join(c *jsonschema.Compiler, parts []part) error {
	owner := map[string]string{} // the location of the part that has a property, by its path
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

// pointer returns a path as a URL fragment.
func pointer(path []string) string {
	var b strings.Builder
	for _, key := range path {
		b.WriteString("/" + url.PathEscape(pointerEscapes.Replace(key)))
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
