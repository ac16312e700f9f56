package journal

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	largeValue = 64 << 10 // bytes of a value's text beyond which it is kept once
	largeText  = 1 << 10  // the same for documents, which many runs have in common
	// maxFailedInput is up to how many bytes of JSON the input of a step is kept that has
	// failed and called nothing.
	maxFailedInput = 1 << 20
)

// A row is the columns of a record, and the large texts that they name by hash. Which texts
// are large is part of the format: codes cover the columns.
type row struct {
	columns []any
	blobs   []blob
	asks    *run.Intent // of an intent to ask a model
}

type blob struct{ hash, data []byte }

// text adds a column that holds a text, or its hash if it is large; nil is NULL.
func (r *row) text(b []byte, large int) {
	switch {
	case b == nil:
		r.columns = append(r.columns, nil)
	case len(b) <= large:
		r.columns = append(r.columns, string(b))
	default:
		sum := sha256.Sum256(b)
		r.columns = append(r.columns, sum[:])
		r.blobs = append(r.blobs, blob{sum[:], b})
	}
}

// A text is what a column holds that was read.
type text []byte

// stored returns a text that was read as the column holds it: nil, the text, or its hash.
func stored(b []byte, large int) any {
	switch {
	case b == nil:
		return nil
	case len(b) <= large:
		return text(b)
	}
	sum := sha256.Sum256(b)
	return sum[:]
}

func (r *row) add(columns ...any) { r.columns = append(r.columns, columns...) }

// encoder writes the columns of a record without secrets.
type encoder struct {
	redact    func([]byte) []byte
	sealer    *sealer
	secrets   func() any // [Options.Secrets]
	documents *cache.Cache[documentKey, *row]
}

// A documentKey is a document, and the secrets that are not in its column.
type documentKey struct {
	text    string
	secrets any
}

// newDocuments returns a cache of the columns of documents, which each run of a graph has again.
func newDocuments() *cache.Cache[documentKey, *row] {
	return cache.Sized(256, 32<<20, func(k documentKey, _ *row) int { return 2 * len(k.text) })
}

// document adds the column of a document.
func (e encoder) document(r *row, text string) {
	key := documentKey{text: text}
	if e.secrets != nil {
		key.secrets = e.secrets() // before they are replaced: later ones have another value
		if known, ok := e.documents.Get(key); ok {
			r.columns, r.blobs = append(r.columns, known.columns...), append(r.blobs, known.blobs...)
			return
		}
	}
	b, made := []byte(text), &row{}
	if e.redact != nil {
		b = e.redact(b)
	}
	made.text(b, largeText)
	if e.secrets != nil && len(text) > largeText {
		e.documents.Add(key, made)
	}
	r.columns, r.blobs = append(r.columns, made.columns...), append(r.blobs, made.blobs...)
}

func (e encoder) json(r *row, b []byte) {
	if b != nil && e.redact != nil {
		b = e.redact(b)
	}
	r.text(b, largeValue)
}

func (e encoder) value(r *row, what string, v expr.Value) error {
	b, err := e.bytes(v)
	if err != nil {
		return fmt.Errorf("%s is not JSON: %w", what, err)
	}
	r.text(b, largeValue)
	return nil
}

// bytes returns a value as JSON without secrets; nil where it is undefined.
func (e encoder) bytes(v expr.Value) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	b, err := expr.Encode(v)
	if err == nil && e.redact != nil {
		b = e.redact(b)
	}
	return b, err
}

// within is bytes for a value of at most so many bytes; ok is false for others.
func (e encoder) within(v expr.Value, most int) (b []byte, ok bool) {
	if v == nil {
		return nil, true
	}
	b, larger, err := expr.EncodeWithin(v, most)
	if err != nil || larger {
		return nil, false
	}
	if e.redact != nil {
		b = e.redact(b)
	}
	return b, len(b) <= most
}

// storedFault is a fault with what its own JSON form leaves out.
type storedFault struct {
	diag.Fault
	Got     json.RawMessage `json:"got,omitempty"`
	Want    json.RawMessage `json:"want,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
}

func (e encoder) fault(r *row, f *diag.Fault) {
	if f == nil {
		r.add(nil)
		return
	}
	k := storedFault{Fault: *f, Got: run.AnyJSON(f.Got), Want: run.AnyJSON(f.Want), Details: run.AnyJSON(f.Details)}
	b, _ := json.Marshal(k) // of texts and JSON
	e.json(r, b)
}

func decodeFault(b []byte) (*diag.Fault, error) {
	if b == nil {
		return nil, nil
	}
	var k storedFault
	if err := json.Unmarshal(b, &k); err != nil {
		return nil, err
	}
	f := k.Fault
	if k.Got != nil {
		f.Got = k.Got
	}
	if k.Want != nil {
		f.Want = k.Want
	}
	if k.Details != nil {
		details, err := expr.Decode(k.Details)
		if err != nil {
			return nil, err
		}
		f.Details = details
	}
	return &f, nil
}

func decodeValue(b []byte) (expr.Value, error) {
	if b == nil {
		return nil, nil
	}
	return expr.Decode(b)
}

// keptOptions is the JSON form of a run's options: a pin is a list of its value,
// empty where that is undefined.
type storedOptions struct {
	ID     string                       `json:"id,omitempty"`
	Limits run.Limits                   `json:"limits,omitzero"`
	Pins   map[string][]json.RawMessage `json:"pins,omitempty"`
	Until  string                       `json:"until,omitempty"`

	Operator bool   `json:"operator,omitempty"`
	Around   bool   `json:"around,omitempty"`
	Session  string `json:"session,omitempty"`
	By       string `json:"by,omitempty"`
}

func (e encoder) options(r *row, o run.Options) error {
	k := storedOptions{ID: o.ID, Limits: o.Limits, Until: o.Until, Operator: o.Operator, Around: o.Around, Session: o.Session, By: o.By}
	for id, v := range o.Pins {
		if k.Pins == nil {
			k.Pins = map[string][]json.RawMessage{}
		}
		if v == nil {
			k.Pins[id] = []json.RawMessage{}
			continue
		}
		b, err := expr.Encode(v)
		if err != nil {
			return fmt.Errorf("the pin of %q is not JSON: %w", id, err)
		}
		k.Pins[id] = []json.RawMessage{b}
	}
	b, err := json.Marshal(k)
	e.json(r, b)
	return err
}

func decodeOptions(b []byte) (o run.Options, err error) {
	var k storedOptions
	if err := json.Unmarshal(b, &k); err != nil {
		return o, err
	}
	o = run.Options{ID: k.ID, Limits: k.Limits, Until: k.Until, Operator: k.Operator, Around: k.Around, Session: k.Session, By: k.By}
	for id, v := range k.Pins {
		if o.Pins == nil {
			o.Pins = map[string]expr.Value{}
		}
		o.Pins[id] = nil
		if len(v) > 0 {
			if o.Pins[id], err = expr.Decode(v[0]); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

// nanos is a time as it is kept: nanoseconds since 1970, 0 for none.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func timeFromNanos(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos).UTC()
}
