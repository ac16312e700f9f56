package verbs

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/renameio/v2/maybe"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Observed is what successful results of a tool without an output schema have
// looked like: types and field names, never values.
type Observed struct {
	Samples int             `json:"samples"`
	Schema  json.RawMessage `json:"schema"` // a JSON Schema that describes and does not bind
}

// The bounds of what is learned.
const (
	mostSamples  = 100 // of one tool; later results teach nothing more
	mostObserved = 5000
)

// observer learns the shapes of results.
type observer struct {
	path    string                                // of the file that keeps them, or ""
	redact  func(json.RawMessage) json.RawMessage // what is written; nil: nothing
	mu      sync.Mutex
	seen    map[string]*observation // by tool id and version
	changed func()
}

type observation struct {
	Samples int             `json:"samples"`
	Schema  json.RawMessage `json:"schema"`
	shape   expr.Shape
}

// newObserver reads what was learned before. A file that cannot be read teaches
// nothing.
func newObserver(dir string, redact func(json.RawMessage) json.RawMessage, changed func()) *observer {
	o := &observer{seen: map[string]*observation{}, redact: redact, changed: changed}
	if dir == "" {
		return o
	}
	o.path = filepath.Join(dir, "observed.json")
	b, err := os.ReadFile(o.path)
	if err != nil || json.Unmarshal(b, &o.seen) != nil {
		o.seen = map[string]*observation{}
		return o
	}
	for _, s := range o.seen {
		learned, _ := expr.TypeOf(s.Schema)
		s.shape = onlyTypes(learned)
	}
	return o
}

func observedKey(s *specs.Spec) string { return s.ID() + "@" + s.Version }

// of returns what is known of a tool, or nil.
func (o *observer) of(s *specs.Spec) *Observed {
	if o == nil || len(s.OutputSchema) > 0 || s.NodeType != "mcp" {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := o.seen[observedKey(s)]
	if seen == nil {
		return nil
	}
	return &Observed{Samples: seen.Samples, Schema: seen.Schema}
}

// learn merges one result into what is known of its tool.
func (o *observer) learn(s *specs.Spec, output expr.Value) {
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
		if len(o.seen) >= mostObserved {
			o.mu.Unlock()
			return
		}
		seen = &observation{}
		o.seen[key] = seen
	}
	if seen.Samples >= mostSamples {
		o.mu.Unlock()
		return
	}
	seen.Samples++
	merged := seen.shape.Or(onlyTypes(expr.ShapeOfJSON(v, true)))
	schema, err := json.Marshal(schemaOf(merged))
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
func (o *observer) save() {
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
func onlyTypes(s expr.Shape) expr.Shape {
	s.Enum, s.Strict = nil, s.Has(expr.ShapeObject)
	if s.Elem != nil {
		elem := onlyTypes(*s.Elem)
		s.Elem = &elem
	}
	fields := make([]expr.ShapeField, len(s.Fields))
	for i, f := range s.Fields {
		f.Shape = onlyTypes(f.Shape)
		fields[i] = f
	}
	s.Fields = fields
	return s
}

// schemaOf writes a shape as a JSON Schema.
func schemaOf(s expr.Shape) map[string]any {
	schema := map[string]any{}
	var types []string
	for _, k := range []struct {
		kind expr.ShapeKind
		name string
	}{
		{expr.ShapeNull, "null"},
		{expr.ShapeBoolean, "boolean"},
		{expr.ShapeFraction, "number"},
		{expr.ShapeInteger, "integer"},
		{expr.ShapeString, "string"},
		{expr.ShapeArray, "array"},
		{expr.ShapeObject, "object"},
	} {
		if s.Has(k.kind) && (k.name != "integer" || !s.Has(expr.ShapeFraction)) {
			types = append(types, k.name)
		}
	}
	switch len(types) {
	case 0:
	case 1:
		schema["type"] = types[0]
	default:
		schema["type"] = types
	}
	if s.Has(expr.ShapeArray) && s.Elem != nil && s.Elem.Kinds != 0 {
		schema["items"] = schemaOf(*s.Elem)
	}
	if len(s.Fields) > 0 {
		properties := map[string]any{}
		var required []string
		for _, f := range s.Fields {
			properties[f.Name] = schemaOf(f.Shape)
			if !f.Optional {
				required = append(required, f.Name)
			}
		}
		schema["properties"] = properties
		if len(required) > 0 {
			schema["required"] = required
		}
	}
	return schema
}

// observing is a caller that learns from the results of tools without an output
// schema.
type observing struct {
	next engine.Caller
	from *observer
	snap *catalog.Snapshot
}

func (o *observing) CallTool(ctx context.Context, c engine.Call) (*engine.Result, error) {
	res, err := o.next.CallTool(ctx, c)
	if err != nil || res.IsError || res.Simulated != "" {
		return res, err
	}
	spec := o.snap.Tool(c.Server, c.Tool)
	if spec == nil || len(spec.OutputSchema) > 0 {
		return res, nil
	}
	if output, unreadable := engine.Unwrap(res); unreadable == nil && output != nil {
		o.from.learn(spec, output)
	}
	return res, nil
}
