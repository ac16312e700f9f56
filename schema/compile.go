package schema

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// maxSchema is the size in bytes above which a schema is not compiled: what it
// says is then unknown.
const maxSchema = 1 << 20

// maxObjects is how many JSON objects a schema may have, which is at least as many as
// it has subschemas. The library takes time that grows with the square of these: so many
// take 0.1 s.
const maxObjects = 5000

// The largest pattern that is compiled, and all patterns of a schema together, in
// instructions: of about a hundred bytes each.
const (
	maxPattern  = 10_000
	maxPatterns = 100_000
)

// compile compiles the schema.
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
	compiled, err := s.compiledBy(doc)
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

// compiledBy has the library compile a document.
func (s *Schema) compiledBy(doc any) (*jsonschema.Schema, error) {
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
	return c.Compile(here)
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to %s, which is not fetched", url)
}

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
	return nil, errors.New(strings.TrimSpace(strings.ReplaceAll(lines[len(lines)-1], here, "")))
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

const (
	// compiledAtOnce is the size in bytes up to which a schema is compiled in less than a
	// few milliseconds.
	compiledAtOnce = 16 << 10
	// maxUnawaited is how many schemas of this process may be compiled at the same time
	// that no caller waits for any more. A compilation cannot be stopped.
	maxUnawaited = 2
)

var unawaited atomic.Int32

// ErrContext is [Schema.Err] that waits for a large schema to be compiled only until ctx
// ends, and then returns ctx's cause.
func (s *Schema) ErrContext(ctx context.Context) error {
	if s == nil || len(s.Raw) <= compiledAtOnce {
		return s.Err()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.once.Do(func() { s.compile() })
	}()
	select {
	case <-done:
		return s.err
	case <-ctx.Done():
	}
	if unawaited.Add(1) > maxUnawaited {
		unawaited.Add(-1)
		<-done
	} else {
		go func() {
			<-done
			unawaited.Add(-1)
		}()
	}
	return context.Cause(ctx)
}
