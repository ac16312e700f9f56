package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/types"
)

// A clash is a place where no value of one type can satisfy another.
type clash struct {
	path    []string
	message string
	got     string
	want    string
	keyword string // as of a Mismatch: required, additionalProperties, type, enum
	name    string // the field that is missing or too many
}

// clashes compares what a value can be with what is wanted, and returns the places
// that are wrong whatever happens at run time. Undefined is not compared: whether
// a value may be absent is the business of whoever holds it.
func clashes(got, want types.Type, path []string) []clash {
	got = got.Without(types.Undefined)
	if got.Kinds == 0 || got.IsUnknown() || want.IsUnknown() || want.Kinds == 0 || len(path) > 16 {
		return nil
	}
	both := got.Kinds & want.Kinds
	if both == 0 {
		return []clash{{path: slices.Clone(path), keyword: "type", got: got.String(), want: want.String(), message: fmt.Sprintf("got %s, expected %s", got, want)}}
	}
	if both == types.String && got.Only(types.String) && disjoint(got.Enum, want.Enum) {
		return []clash{{path: slices.Clone(path), keyword: "enum", got: got.String(), want: want.String(), message: fmt.Sprintf("got %s, expected %s", got, want)}}
	}
	if got.Only(types.Object) {
		return objectClashes(got, want, path)
	}
	if got.Only(types.Array) && want.Elem != nil {
		for _, item := range got.Known {
			if found := clashes(item, *want.Elem, append(path, "*")); len(found) > 0 {
				return found
			}
		}
	}
	if got.Only(types.Array) && got.Elem != nil && want.Elem != nil {
		return clashes(*got.Elem, *want.Elem, append(path, "*"))
	}
	return nil
}

// disjoint reports whether two sets of strings are known and share none.
func disjoint(a, b []string) bool {
	if a == nil || b == nil {
		return false
	}
	return !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func objectClashes(got, want types.Type, path []string) []clash {
	var found []clash
	for _, f := range want.Fields {
		have, listed := got.Field(f.Name)
		switch {
		case listed:
			found = append(found, clashes(have, f.Type, append(path, f.Name))...)
			if have.Only(types.Undefined) && !f.Optional {
				found = append(found, missing(f.Name, path))
			}
		case got.Closed && !f.Optional:
			found = append(found, missing(f.Name, path))
		}
	}
	if !want.Closed {
		return found
	}
	for _, f := range got.Fields {
		if _, listed := want.Field(f.Name); !listed && !f.Optional && !slices.ContainsFunc(want.Fields, func(w types.Field) bool { return w.Name == f.Name }) {
			found = append(found, clash{path: slices.Clone(path), keyword: "additionalProperties", name: f.Name, message: fmt.Sprintf("unknown %q", f.Name)})
		}
	}
	return found
}

func missing(name string, path []string) clash {
	return clash{path: slices.Clone(path), keyword: "required", name: name, message: fmt.Sprintf("missing %q", name)}
}

// where writes the place of a clash for a message: "at a.b", or "".
func (c *clash) where() string {
	if len(c.path) == 0 {
		return ""
	}
	return "at " + strings.Join(c.path, ".") + " "
}
