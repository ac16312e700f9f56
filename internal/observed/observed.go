// Package observed learns what the results of tools without an output schema look
// like: types and field names, never values.
package observed

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/renameio/v2/maybe"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

// An Output describes the successful results of a tool without an output schema.
type Output struct {
	Samples int             `json:"samples"`
	Schema  json.RawMessage `json:"schema"` // a JSON Schema that describes and does not bind
}

// The bounds of what is learned.
const (
	maxSamples  = 100 // of one tool; later results teach nothing more
	maxObserved = 5000
)

// Store learns the shapes of results.
type Store struct {
	path    string                                // of the file that keeps them, or ""
	redact  func(json.RawMessage) json.RawMessage // what is written; nil: nothing
	mu      sync.Mutex
	seen    map[string]*observation // by tool id and version
	changed func()
}

type observation struct {
	Samples int             `json:"samples"`
	Schema  json.RawMessage `json:"schema"`
	shape   types.Type
}

// Open reads what a project has learned before: each has a file in dir, and what one
// learns of a server tells nothing of another's server with the same name. A file that
// cannot be read teaches nothing.
func Open(dir, project string, redact func(json.RawMessage) json.RawMessage, changed func()) *Store {
	o := &Store{seen: map[string]*observation{}, redact: redact, changed: changed}
	if dir == "" {
		return o
	}
	o.path = filepath.Join(dir, "observed.json")
	if project != "" {
		o.path = filepath.Join(dir, "observed-"+project+".json")
	}
	b, err := os.ReadFile(o.path)
	if err != nil || json.Unmarshal(b, &o.seen) != nil {
		o.seen = map[string]*observation{}
		return o
	}
	for _, s := range o.seen {
		learned, _ := schema.TypeOf(s.Schema)
		s.shape = onlyTypes(learned)
	}
	return o
}

func observedKey(s *specs.Spec) string { return s.ID() + "@" + s.Version }

// Of returns what is known of a tool, or nil.
func (o *Store) Of(s *specs.Spec) *Output {
	if o == nil || len(s.OutputSchema) > 0 || s.NodeType != specs.MCP {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := o.seen[observedKey(s)]
	if seen == nil {
		return nil
	}
	return &Output{Samples: seen.Samples, Schema: seen.Schema}
}

// Add merges one result into what is known of its tool.
func (o *Store) Add(s *specs.Spec, output expr.Value) {
	b, err := expr.Encode(output)
	if err != nil {
		return
	}
	var v any
	if json.Unmarshal(b, &v) != nil {
		return
	}
	o.mu.Lock()
	key := observedKey(s)
	seen := o.seen[key]
	if seen == nil {
		if len(o.seen) >= maxObserved {
			o.mu.Unlock()
			return
		}
		seen = &observation{}
		o.seen[key] = seen
	}
	if seen.Samples >= maxSamples {
		o.mu.Unlock()
		return
	}
	seen.Samples++
	merged := seen.shape.Or(onlyTypes(types.OfJSON(v, true)))
	schema, err := json.Marshal(types.SchemaOf(merged))
	if err != nil || string(schema) == string(seen.Schema) {
		o.mu.Unlock()
		return
	}
	seen.shape, seen.Schema = merged, schema
	o.save()
	o.mu.Unlock()
	o.changed()
}

// save writes what is known; a full disk only means that it is learned again.
func (o *Store) save() {
	if o.path == "" {
		return
	}
	b, err := json.Marshal(o.seen)
	if err != nil || os.MkdirAll(filepath.Dir(o.path), 0o700) != nil {
		return
	}
	if o.redact != nil { // the name of a field can be a secret
		b = o.redact(b)
	}
	_ = maybe.WriteFile(o.path, b, 0o600)
}

// onlyTypes drops the texts of a shape, which are values, and closes its objects:
// what is merged is what was seen, and nothing else.
func onlyTypes(s types.Type) types.Type {
	s.Enum, s.Closed = nil, s.Has(types.Object)
	if s.Elem != nil {
		elem := onlyTypes(*s.Elem)
		s.Elem = &elem
	}
	fields := make([]types.Field, len(s.Fields))
	for i, f := range s.Fields {
		f.Type = onlyTypes(f.Type)
		fields[i] = f
	}
	s.Fields = fields
	return s
}
