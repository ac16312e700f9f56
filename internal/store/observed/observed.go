// Package observed learns what the results of tools without an output schema look
// like: types and field names, never values.
package observed

import (
	"encoding/json"
	"sync"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
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
	maxSamples  = 100       // of one tool; later results teach nothing more
	maxSample   = 256 << 10 // bytes of a result; to decode a larger one would hold its call up
	maxValues   = 1000      // of a result, from its beginning
	maxObserved = 5000      // tools
)

// Store learns the shapes of results. It is safe for concurrent use, and its lock is
// never held while it decodes a result or waits for the disk.
type Store struct {
	file    *file // that keeps the shapes, or nil
	changed func()

	mu   sync.Mutex
	seen map[string]*observation // by tool id and version
}

type observation struct {
	Output
	shape types.Type
}

// Open reads what a project has learned before: each has a file in dir, and what one
// learns of a server tells nothing of another's server with the same name. A file that
// cannot be read teaches nothing. [Store.Close] ends what Open began.
func Open(dir, project string, redact func(json.RawMessage) json.RawMessage, changed func()) *Store {
	o := &Store{seen: map[string]*observation{}, changed: changed}
	if dir != "" {
		o.file = newFile(dir, project, redact)
		o.seen = o.file.read()
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

// Wants reports whether a result of a tool would teach anything. It costs next to
// nothing, whatever the result.
func (o *Store) Wants(s *specs.Spec, res *run.Result) bool {
	size := len(res.Structured)
	if size == 0 {
		for _, item := range res.Content {
			size += len(item)
		}
	}
	if size > maxSample {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if seen := o.seen[observedKey(s)]; seen != nil {
		return seen.Samples < maxSamples
	}
	return len(o.seen) < maxObserved
}

// Add merges one result, as a node puts it out, into what is known of its tool. What is
// known then is written to the file in the background.
func (o *Store) Add(s *specs.Spec, output expr.Value) {
	left := maxValues
	if o.merge(observedKey(s), onlyTypes(types.OfJSON(sample(output, &left), true))) {
		o.changed()
	}
}

// sample returns the beginning of a value, of so many values at most, as encoding/json
// decodes it.
func sample(v expr.Value, left *int) any {
	*left--
	switch v := v.(type) {
	case expr.Object:
		out := make(map[string]any, min(v.Len(), max(*left, 0)))
		for _, key := range v.Keys() {
			if *left <= 0 {
				break
			}
			member, _ := v.Get(key)
			out[key] = sample(member, left)
		}
		return out
	case []any:
		out := make([]any, 0, min(len(v), max(*left, 0)))
		for _, item := range v {
			if *left <= 0 {
				break
			}
			if item := sample(item, left); *left > 0 || len(out) == 0 { // not one that is cut
				out = append(out, item)
			}
		}
		return out
	}
	if expr.IsNull(v) {
		return nil
	}
	return v
}

// merge reports whether a tool is described otherwise than before.
func (o *Store) merge(key string, shape types.Type) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := o.seen[key]
	switch {
	case seen == nil && len(o.seen) >= maxObserved:
		return false
	case seen == nil:
		seen = &observation{}
		o.seen[key] = seen
	case seen.Samples >= maxSamples:
		return false
	}
	seen.Samples++
	merged := seen.shape.Or(shape)
	schema, err := json.Marshal(types.SchemaOf(merged))
	if err != nil || string(schema) == string(seen.Schema) {
		return false
	}
	seen.shape, seen.Schema = merged, schema
	if o.file != nil {
		o.file.write(o.outputs)
	}
	return true
}

// outputs are copies of what is known, with what another process has learned.
func (o *Store) outputs(there map[string]*observation) map[string]Output {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, other := range there {
		ours := o.seen[key]
		if ours == nil {
			if len(o.seen) < maxObserved {
				o.seen[key] = other
			}
			continue
		}
		ours.Samples = max(ours.Samples, other.Samples)
		if string(ours.Schema) != string(other.Schema) {
			shape := ours.shape.Or(other.shape)
			if schema, err := json.Marshal(types.SchemaOf(shape)); err == nil {
				ours.shape, ours.Schema = shape, schema
			}
		}
	}
	all := make(map[string]Output, len(o.seen))
	for key, seen := range o.seen {
		all[key] = seen.Output
	}
	return all
}

// Close waits until what is known is written, at most for a second: the disk may not
// answer, and a lost shape is learned again.
func (o *Store) Close() {
	if o != nil && o.file != nil {
		o.file.close()
	}
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
