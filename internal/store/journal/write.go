package journal

import (
	"errors"
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// errChanged says that a run changed between being looked at and being written.
var errChanged = errors.New("the run has just been changed by another process")

// changes are all of a record that differs from what the journal has of it.
type changes struct {
	n       int64 // the run's row as it was seen, 0 for none
	codes   *codes
	run     *row
	steps   []keyedRow
	intents []keyedRow
	tail    int          // steps from this index on are no longer
	dropped []string     // intents that are no longer
	rows    map[int]bool // steps that have a row of their own, by index

	forgetTraces bool // some steps in them are no longer
}

type keyedRow struct {
	index int
	row   *row
}

// Begin keeps a run that starts, or with safe takes over one that has stopped, is
// abandoned or was adopted. That is refused with run-busy while a process runs it,
// and with run-changed if the record is not the latest of the run.
func (j *Journal) Begin(r *run.Record, safe bool) error {
	active := &activeRun{id: r.ID, codes: &codes{}}
	j.mu.Lock()
	if j.active[r.ID] != nil {
		j.mu.Unlock()
		return busy(r.ID)
	}
	j.active[r.ID] = active
	j.mu.Unlock()
	err := j.begin(active, r, safe)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		delete(j.active, r.ID)
		return j.failed("written", err)
	}
	delete(j.unwritten, r.ID)
	r.Begun++
	j.schedulePoll()
	return nil
}

func (j *Journal) begin(active *activeRun, r *run.Record, safe bool) (err error) {
	if !safe {
		active.pending.begin, err = j.encoder().run(r, j.owner.id, r.Begun+1)
		if err != nil {
			return err
		}
		return j.flush(active, false)
	}
	err = errChanged
	for tries := 0; tries < 4 && errors.Is(err, errChanged); tries++ {
		err = j.takeOver(active, r)
	}
	return err
}

// flush has the writer write all that is pending of a run, and waits for it if it is
// to be safe.
func (j *Journal) flush(a *activeRun, safe bool) error {
	a.mu.Lock()
	queued := a.queued
	a.queued = true
	a.mu.Unlock()
	if queued && !safe {
		return nil
	}
	return j.queue.put(&op{run: a, do: a.write}, safe)
}

func busy(id string) *diag.Fault {
	return diag.Faultf(diag.CodeRunBusy, "the run %s is still running", id).WithHint(fmt.Sprintf("wait until it stops, or end it: cancel_run {\"run_id\": %q}", id))
}

func changed(id string) *diag.Fault {
	return diag.Faultf(diag.CodeRunChanged, "the run %s has changed since it was read", id).WithHint(fmt.Sprintf("read it again: get_run {\"run_id\": %q}", id))
}

// takeOver keeps a record as a whole: what differs from what is there.
func (j *Journal) takeOver(active *activeRun, r *run.Record) error {
	w, err := j.differences(r)
	if err != nil {
		return err
	}
	active.rows, active.count = w.rows, len(r.Steps)
	if w.run, err = j.encoder().run(r, j.owner.id, r.Begun+1); err != nil {
		return err
	}
	return j.queue.put(&op{do: func(t *writer) error {
		n, err := j.claimable(t, r)
		switch {
		case err != nil:
			return err
		case n != w.n:
			return errChanged
		}
		active.n, active.codes, active.stands = n, w.codes, w.run.stands()
		t.note(active.codes, &w)
		text := setRun
		if n == 0 {
			text = putRun
		}
		res, err := t.exec(text, append(slices.Clip(w.run.columns), active.head(j.sealer))...)
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

// note has the codes of a run be those of a record.
func (w *writer) note(c *codes, d *changes) {
	w.seals(c)
	c.drop(func(row rowID) bool {
		return row.table == 's' && row.index >= d.tail || row.table == 't' && d.forgetTraces || row.table == 'i' && slices.Contains(d.dropped, row.key)
	})
	if d.forgetTraces {
		c.traces = 0
	}
	for _, s := range d.steps {
		c.step(w.sealer, s.index, s.row.columns)
	}
	for _, in := range d.intents {
		c.intent(w.sealer, in.row.columns)
	}
}

// rewrite makes the steps and intents of a run those of a record.
func (w *writer) rewrite(active int64, d *changes) error {
	if d.n != 0 {
		if _, err := w.exec("DELETE FROM steps WHERE at >= ? AND at < ?", stepID(active, d.tail), stepID(active+1, 0)); err != nil {
			return err
		}
	}
	if d.forgetTraces {
		if _, err := w.exec("DELETE FROM traces WHERE at >= ? AND at < ?", stepID(active, 0), stepID(active+1, 0)); err != nil {
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
func (j *Journal) Step(id string, s run.StepRecord) error {
	active, err := j.running(id)
	if err != nil {
		return err
	}
	if err := active.step(j.encoder(), &s, j.o.MaxTraced); err != nil {
		return j.failed("written", err)
	}
	return j.failed("written", j.flush(active, false))
}

// Intend keeps an intent or what came of it.
func (j *Journal) Intend(id string, in run.Intent, safe bool) error {
	active, err := j.running(id)
	if err != nil {
		return err
	}
	w := j.encoder().intent(id, &in)
	active.mu.Lock()
	active.pending.intents = append(active.pending.intents, w)
	active.mu.Unlock()
	return j.failed("written", j.flush(active, safe))
}

// End keeps the state of a run that has stopped, or that it cannot go on although
// it was adopted. What cannot be written is tried again as long as the process lives.
func (j *Journal) End(r *run.Record, safe bool) error {
	active, err := j.running(r.ID)
	if err != nil {
		return j.fileStopped(r)
	}
	w, unfit := j.encoder().end(r)
	if unfit != nil {
		short := *r
		short.Status, short.Result, short.Fault = run.Failed, nil, diag.Faultf(diag.CodeJournalFailed, "%w", unfit)
		if w, err = j.encoder().end(&short); err != nil {
			return j.failed("written", err)
		}
	}
	for _, s := range r.Undone() { // those that began and need not have been reported
		if s.Pure && s.Ended == 0 {
			encoded, err := j.encoder().step(s)
			if err != nil {
				return j.failed("written", err)
			}
			active.mu.Lock()
			active.pending.put(keyedRow{s.Index, encoded})
			active.mu.Unlock()
		}
	}
	active.mu.Lock()
	ended := *r
	ended.Steps, ended.Intents = nil, nil
	active.pending.end, active.ended = w, &ended
	active.mu.Unlock()
	j.mu.Lock()
	delete(j.active, r.ID)
	j.mu.Unlock()
	return j.failed("written", errors.Join(j.flush(active, safe), unfit))
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
		t.note(w.codes, &w)
		w.run.columns = append(w.run.columns[:9:9], w.codes.head(t.sealer, r.ID, w.run.standsAfter(r.Begun)))
		if err := t.put(endRun, w.n, w.run, w.n); err != nil {
			return err
		}
		return t.rewrite(w.n, &w)
	}}, true))
}

// claimable returns the row of a run that no process executes, or 0.
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

func (j *Journal) encoder() encoder { return encoder{j.o.Redact, j.sealer, j.o.Secrets, j.documents} }
