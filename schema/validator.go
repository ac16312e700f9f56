package schema

import (
	"fmt"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
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
