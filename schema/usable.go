package schema

import (
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
)

// maxRepairs is how often a schema is compiled again without what made it unusable.
const maxRepairs = 10

// Usable returns a schema without the keywords whose values JSON Schema does not allow,
// and where these were, as JSON Pointers: the rest of it says what it said. The error is
// that of [Verify], for a schema that cannot be used without them either.
func Usable(raw json.RawMessage) (usable json.RawMessage, without []string, err error) {
	for range maxRepairs {
		s := &Schema{Raw: raw}
		if err = s.Err(); err == nil {
			return raw, without, nil
		}
		edits := map[string]string{}
		for _, path := range s.odd {
			at, instead, ok := oddKeyword(path)
			if _, twice := edits[at]; ok && !twice {
				edits[at] = instead
				without = append(without, at)
			}
		}
		if len(edits) == 0 {
			break
		}
		raw = appendWithout(nil, Read(raw), "", edits)
	}
	return nil, nil, err
}

// oddKeyword returns the place of the keyword to leave out because of a fault at a path,
// and what is written instead: nothing, or a schema that allows everything where there
// has to be one.
func oddKeyword(path []string) (at, instead string, ok bool) {
	for i := 0; i < len(path); i++ {
		last := i == len(path)-1
		switch path[i] {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
			"allOf", "anyOf", "oneOf", "prefixItems":
			if i++; i == len(path)-1 {
				return diag.Pointer(path), "{}", true
			}
		case "items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties",
			"contains", "propertyNames", "not", "if", "then", "else":
			if _, err := strconv.Atoi(path[min(i+1, len(path)-1)]); err == nil && !last { // a list of them
				if i++; i == len(path)-1 {
					return diag.Pointer(path), "{}", true
				}
			}
		default:
			return diag.Pointer(path[:i+1]), "", true
		}
		if last {
			return diag.Pointer(path), "", true
		}
	}
	return "", "", false
}

// appendWithout writes a value with some edits, by place: a text instead of what is
// there, or nothing.
func appendWithout(buf []byte, n *Node, at string, edits map[string]string) []byte {
	object := n.IsObject()
	if !object && n.kind() != '[' {
		return append(buf, n.raw...)
	}
	start, i := len(buf), 0
	buf = append(buf, n.kind())
	for name, value := range n.All() {
		place := at + "/" + strconv.Itoa(i)
		if object {
			place = at + diag.Pointer([]string{name})
		}
		i++
		instead, edited := edits[place]
		if edited && instead == "" {
			continue
		}
		if len(buf) > start+1 {
			buf = append(buf, ',')
		}
		if object {
			buf, _ = jsontext.AppendQuote(buf, name) // it was read from JSON
			buf = append(buf, ':')
		}
		if edited {
			buf = append(buf, instead...)
		} else {
			buf = appendWithout(buf, value, place, edits)
		}
	}
	return append(buf, n.raw[len(n.raw)-1])
}
