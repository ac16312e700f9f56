package journal

import (
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/run"
)

// activeRun is a run that this process has begun. What is reported of it is buffered,
// and written together by the next write.
type activeRun struct {
	id       string
	notified bool // that it was cancelled; of Journal.mu

	mu      sync.Mutex
	pending unwritten
	queued  bool               // a write that will take what is pending is in the queue
	trace   trace              // of steps; the last part of pending
	open    map[int]*openFrame // steps that consist of others and have not ended, by index
	rows    map[int]bool       // steps that have a row of their own, from before
	traced  int                // bytes of inputs and outputs in traces so far
	count   int                // steps so far
	ended   *run.Record        // how it stopped, without its steps and intents; nil until it has

	// Of the writer alone.
	n      int64     // its row; 0 before it is there
	codes  *codes    // of its rows
	stands []any     // what its head covers of its row
	taken  unwritten // what it has taken and not committed
	failed bool      // its last write failed
}

// openFrame is a step that others are part of. It must be known before they are.
type openFrame struct {
	step    run.StepRecord
	written bool
}

// unwritten is what is known of a run and not on disk.
type unwritten struct {
	begin   *row // the run as it began; nil where it has a row already
	end     *row // how it stopped
	steps   []keyedRow
	intents []*row
	traces  [][]byte
	count   int // steps; 0 means no more than before
}

func (u *unwritten) nothing() bool {
	return u.begin == nil && u.end == nil && len(u.steps)+len(u.intents)+len(u.traces)+u.count == 0
}

// step notes the start or the end of an execution.
func (a *activeRun) step(e encoder, s *run.StepRecord, maxTraced int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count = max(a.count, s.Index+1)
	a.pending.count = a.count
	if !s.Follows() || a.rows[s.Index] {
		encoded, err := e.step(s)
		if err != nil {
			return err
		}
		delete(a.open, s.Index)
		a.pending.put(keyedRow{s.Index, encoded})
		return nil
	}
	if s.Ended == 0 {
		if a.open == nil {
			a.open = map[int]*openFrame{}
		}
		a.open[s.Index] = &openFrame{step: *s}
		return nil
	}
	delete(a.open, s.Index)
	left := maxTraced - a.traced
	values := left > 0
	var input, output []byte
	if values {
		input, values = e.within(s.Input, left)
	}
	if values {
		output, values = e.within(s.Output, left-len(input))
	}
	if values {
		a.traced += len(input) + len(output)
	}
	a.trace.add(s, values, input, output)
	return nil
}

// put adds the row of a step, in the place of one that was not written yet.
func (u *unwritten) put(s keyedRow) {
	for i := range slices.Backward(u.steps) {
		if u.steps[i].index == s.index {
			u.steps[i] = s
			return
		}
		if len(u.steps)-i > maxBack {
			break
		}
	}
	u.steps = append(u.steps, s)
}

// maxBack is how far back the start of a step is looked for when it ends.
const maxBack = 64

// take moves what is pending to what is being written.
func (a *activeRun) take() *unwritten {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queued = false
	frames := make([]int, 0, len(a.open))
	for index, f := range a.open {
		if !f.written {
			f.written = true
			frames = append(frames, index)
		}
	}
	slices.Sort(frames)
	for _, index := range frames {
		a.trace.add(&a.open[index].step, false, nil, nil)
	}
	if len(a.trace.buf) > 0 {
		a.pending.traces = append(a.pending.traces, a.trace.buf)
		a.trace = trace{}
	}
	t := &a.taken
	if a.pending.begin != nil {
		t.begin = a.pending.begin
	}
	if a.pending.end != nil {
		t.end = a.pending.end
	}
	t.steps = append(t.steps, a.pending.steps...)
	t.intents = append(t.intents, a.pending.intents...)
	t.traces = append(t.traces, a.pending.traces...)
	t.count = max(t.count, a.pending.count)
	a.pending = unwritten{}
	return t
}

// write writes all that is pending of the run. What a failed transaction had is
// written again by the next.
func (a *activeRun) write(w *writer) error {
	u := a.take()
	if u.nothing() {
		return nil
	}
	w.seals(a.codes)
	for _, s := range u.steps {
		a.codes.step(w.sealer, s.index, s.row.columns)
	}
	for _, in := range u.intents {
		a.codes.intent(w.sealer, in.columns)
	}
	for _, data := range u.traces {
		a.codes.trace(w.sealer, data)
	}
	switch {
	case u.begin != nil:
		if err := a.insert(w, u); err != nil {
			return err
		}
	case u.end != nil:
		a.stands = u.end.standsAfter(a.stands[0])
		end := &row{columns: append(u.end.columns[:9:9], a.head(w.sealer)), blobs: u.end.blobs}
		if err := w.put(endRun, a.n, end, a.n); err != nil {
			return err
		}
	default:
		if _, err := w.exec(setHead, u.count, a.head(w.sealer), a.n); err != nil {
			return err
		}
	}
	for _, s := range u.steps {
		if err := w.put(putStep, a.n, s.row, stepID(a.n, s.index)); err != nil {
			return err
		}
	}
	for _, in := range u.intents {
		if err := w.put(putIntent, a.n, in, a.n); err != nil {
			return err
		}
	}
	for _, data := range u.traces {
		if _, err := w.exec(putTrace, stepID(a.n, 0), stepID(a.n+1, 0), data); err != nil {
			return err
		}
	}
	return nil
}

// insert makes the row of a run, which may have ended already.
func (a *activeRun) insert(w *writer, u *unwritten) error {
	r := &row{columns: slices.Clone(u.begin.columns), blobs: u.begin.blobs}
	if u.end != nil {
		r.endedRun(u.end)
	} else {
		r.columns[stepsColumn] = u.count
	}
	a.stands = r.stands()
	res, err := w.exec(putRun, append(r.columns, a.head(w.sealer))...)
	if err != nil {
		return err
	}
	if a.n, err = res.LastInsertId(); err != nil {
		return err
	}
	return w.keep(a.n, r.blobs)
}

// head is the code of the run as it stands.
func (a *activeRun) head(s *sealer) []byte { return a.codes.head(s, a.id, a.stands) }

// committed notes that what was taken is on disk.
func (a *activeRun) committed() { a.taken, a.failed = unwritten{}, false }
