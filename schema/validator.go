package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A step is one schema looked at for one value, about a microsecond.
const (
	maxSpread   = 20_000    // schemas that apply at one place of a value
	baseSteps   = 1_000_000 // steps of one validation, plus one for each byte of the value
	stepCeiling = 4_000_000 // steps of one validation, however large the value
	workerSteps = 200_000   // steps above which a validation is watched by the clock
	cheapDepth  = 200       // levels of a value within which paths are short
	maxTime     = 2 * time.Second
)

// A validator validates JSON values against a schema within bounds of time and
// memory. It refuses a schema whose references and alternatives expand without
// measure, estimates the work of a validation before it begins, and gives up one
// that takes too long. It is safe for concurrent use.
type validator struct {
	root  *jsonschema.Schema
	facts map[*jsonschema.Schema]*facts
	// linear schemas look at each part of a value a bounded number of times.
	linear bool
	// size is the number of steps that the schema takes for one value at most,
	// infinite for a recursive schema.
	size int64
}

// A refusal says why a value was not validated, or a schema cannot be used.
type refusal struct {
	Path    []string // where, within the value
	Message string   // one lower-case sentence
}

func (r *refusal) Error() string { return r.Message }

func refuse(path []string, format string, args ...any) *refusal {
	return &refusal{Path: path, Message: fmt.Sprintf(format, args...)}
}

// New returns the bounded form of a compiled schema. The error is a *refusal for a
// schema that is too expensive for any value.
func newValidator(root *jsonschema.Schema) (*validator, error) {
	s := &validator{root: root}
	if err := s.measure(); err != nil {
		return nil, err
	}
	return s, nil
}

// checkNumbers refuses a schema document before it is compiled: for numbers that
// would take the memory of the process to write out.
func checkNumbers(doc any) error {
	var w walk
	if r := w.value(doc, nil); r != nil {
		return refuse(nil, "at /%s: %s", strings.Join(r.Path, "/"), r.Message)
	}
	return nil
}

// Validate returns nil, a *jsonschema.ValidationError, or a *refusal when the value
// is not validated. Numbers of the value are of type json.Number.
func (s *validator) validate(v any) error {
	var w walk
	if r := w.value(v, nil); r != nil {
		return r
	}
	if w.depth <= cheapDepth && (s.linear || s.size <= baseSteps/w.volume) {
		return s.root.Validate(v)
	}
	most := min(baseSteps+w.volume, stepCeiling)
	steps := s.estimate(v, most)
	switch {
	case steps > most:
		return refuse(nil, "the value cannot be validated: the references, alternatives, enums and patterns of the schema need more than %d steps for it; simplify the schema, or send a smaller value", most)
	case steps > workerSteps:
		return watch(func() error { return s.root.Validate(v) })
	}
	return s.root.Validate(v)
}

// maxAbandoned is the number of validations of this process that may still run
// after they were given up. A validation cannot be stopped.
const maxAbandoned = 2

var abandoned atomic.Int32

// watch runs a validation and gives it up when it takes too long.
func watch(validate func() error) error {
	if abandoned.Load() >= maxAbandoned {
		return refuse(nil, "the value is not validated: %d earlier validations of expensive schemas have not ended; simplify the schema, or restart the server", maxAbandoned)
	}
	const (
		ended = iota + 1
		givenUp
	)
	var state atomic.Int32
	done := make(chan error, 1)
	go func() {
		err := recovered(validate)
		if !state.CompareAndSwap(0, ended) {
			abandoned.Add(-1)
		}
		done <- err
	}()
	limit := time.NewTimer(maxTime)
	defer limit.Stop()
	select {
	case err := <-done:
		return err
	case <-limit.C:
	}
	abandoned.Add(1)
	if !state.CompareAndSwap(0, givenUp) {
		abandoned.Add(-1)
		return <-done
	}
	return refuse(nil, "the value cannot be validated: it takes longer than %s; simplify the schema, or send a smaller value", maxTime)
}

// recovered runs a validation and reports a panic as a refusal.
func recovered(validate func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refuse(nil, "the value cannot be validated: %v", p)
		}
	}()
	return validate()
}

// maxDigits is the number of digits above which a number is refused. A validator
// writes 1e999999 out to compare it.
const maxDigits = 400

// A walk visits every part of a value once.
type walk struct {
	volume int64 // parts, and bytes of text
	depth  int   // of the deepest part
}

// value returns a refusal for the first number that is too long.
func (w *walk) value(v any, path []string) *refusal {
	w.volume++
	w.depth = max(w.depth, len(path))
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			w.volume += int64(len(key))
			if r := w.value(member, append(path, key)); r != nil {
				return r
			}
		}
	case []any:
		for i, item := range v {
			if n, ok := item.(json.Number); ok && !tooLong(string(n)) {
				w.volume++
			} else if r := w.value(item, append(path, strconv.Itoa(i))); r != nil {
				return r
			}
		}
	case string:
		w.volume += int64(len(v))
	case json.Number:
		if tooLong(string(v)) {
			return refuse(slices.Clone(path), "the number %s has more than %d digits when written out; send a shorter number, or send it as text", diag.Excerpt(string(v)), maxDigits)
		}
	}
	return nil
}

// tooLong reports whether a JSON number has more than maxDigits digits without an
// exponent.
func tooLong(n string) bool {
	if len(n) > maxDigits {
		return true
	}
	e := strings.IndexAny(n, "eE")
	if e < 0 {
		return false
	}
	x, err := strconv.Atoi(n[e+1:])
	return err != nil || max(x, -x)+e > maxDigits
}
