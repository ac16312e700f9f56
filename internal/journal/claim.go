package journal

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	cancelLook = 40 * time.Millisecond // how often a process with runs looks whether one is to be cancelled
	retryEvery = time.Second           // how often ends that could not be written are tried again
)

// Abandoned returns the runs of a project whose process has gone while they ran,
// the oldest first. They are this process's from then on, to go on with or to leave: of
// several processes that ask, one gets each. Runs that cannot be read are in the
// error; the others are returned all the same.
func (j *Journal) Abandoned(project string) ([]*run.Record, error) {
	var ids []string
	err := j.queue.put(&op{do: func(t *writer) (err error) {
		ids, err = j.adopt(t, project)
		return err
	}}, true)
	if err != nil {
		return nil, j.failed("read", err)
	}
	j.owner.sweep()
	return j.loadAll(ids)
}

func (j *Journal) adopt(t *writer, project string) (ids []string, err error) {
	rows, err := t.conn.QueryContext(t.ctx, "SELECT n, id, owner FROM runs WHERE status = 'running' AND owner <> ? AND project = ? ORDER BY started, n", j.owner.id, project)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var found []int64
	alive := map[string]bool{}
	for rows.Next() {
		var (
			n         int64
			id, owner string
		)
		if err := rows.Scan(&n, &id, &owner); err != nil {
			return nil, err
		}
		if _, known := alive[owner]; !known {
			alive[owner] = j.owner.alive(owner)
		}
		if !alive[owner] {
			found, ids = append(found, n), append(ids, id)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for _, n := range found {
		if _, err := t.exec("UPDATE runs SET owner = ? WHERE n = ?", j.owner.id, n); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Cancel asks whichever process runs a run to end it, and returns when that is
// kept: the run ends soon after. A run that does not go on is a fault with the
// code not-running; one that is another principal's is [ErrNoRun].
func (j *Journal) Cancel(principal, id string) error {
	err := j.queue.put(&op{do: func(t *writer) error {
		var (
			n             int64
			status, owner string
		)
		found, err := t.get("SELECT n, status, owner FROM runs WHERE id = ? AND (?2 = '' OR principal = ?2)", []any{id, principal}, &n, &status, &owner)
		switch {
		case err != nil:
			return err
		case !found:
			return run.ErrNoRun
		case status != string(run.Running):
			f := diag.Faultf("not-running", "the run %s does not go on: it is %s", id, status)
			f.Hint = "patchbay runs show " + id + " tells how it stands"
			return f
		case !j.owner.alive(owner):
			f := diag.Faultf("not-running", "the run %s does not go on: the process that ran it has ended", id)
			f.Hint = "patchbay runs resume " + id + " goes on with it"
			return f
		}
		_, err = t.exec("UPDATE runs SET cancel = 1 WHERE n = ?", n)
		return err
	}}, true)
	if err != nil {
		return j.failed("written", err)
	}
	j.tell([]string{id})
	return nil
}

// OnCancel sets what is called, with the id of a run of this process, soon after
// somebody has cancelled it, here or in another process.
func (j *Journal) OnCancel(f func(id string)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.onCancel = f
}

// watch looks again soon if there is anything to look for. The caller holds mu.
func (j *Journal) watch() {
	if !j.closed && len(j.active)+len(j.unkept) > 0 {
		j.poll.Reset(cancelLook)
	}
}

// look sees whether a run of this process was cancelled by another, and tries
// again to write the ends that could not be written.
func (j *Journal) look() {
	j.mu.Lock()
	runs := len(j.active)
	retry := len(j.unkept) > 0 && time.Since(j.retried) > retryEvery
	if retry {
		j.retried = time.Now()
	}
	j.mu.Unlock()
	if retry {
		j.keepEnds()
	}
	if runs > 0 {
		if ids, err := j.cancelled(); err == nil { // else the next look finds them
			j.tell(ids)
		}
	}
	j.mu.Lock()
	j.watch()
	j.mu.Unlock()
}

func (j *Journal) cancelled() (ids []string, err error) {
	rows, err := j.reads.QueryContext(context.Background(), "SELECT id FROM runs WHERE owner = ? AND cancel = 1 ORDER BY n", j.owner.id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// tell passes each cancellation on, once.
func (j *Journal) tell(ids []string) {
	for _, id := range ids {
		j.mu.Lock()
		active, f := j.active[id], j.onCancel
		fresh := active != nil && !active.told && f != nil
		if fresh {
			active.told = true
		}
		j.mu.Unlock()
		if fresh {
			f(id)
		}
	}
}

// keepEnds tries to write the ends that could not be written.
func (j *Journal) keepEnds() {
	j.mu.Lock()
	ids := make([]string, 0, len(j.unkept))
	for id := range j.unkept {
		ids = append(ids, id)
	}
	j.mu.Unlock()
	for _, id := range ids {
		j.mu.Lock()
		w, there := j.unkept[id]
		there = there && j.active[id] == nil
		j.mu.Unlock()
		if !there {
			continue
		}
		if err := j.queue.put(j.endOp(&activeRun{id: id, n: w.n}, &w, true), true); err != nil {
			return // for all the same reason
		}
		j.log.Info("a run that could not be kept is kept now", "run", id)
		j.mu.Lock()
		delete(j.unkept, id)
		j.mu.Unlock()
	}
}
