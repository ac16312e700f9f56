package run

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A Moment is the start or the end of a step.
type Moment struct {
	Step  *StepRecord
	Ended bool
}

// At is when it happened.
func (m Moment) At() time.Time {
	if m.Ended {
		return m.Step.Started.Add(m.Step.Duration)
	}
	return m.Step.Started
}

// Moments are the starts and ends of steps in the order in which they happened. At the same
// time, which is frequent where a clock stands still between calls, a step ends before the
// next one starts, and after the steps that it consists of.
func Moments(steps []*StepRecord) []Moment {
	steps = slices.DeleteFunc(slices.Clone(steps), func(s *StepRecord) bool { return s.Started.IsZero() })
	ends := slices.DeleteFunc(slices.Clone(steps), func(s *StepRecord) bool { return s.Ended == 0 })
	slices.SortStableFunc(ends, func(a, b *StepRecord) int { return cmp.Compare(a.Ended, b.Ended) })
	all := make([]Moment, 0, len(steps)+len(ends))
	for _, s := range steps {
		for len(ends) > 0 && ends[0].Index < s.Index && !partOf(s.Key, ends[0].Key) {
			all, ends = append(all, Moment{ends[0], true}), ends[1:]
		}
		all = append(all, Moment{s, false})
	}
	for _, s := range ends {
		all = append(all, Moment{s, true})
	}
	slices.SortStableFunc(all, func(a, b Moment) int { return cmp.Compare(a.At().UnixNano(), b.At().UnixNano()) })
	return all
}

// partOf reports whether the step of a key is one of those that another one consists of.
func partOf(key, frame string) bool {
	rest, inside := strings.CutPrefix(key, frame)
	return inside && rest != "" && (rest[0] == '[' || rest[0] == '/')
}

// Event is the moment as the process that executes the run tells of it, as far as the record
// has it.
func (m Moment) Event() Event {
	s := m.Step
	e := Event{
		Key: s.Key, Node: s.Node, Type: s.Type, Index: s.Index, Part: s.Part, Pure: s.Pure, Frame: s.Frame,
		Branches: s.Branches, At: m.At(), Ended: m.Ended, Definition: s.Definition,
	}
	if !m.Ended {
		return e
	}
	e.Duration, e.Input, e.Output, e.Size, e.Caught = s.Duration, s.Input, s.Output, s.Size, s.Caught
	e.Call, e.Attempts, e.Simulated = s.Call, s.Attempts, s.Simulated
	if s.Fault != nil {
		e.Err = s.Fault
	}
	return e
}
