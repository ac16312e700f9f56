package exact_test

import (
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// A disk keeps a run. After a crash, nothing is told to it until it is read.
type disk interface {
	run.Journal
	// keep decides about each write whether it is safe though it need not be.
	keep(func() bool)
	// read returns what the next process reads, nil where nothing is kept; rec is how the
	// run ended if the process has not crashed.
	read(rec *run.Record, crashed bool) *run.Record
}

// memory is a disk that loses in a crash all that need not be safe.
type memory struct {
	told  *run.Record // as the run told it
	safe  *run.Record // as far as it is on disk
	keeps func() bool
	made  run.Steps
}

func (m *memory) copied() *memory {
	c := &memory{}
	if m.told != nil {
		c.told = copied(m.told)
	}
	if m.safe != nil {
		c.safe = copied(m.safe)
	}
	return c
}

func copied(r *run.Record) *run.Record {
	c := *r
	c.Steps, c.Intents, c.Resumed = run.CloneSteps(nil, r.Steps), slices.Clone(r.Intents), slices.Clone(r.Resumed)
	return &c
}

func (m *memory) keep(f func() bool) { m.keeps = f }

func (m *memory) write(safe bool, apply func(*run.Record)) error {
	if m.told == nil {
		m.told = &run.Record{}
	}
	apply(m.told)
	if safe || m.keeps() {
		m.safe = copied(m.told)
	}
	return nil
}

func (m *memory) Begin(r *run.Record, safe bool) error {
	return m.write(safe, func(told *run.Record) { *told = *copied(r) })
}

func (m *memory) Step(_ string, step run.StepRecord) error {
	return m.write(false, func(told *run.Record) {
		told.Steps = m.made.Put(told.Steps, &step)
	})
}

func (m *memory) Intend(_ string, in run.Intent, safe bool) error {
	return m.write(safe, func(told *run.Record) {
		at := slices.IndexFunc(told.Intents, func(i run.Intent) bool { return i.Key == in.Key })
		if at < 0 {
			told.Intents = append(told.Intents, in)
			return
		}
		told.Intents[at] = in
	})
}

func (m *memory) End(r *run.Record, safe bool) error {
	return m.write(safe, func(told *run.Record) { told.Status, told.Fault, told.Result = r.Status, r.Fault, r.Result })
}

func (m *memory) read(rec *run.Record, crashed bool) *run.Record {
	if !crashed {
		return rec
	}
	if m.safe == nil {
		return nil
	}
	rec = copied(m.safe)
	m.told = copied(m.safe)
	if rec.Status == run.Running {
		rec.Status, rec.Fault = run.Interrupted, &diag.Fault{Code: "crashed", Message: "the process ended"}
	}
	return rec
}

// write tells the disk something.
func (s *site) write(safe bool, tell func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.happens()
	switch {
	case s.crashed:
		return errCrash
	case s.full:
		return errFull
	}
	s.disk.keep(func() bool { return s.stop == crashKeep || s.stop == crashSome && s.IntN(3) == 0 })
	if err := tell(); err != nil {
		return err
	}
	s.safe = s.safe || safe
	s.happens()
	return nil
}

// Begin implements [run.Journal], as the following do.
func (s *site) Begin(r *run.Record, safe bool) error {
	return s.write(safe, func() error { return s.disk.Begin(r, safe) })
}

func (s *site) Step(id string, step run.StepRecord) error {
	return s.write(false, func() error { return s.disk.Step(id, step) })
}

func (s *site) Intend(id string, in run.Intent, safe bool) error {
	return s.write(safe, func() error { return s.disk.Intend(id, in, safe) })
}

func (s *site) End(r *run.Record, safe bool) error {
	return s.write(safe, func() error { return s.disk.End(r, safe) })
}

// reload returns the record as it is after the end of the process, nil where nothing
// is kept.
func (s *site) reload(rec *run.Record) *run.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, state := range s.calls {
		if state == inFlight {
			s.breaks("%s is still in flight", key)
		}
	}
	if _, real := s.disk.(*database); s.full && (real || s.IntN(2) == 0) { // else it is resumed by the process that has its record
		s.crashed = true
	}
	s.full = false
	rec = s.disk.read(rec, s.crashed)
	if !s.crashed || rec == nil {
		return rec
	}
	s.crashed = false
	done, ended := map[string]bool{}, map[string]bool{}
	clear(s.given)
	for i := range rec.Steps {
		step := rec.Steps[i]
		done[step.Key], ended[step.Key], s.given[step.Key] = step.Done(), step.Ended > 0, step.Given()
	}
	for i := range rec.Intents {
		in := &rec.Intents[i]
		if in.Kind != run.IntentCall {
			continue
		}
		if in.Outcome != nil {
			ended[in.Step] = true
			continue
		}
		s.decided[in.Step] = false // what was decided is not kept
		if was := s.calls[in.Key]; was == "" || was == unsent && !ended[in.Step] {
			s.calls[in.Key] = unknown
		}
	}
	for key, state := range s.calls {
		step, _ := stepOf(key)
		if state == completed && !done[step] || state == refused && !ended[step] {
			s.calls[key] = unknown
		}
	}
	return rec
}
