package schema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// maxSchema is the size in bytes above which a schema is not compiled: what it
// says is then unknown.
const maxSchema = 1 << 20

// maxObjects is how many JSON objects a schema may have, which is at least as many as
// it has subschemas: the library takes time that grows with their square, 0.4 s here.
const maxObjects = 10_000

// The largest pattern that is compiled, and all patterns of a schema together, in
// instructions: of about a hundred bytes each.
const (
	maxPattern  = 10_000
	maxPatterns = 100_000
)

func (s *Schema) compile() {
	defer func() {
		if p := recover(); p != nil {
			s.compiled, s.err = nil, fmt.Errorf("the schema cannot be compiled: %v", p)
		}
	}()
	if len(s.Raw) > maxSchema {
		s.err = fmt.Errorf("the schema has %d bytes, at most %d are read", len(s.Raw), maxSchema)
		return
	}
	if n := objectsIn(s.Raw); n > maxObjects {
		s.err = fmt.Errorf("the schema has %d objects, at most %d are read", n, maxObjects)
		return
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.Raw))
	if err != nil {
		s.err = fmt.Errorf("the schema is not JSON: %w", err)
		return
	}
	if err := checkNumbers(doc); err != nil {
		s.err = err
		return
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	left := int64(maxPatterns)
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) {
		m, checked := regex.Tolerant(pattern, min(left, maxPattern))
		if checked {
			left -= regex.Size(pattern)
		} else if !slices.Contains(s.unchecked, pattern) {
			s.unchecked = append(s.unchecked, pattern)
		}
		return m, nil
	})
	const here = "mem:///schema.json"
	if err := c.AddResource(here, doc); err != nil {
		s.odd, s.err = readable(err, doc)
		return
	}
	compiled, err := c.Compile(here)
	if err != nil {
		s.odd, s.err = readable(err, doc)
		return
	}
	s.compiled, s.err = newValidator(compiled)
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, which is not fetched", url)
}

// readable reduces the library's multi-line report to its last, telling line, and
// returns the places of what JSON Schema does not allow.
func readable(err error, doc any) (odd [][]string, short error) {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if v, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err); ok {
			found := flatten(v, doc)
			slices.SortFunc(found, func(a, b Mismatch) int { // their order is that of a map
				return cmp.Or(strings.Compare(a.Pointer(), b.Pointer()), strings.Compare(a.Message, b.Message))
			})
			for i := range found {
				odd = append(odd, found[i].Path)
			}
			if len(found) > 0 {
				return odd, fmt.Errorf("not a valid JSON Schema: at %s: %s", found[0].Pointer(), found[0].Message)
			}
		}
	}
	if remote, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return nil, remote.Err
	}
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	return nil, errors.New(strings.TrimSpace(strings.ReplaceAll(lines[len(lines)-1], "mem:///schema.json", "")))
}

// objectsIn is how many objects JSON has.
func objectsIn(raw []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case c == '{' && !quoted:
			n++
		}
	}
	return n
}
