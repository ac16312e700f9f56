package run

import "slices"

// A Tally counts the steps of a record while they are filed, so that nobody goes over a
// million of them when the run has ended. The zero Tally is that of no steps.
type Tally struct {
	executions int // of nodes that do not consist of others
	filed      int // steps of which anything is known
	done       int // steps that have an outcome from which the run continues
	calls      int // that gave a result or were caught
	called     int64
}

// Add counts a step as it is.
func (t *Tally) Add(s *StepRecord) { t.count(s, 1) }

// Remove undoes Add, before the step becomes another.
func (t *Tally) Remove(s *StepRecord) { t.count(s, -1) }

func (t *Tally) count(s *StepRecord, n int) {
	if !s.Frame {
		t.executions += n
	}
	if s.Key == "" {
		return
	}
	t.filed += n
	if !s.Done() {
		return
	}
	t.done += n
	if s.Call != "" && s.Simulated == "" {
		t.calls += n
		t.called += int64(n * s.Size)
	}
}

// Tallied notes the tally of the record's steps, of a run that has stopped. From then on
// its methods take what they return from it. Nil says that the steps change.
func (r *Record) Tallied(t *Tally) { r.tally = t }

// counted returns the tally of the record's steps.
func (r *Record) counted() *Tally {
	if r.tally != nil {
		return r.tally
	}
	t := &Tally{}
	for _, s := range r.Steps {
		t.Add(s)
	}
	return t
}

// Executions returns how many node executions the run has had, as its limit counts
// them: a node that consists of others, such as a foreach, does not count itself.
func (r *Record) Executions() int { return r.counted().executions }

// Filed returns how many steps the record knows anything of.
func (r *Record) Filed() int { return r.counted().filed }

// Calls returns how many calls of the run gave a result or were caught, and how many
// bytes of JSON their results have, about.
func (r *Record) Calls() (n int, bytes int64) {
	t := r.counted()
	return t.calls, t.called
}

// Undone returns the steps that have no outcome from which the run continues, in order.
func (r *Record) Undone() []*StepRecord {
	left := len(r.Steps)
	if r.tally != nil {
		left = r.tally.filed - r.tally.done
	}
	var undone []*StepRecord
	for i := len(r.Steps) - 1; i >= 0 && len(undone) < left; i-- {
		if s := r.Steps[i]; s.Key != "" && !s.Done() {
			undone = append(undone, s)
		}
	}
	slices.Reverse(undone)
	return undone
}
