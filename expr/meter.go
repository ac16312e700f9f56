package expr

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A Meter bounds what is computed for a run by what is counted, so that a run that is
// repeated on another machine ends at the same place. It is for one goroutine at a time.
type Meter struct {
	// MaxSteps is how many steps the evaluations of a scope take together, from one call of
	// [Scope.Freeze] to the next. The making of 16 bytes counts as a step.
	MaxSteps int
	// Before is called before each evaluation, and After with the steps that it took.
	Before func(ctx context.Context)
	After  func(steps int)
}

// bytesPerStep is how many bytes of values are made in about the time of a step.
const bytesPerStep = 16

// Measure has a meter bound the evaluations of s, and of its children from now on.
func (s *Scope) Measure(m *Meter) { s.meter = m }

// admit calls the meter before an evaluation, and sets how many steps it may take.
func (s *Scope) admit(ctx context.Context) {
	s.meter.Before(ctx)
	left := max(s.meter.MaxSteps-s.counted, 1)
	l := &s.evaluator.Limits
	l.MaxSteps, l.MaxMemory = left, min(cmp.Or(l.MaxMemory, jsonata.DefaultMemory), left*bytesPerStep)
}

// count tells the meter how many steps an evaluation took.
func (s *Scope) count() {
	steps, bytes := s.evaluator.Used()
	steps += bytes / bytesPerStep
	s.counted += steps
	s.meter.After(steps)
}

// explained says of an evaluation that took too much that others before it have taken some
// of that.
func (s *Scope) explained(err error) error {
	e, ok := errors.AsType[*jsonata.Error](err)
	if s.meter == nil || s.counted == 0 || !ok || e.Code != "too-much-work" && e.Code != "too-much-memory" {
		return err
	}
	said := *e
	said.Code, said.Hint = "too-much-work", "let several nodes, or the items of a foreach, do the work"
	said.Message = fmt.Sprintf("the expressions of one execution of the node took more than %d steps together", s.meter.MaxSteps)
	return &said
}

// Size returns about how many bytes v takes as JSON, escapes left aside. It stops
// counting beyond most, and then returns more than that.
func Size(v Value, most int) int {
	return valueSize(v, most, 0)
}

func valueSize(v Value, most, depth int) int {
	if depth > maxDepth {
		return most + 1
	}
	switch v := v.(type) {
	case string:
		return len(v) + 2
	case float64:
		return sizeOfNumber(v)
	case bool:
		return 5
	case json.Number:
		return len(v)
	case []any:
		n := 1
		for _, item := range v {
			if n > most {
				break
			}
			n += 1 + valueSize(item, most-n, depth+1)
		}
		return n + 1
	case Object:
		n := 1
		for _, key := range v.Keys() {
			if n > most {
				break
			}
			member, _ := v.Get(key)
			n += len(key) + 4 + valueSize(member, most-n, depth+1)
		}
		return n + 1
	}
	return 4
}

// sizeOfNumber counts the digits of whole numbers; others mostly take all that a
// float64 has.
func sizeOfNumber(v float64) int {
	n := 1
	if v < 0 {
		v, n = -v, 2
	}
	if v != float64(int64(v)) || v >= 1e15 {
		return n + 17
	}
	for ; v >= 10; v /= 10 {
		n++
	}
	return n
}
