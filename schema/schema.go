// Package schema reads JSON Schema: it compiles and checks values within bounds,
// turns a schema into a type, and makes samples and parameter lists from one. It
// knows no documents and no expressions.
package schema

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/types"
)

// A Schema is a JSON Schema, compiled at its first use. It is safe for
// concurrent use. Nothing it refers to is ever fetched.
type Schema struct {
	Raw json.RawMessage

	rootOnce sync.Once
	root     *Node

	once     sync.Once
	compiled *validator
	err      error
	// unchecked are patterns that are not checked.
	unchecked []string
	// odd are the places of what JSON Schema does not allow, if that is why the schema
	// cannot be used.
	odd [][]string

	typeOnce sync.Once
	typed    types.Type

	filledOnce sync.Once
	filled     types.Type
}

// New returns the schema of raw, shared by all who ask for the same text, or nil
// when raw is empty.
func New(raw json.RawMessage) *Schema {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	if len(raw) > schemaCacheText {
		return &Schema{Raw: raw}
	}
	if s, ok := schemaCache().Get(string(raw)); ok {
		return s
	}
	s := &Schema{Raw: bytes.Clone(raw)}
	schemaCache().Add(string(raw), s)
	return s
}

const (
	schemaCacheSize = 2000      // schemas: the tools and graphs of a large catalog
	schemaCacheText = 128 << 10 // bytes above which a schema is not kept: those of large APIs are kept
	// schemaCacheTexts is how many bytes those that are kept have together. What is compiled
	// takes up to 400 times as much memory.
	schemaCacheTexts = 512 << 10
)

// schemaCache keeps schemas by their text: a graph is checked many times while it
// is written, and each time it brings the same schemas.
var schemaCache = sync.OnceValue(func() *cache.Cache[string, *Schema] {
	return cache.Texts[*Schema](schemaCacheSize, schemaCacheTexts)
})

// Err says why the schema cannot be used, or returns nil. A nil Schema is
// usable and accepts everything.
func (s *Schema) Err() error {
	if s == nil {
		return nil
	}
	s.once.Do(func() { s.compile() })
	return s.err
}

// Unchecked returns the patterns of the schema that are not checked, because Go cannot
// express them or they are too large.
func (s *Schema) Unchecked() []string {
	if s.Err() != nil || s == nil {
		return nil
	}
	return s.unchecked
}

// Verify says why a schema cannot be used, or returns nil. Unlike [New] it keeps
// nothing.
func Verify(raw json.RawMessage) error { return (&Schema{Raw: raw}).Err() }

// Root returns the schema as it is written. A nil Schema has a nil root.
func (s *Schema) Root() *Node {
	if s == nil {
		return nil
	}
	s.rootOnce.Do(func() { s.root = Read(s.Raw) })
	return s.root
}

// Type returns the values that the schema allows; a nil or unusable one allows all.
func (s *Schema) Type() types.Type {
	if s == nil || s.Err() != nil {
		return types.Unknown()
	}
	s.typeOnce.Do(func() { s.typed, _ = s.Root().typed() })
	return s.typed
}

// ArgumentType returns the type of a run's arguments once the schema's defaults are
// filled in.
func (s *Schema) ArgumentType() types.Type {
	t := s.FilledType()
	return types.ObjectOf(t.Closed, t.Fields...)
}

// FilledType is [Schema.Type] once the schema's defaults are filled in.
func (s *Schema) FilledType() types.Type {
	if s == nil || s.Err() != nil || !bytes.Contains(s.Raw, []byte(`"default"`)) {
		return s.Type()
	}
	s.filledOnce.Do(func() { s.filled = (&typeReader{filled: true}).schema(s.Root(), 0) })
	return s.filled
}
