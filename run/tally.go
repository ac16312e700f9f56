package run

import "slices"

// A Tally counts the steps of a record while they are filed, so that no reader goes over a
// million of them when the run has ended. The zero Tally is that of no steps.
type Tally struct {
	executions int // of nodes that do not consist of others
	filed      int // steps with anything known
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

// SetTally notes the tally of the record's steps, of a run that has stopped. From then on
// its methods take what they return from it. Nil says that the steps change.
func (r *Record) SetTally(t *Tally) { r.tally = t }

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

// stepsAtOnce is how many step records one allocation holds at most. Records do not
// move: a list of a million of them that was copied as it grows would hold up every
// goroutine of the process meanwhile.
const stepsAtOnce = 64

// Steps makes step records, several in one allocation. The zero value is ready.
type Steps struct {
	free []StepRecord
	made int
}

// New returns an empty record.
func (s *Steps) New() *StepRecord {
	if len(s.free) == 0 {
		s.reserve(min(max(s.made, 4), stepsAtOnce))
	}
	r := &s.free[0]
	s.free = s.free[1:]
	return r
}

func (s *Steps) reserve(n int) {
	s.free = make([]StepRecord, n)
	s.made += n
}

// Put files a copy of a record at its index in a list, and returns the list. Empty
// records fill the places before it.
func (s *Steps) Put(list []*StepRecord, step *StepRecord) []*StepRecord {
	for len(list) <= step.Index {
		empty := s.New()
		empty.Index = len(list)
		list = append(list, empty)
	}
	*list[step.Index] = *step
	return list
}

// CloneSteps appends copies of records to a list.
func CloneSteps(to, from []*StepRecord) []*StepRecord {
	var s Steps
	for i, step := range from {
		if len(s.free) == 0 {
			s.reserve(min(len(from)-i, stepsAtOnce))
		}
		own := s.New()
		*own = *step
		to = append(to, own)
	}
	return to
}

// blockSize is how many items a block holds.
const blockSize = 1024

// blocks are a list that is not copied as it grows: copying a million items holds up
// whoever appends, and while garbage is collected everybody else. The zero list is empty.
type blocks[T any] struct {
	full [][]T
	last []T
}

func (b *blocks[T]) len() int { return len(b.full)*blockSize + len(b.last) }

func (b *blocks[T]) at(i int) *T {
	if block := i / blockSize; block < len(b.full) {
		return &b.full[block][i%blockSize]
	}
	return &b.last[i%blockSize]
}

func (b *blocks[T]) add(item T) {
	if len(b.last) == blockSize {
		b.full, b.last = append(b.full, b.last), make([]T, 0, blockSize)
	}
	b.last = append(b.last, item)
}

// fork returns a list that begins with b and is its own from then on.
func (b *blocks[T]) fork() blocks[T] { return blocks[T]{slices.Clip(b.full), slices.Clip(b.last)} }
