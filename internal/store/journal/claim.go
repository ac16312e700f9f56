package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	pollEvery  = 40 * time.Millisecond // how often a process with runs looks whether another has told it something
	retryEvery = time.Second           // how often what could not be written is tried again
)

// ClaimOrphans returns the runs of a project whose process ended while they
// executed, the oldest first. They are this process's from then on, to resume or to
// file: of several processes that ask, one gets each. Runs that cannot be read are in the
// error; the others are returned all the same.
func (j *Journal) ClaimOrphans(project string) ([]*run.Record, error) {
	var ids []string
	err := j.queue.put(&op{do: func(t *writer) (err error) {
		ids, err = j.claim(t, project)
		return err
	}}, true)
	if err != nil {
		return nil, j.failed("read", err)
	}
	j.owner.sweep()
	all, err := j.loadAll(ids)
	verified, failed := j.verifiedOnly(all)
	return verified, errors.Join(err, j.failed("written", failed))
}

// verifiedOnly returns those of some runs of this process that are verified, and gives the
// others back.
func (j *Journal) verifiedOnly(all []*run.Record) (list []*run.Record, err error) {
	for _, r := range all {
		if r.Unverified == nil {
			list = append(list, r)
			continue
		}
		j.log.Warn("a run is not resumed", "run", r.ID, "error", r.Unverified.Message, "hint", r.Unverified.Hint)
		err = errors.Join(err, j.queue.put(&op{do: func(t *writer) error {
			_, err := t.exec("UPDATE runs SET owner = '' WHERE id = ? AND owner = ?", r.ID, j.owner.id)
			return err
		}}, true))
	}
	return list, err
}

func (j *Journal) claim(t *writer, project string) (ids []string, err error) {
	rows, err := t.conn.QueryContext(t.ctx, "SELECT n, owner, "+sealedColumns+" FROM runs WHERE status = 'running' AND owner <> ? AND project = ? ORDER BY started, n", j.owner.id, project)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var found []int64
	alive := map[string]bool{}
	for rows.Next() {
		var (
			n      int64
			owner  string
			sealed sealedRow
		)
		if err := rows.Scan(append([]any{&n, &owner}, into(sealed[:])...)...); err != nil {
			return nil, err
		}
		if _, known := alive[owner]; !known {
			alive[owner] = j.owner.alive(owner)
		}
		if !alive[owner] && sealed.valid(t.sealer) {
			found, ids = append(found, n), append(ids, sealed[sealedID].(string))
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

// Cancel asks whichever process executes a run to end it, and returns when that is
// kept: the run ends soon after. A run that does not execute is a fault with the
// code not-running; one that the actor does not see is [run.ErrNoRun].
func (j *Journal) Cancel(actor run.Actor, id string) error {
	var owner string
	err := j.queue.put(&op{do: func(t *writer) error {
		n, of, err := j.executed(t, actor, id)
		if err != nil {
			return err
		}
		owner = of
		_, err = t.exec("UPDATE runs SET cancel = 1 WHERE n = ?", n)
		return err
	}}, true)
	if err != nil {
		return j.failed("written", err)
	}
	if owner != j.owner.id {
		return j.failed("written", j.owner.call(owner))
	}
	j.notify([]string{id})
	return nil
}

// executed returns the row of a run that a process executes, and the owner of that process.
func (j *Journal) executed(t *writer, actor run.Actor, id string) (n int64, owner string, err error) {
	var status string
	found, err := t.get("SELECT n, status, owner FROM runs WHERE id = ?1 AND (?2 OR principal = ?3)", []any{id, actor.Operator, actor.Principal}, &n, &status, &owner)
	switch {
	case err != nil:
		return 0, "", err
	case !found:
		return 0, "", run.ErrNoRun
	case status != string(run.Running):
		return 0, "", notRunning(id, status)
	case !j.owner.alive(owner):
		return 0, "", diag.Faultf(diag.CodeNotRunning, "the run %s is not running: the process that ran it has ended", id).
			WithHint(fmt.Sprintf("resume_run {\"run_id\": %q} continues it", id))
	}
	return n, owner, nil
}

func notRunning(id, status string) *diag.Fault {
	return diag.Faultf(diag.CodeNotRunning, "the run %s is not running: it is %s", id, status).WithHint(fmt.Sprintf("get_run {\"run_id\": %q} shows its state", id))
}

// OnCancel sets what is called, with the id of a run of this process, soon after
// somebody has cancelled it, here or in another process.
func (j *Journal) OnCancel(f func(id string)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.onCancel = f
}

// schedulePoll polls again soon if there is anything to look for. The caller holds mu.
func (j *Journal) schedulePoll() {
	if !j.closed && len(j.active)+len(j.unwritten) > 0 {
		j.poller.Reset(pollEvery)
	}
}

// poll sees whether a run of this process was cancelled, or a question of it answered, by
// another, and tries again to write what could not be written.
func (j *Journal) poll() {
	j.mu.Lock()
	runs := len(j.active)
	retry := len(j.unwritten) > 0 && time.Since(j.retried) > retryEvery
	if retry {
		j.retried = time.Now()
	}
	j.mu.Unlock()
	if retry {
		j.writeAgain()
	}
	if runs > 0 && j.owner.called() {
		ids, err := j.cancelled()
		replies, failed := j.replies()
		if err != nil || failed != nil { // the next poll finds them
			_ = j.owner.call(j.owner.id)
		}
		j.notify(ids)
		j.passOn(replies)
	}
	j.mu.Lock()
	j.schedulePoll()
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

// notify passes each cancellation on, once.
func (j *Journal) notify(ids []string) {
	for _, id := range ids {
		j.mu.Lock()
		active, f := j.active[id], j.onCancel
		fresh := active != nil && !active.notified && f != nil
		if fresh {
			active.notified = true
		}
		j.mu.Unlock()
		if fresh {
			f(id)
		}
	}
}
