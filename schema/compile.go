package schema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// maxSchema is the size in bytes above which a schema is not compiled: what it
// says is then unknown.
const maxSchema = 1 << 20

// maxObjects is how many JSON objects a schema may have, which is at least as many as
// it has subschemas.
const maxObjects = 10_000

// The largest pattern that is compiled, and all patterns of a schema together, in
// instructions: of about a hundred bytes each.
const (
	maxPattern  = 10_000
	maxPatterns = 100_000
)

// compile compiles the schema, in parts of about so many subschemas where it can be split.
func (s *Schema) compile(together int) {
	defer func() {
		if p := recover(); p != nil {
			s.compiled, s.err = nil, fmt.Errorf("the schema cannot be compiled: %v", p)
		}
	}()
	if len(s.Raw) > maxSchema {
		s.err = fmt.Errorf("the schema has %d bytes, at most %d are read", len(s.Raw), maxSchema)
		return
	}
	n := objectsIn(s.Raw)
	if n > maxObjects {
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
	parts, remaining := split(doc, together)
	if remaining > maxJoined {
		s.err = fmt.Errorf("the schema has %d objects that may refer to each other, at most %d are read", remaining, maxJoined)
		return
	}
	compiled, err := s.joined(doc, parts)
	_, invalid := errors.AsType[*jsonschema.SchemaValidationError](err)
	if len(parts) > 0 && (invalid || err != nil && n <= maxJoined) {
		// An invalid schema fails early, and its error names all that is invalid. A fault in
		// a definition that nothing refers to is found only when the definition is split.
		compiled, err = s.joined(s.document(), nil)
	}
	if err != nil {
		s.odd, s.err = s.readable(err)
		return
	}
	s.compiled, s.err = newValidator(compiled)
}

// document returns the schema as a value. Raw was read before, so it is valid JSON.
func (s *Schema) document() any {
	doc, _ := jsonschema.UnmarshalJSON(bytes.NewReader(s.Raw))
	return doc
}

// here is the location of every schema.
const here = "mem:///schema.json"

// joined compiles a document and its parts.
func (s *Schema) joined(doc any, parts []part) (*jsonschema.Schema, error) {
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
	if err := c.AddResource(here, doc); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, err
	}
	return compiled, join(c, parts)
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, which is not fetched", url)
}

var locations = regexp.MustCompile(`mem:///(schema|part\d+)\.json`)

// readable reduces the library's multi-line report to its last, telling line, and
// returns the places of what JSON Schema does not allow.
func (s *Schema) readable(err error) (odd [][]string, short error) {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if v, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err); ok {
			found := flatten(v, s.document())
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
	return nil, errors.New(strings.TrimSpace(locations.ReplaceAllString(lines[len(lines)-1], "")))
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
