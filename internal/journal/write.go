package journal

import (
	"errors"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// errChanged says that a run changed between being looked at and being written.
var errChanged = errors.New("the run was changed at this moment")

// changes are all of a record that differs from what the journal has of it.
type changes struct {
	n       int64 // the run's row as it was seen, 0 for none
	run     *row
	steps   []keyedRow
	intents []keyedRow
	tail    int      // steps from this index on are no longer
	dropped []string // intents that are no longer
}

type keyedRow struct {
	index int
	row   *row
}

// Begin keeps a run that starts, or takes over one that has stopped, is abandoned
// or was adopted. It is refused with run-busy while a process runs it, and with
// run-changed if the record is not the latest of the run.
func (j *Journal) Begin(r *run.Record) error {
	active := &activeRun{id: r.ID}
	j.mu.Lock()
	if j.active[r.ID] != nil {
		j.mu.Unlock()
		return busy(r.ID)
	}
	j.active[r.ID] = active
	j.mu.Unlock()
	err := j.begin(active, r)
	for range 3 {
		if !errors.Is(err, errChanged) {
			break
		}
		err = j.begin(active, r)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		delete(j.active, r.ID)
		return j.failed("written", err)
	}
	delete(j.pendingEnds, r.ID)
	r.Begun++
	j.schedulePoll()
	return nil
}

func busy(id string) *diag.Fault {
	f := diag.Faultf("run-busy", "the run %s is still running", id)
	f.Hint = "wait until it stops, or end it: patchbay runs cancel " + id
	return f
}

func changed(id string) *diag.Fault {
	f := diag.Faultf("run-changed", "the run %s has changed since it was read", id)
	f.Hint = "read it again: patchbay runs show " + id
	return f
}

func (j *Journal) begin(active *activeRun, r *run.Record) error {
	w, err := j.differences(r)
	if err != nil {
		return err
	}
	if w.run, err = j.encoder().run(r, j.owner.id, r.Begun+1); err != nil {
		return err
	}
	return j.queue.put(&op{run: active, whole: true, do: func(t *writer) error {
		n, err := j.claimable(t, r)
		switch {
		case err != nil:
			return err
		case n != w.n:
			return errChanged
		}
		active.n = n
		text := setRun
		if n == 0 {
			text = putRun
		}
		res, err := t.exec(text, w.run.columns...)
		if err == nil && n == 0 {
			active.n, err = res.LastInsertId()
		}
		if err == nil {
			err = t.keep(active.n, w.run.blobs)
		}
		if err != nil {
			return err
		}
		return t.rewrite(active.n, &w)
	}}, true)
}

// rewrite makes the steps and intents of a run those of a record.
func (w *writer) rewrite(active int64, d *changes) error {
	if d.n != 0 {
		if _, err := w.exec("DELETE FROM steps WHERE at >= ? AND at < ?", stepID(active, d.tail), stepID(active+1, 0)); err != nil {
			return err
		}
	}
	for _, key := range d.dropped {
		if _, err := w.exec("DELETE FROM intents WHERE run = ? AND key = ?", active, key); err != nil {
			return err
		}
	}
	for _, s := range d.steps {
		if err := w.put(putStep, active, s.row, stepID(active, s.index)); err != nil {
			return err
		}
	}
	for _, in := range d.intents {
		if err := w.put(putIntent, active, in.row, active); err != nil {
			return err
		}
	}
	return nil
}

// Step keeps the start or the end of an execution.
func (j *Journal) Step(id string, s run.StepRecord, safe bool) error {
	active, err := j.running(id)
	if err != nil {
		return err
	}
	w, err := j.encoder().step(&s)
	if err != nil {
		return j.failed("written", err)
	}
	return j.failed("written", j.queue.put(&op{run: active, step: stepID(active.n, s.Index), do: func(t *writer) error {
		return t.put(putStep, active.n, w, stepID(active.n, s.Index))
	}}, safe))
}

// Intend keeps an intent or what came of it.
func (j *Journal) Intend(id string, in run.Intent, safe bool) error {
	active, err := j.running(id)
	if err != nil {
		return err
	}
	w := j.encoder().intent(&in)
	return j.failed("written", j.queue.put(&op{run: active, do: func(t *writer) error {
		return t.put(putIntent, active.n, w, active.n)
	}}, safe))
}

// End stores the state of a run that has stopped, or that it cannot go on
// although it was adopted. If something of the run could not be written before, it
// is now; if End fails, the journal retries as long as the process lives.
func (j *Journal) End(r *run.Record) error {
	active, err := j.running(r.ID)
	if err != nil {
		return j.fileStopped(r)
	}
	w, unfit := j.ending(active, r)
	if unfit != nil {
		short := *r
		short.Status, short.Result, short.Fault = run.Failed, nil, diag.Faultf("journal-failed", "%w", unfit)
		if w, err = j.ending(active, &short); err != nil {
			return j.failed("written", err)
		}
	}
	if err == nil {
		err = j.queue.put(j.endOp(active, &w, false), true)
	}
	if err != nil {
		if whole, failed := j.differences(r); failed == nil {
			whole.run = w.run
			w = whole
			err = j.queue.put(j.endOp(active, &w, true), true)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.active, r.ID)
	if err != nil {
		j.pendingEnds[r.ID] = w
		j.schedulePoll()
	}
	return j.failed("written", errors.Join(err, unfit))
}

// fileStopped keeps how a run stands that this process has not begun, and has taken up
// from where no other has it.
func (j *Journal) fileStopped(r *run.Record) error {
	w, err := j.differences(r)
	if err != nil {
		return j.failed("read", err)
	}
	if w.run, err = j.encoder().end(r); err != nil {
		return j.failed("written", err)
	}
	return j.failed("written", j.queue.put(&op{do: func(t *writer) error {
		switch n, err := j.claimable(t, r); {
		case err != nil:
			return err
		case n == 0:
			return run.ErrNoRun
		case n != w.n:
			return errChanged
		}
		if err := t.put(endRun, w.n, w.run, w.n); err != nil {
			return err
		}
		return t.rewrite(w.n, &w)
	}}, true))
}

// claimable returns the row of a run that nobody runs, 0 if there is none.
func (j *Journal) claimable(t *writer, r *run.Record) (n int64, err error) {
	var (
		status, owner string
		begun         int
	)
	found, err := t.get("SELECT n, status, owner, begun FROM runs WHERE id = ?", []any{r.ID}, &n, &status, &owner, &begun)
	switch {
	case err != nil || !found:
		return 0, err
	case status == string(run.Running) && owner != j.owner.id && j.owner.alive(owner):
		return 0, busy(r.ID)
	case begun != r.Begun:
		return 0, changed(r.ID)
	}
	return n, nil
}

// ending is what End writes if all else is there: steps that began and need not
// have been told of are told of now.
func (j *Journal) ending(active *activeRun, r *run.Record) (w changes, err error) {
	w.n = active.n
	if w.run, err = j.encoder().end(r); err != nil {
		return w, err
	}
	w.tail = len(r.Steps)
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Pure && s.Ended == 0 && s.Key != "" {
			encoded, err := j.encoder().step(s)
			if err != nil {
				return w, err
			}
			w.steps = append(w.steps, keyedRow{s.Index, encoded})
		}
	}
	return w, nil
}

func (j *Journal) endOp(active *activeRun, w *changes, whole bool) *op {
	n := active.n
	return &op{run: active, whole: whole, do: func(t *writer) error {
		if err := t.put(endRun, n, w.run, n); err != nil {
			return err
		}
		return t.rewrite(n, w)
	}}
}

func (j *Journal) encoder() encoder { return encoder{j.o.Redact} }
