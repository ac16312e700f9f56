package journal

import (
	"encoding/json"
	"errors"

	"github.com/patchbay-mcp/patchbay/internal/store/graphstate"
	"github.com/patchbay-mcp/patchbay/run"
)

// stateTable holds what graphs store for later runs: a value, or members with the times
// when each expires. Programs that do not know it have no use for it.
const stateTable = `CREATE TABLE IF NOT EXISTS state (
	project TEXT NOT NULL, graph TEXT NOT NULL, key TEXT NOT NULL,
	value TEXT NOT NULL, members INTEGER NOT NULL,
	updated INTEGER NOT NULL, expires INTEGER NOT NULL, code BLOB,
	PRIMARY KEY (project, graph, key)
) STRICT, WITHOUT ROWID;`

// ChangeState implements [run.StateStore]. The change, the intent with its outcome and
// all that the run has reported before are one transaction.
func (j *Journal) ChangeState(id string, in run.Intent, c run.StateChange, dry bool) (result json.RawMessage, err error) {
	active, err := j.running(id)
	if err != nil {
		return nil, err
	}
	c.Value = j.encoder().masked(c.Value)
	if dry || c.Do == run.StateGet {
		was, others, err := readState(j.reads, j.sealer, &c)
		if err == nil {
			_, result, err = graphstate.Change(&c, in.At, was, others)
		}
		return j.restored(result), j.failed("read", err)
	}
	if err := j.flush(active, false); err != nil {
		return nil, j.failed("written", err)
	}
	err = j.queue.put(&op{do: func(w *writer) error {
		if active.n == 0 || active.failed {
			return errNotWritten
		}
		was, others, err := readState(w.conn, w.sealer, &c)
		if err != nil {
			return err
		}
		is, made, err := graphstate.Change(&c, in.At, was, others)
		if err == nil {
			err = w.putState(&c, is)
		}
		if err != nil {
			return err
		}
		result = j.restored(made)
		in.Outcome = result
		encoded := j.encoder().intent(id, &in)
		w.seals(active.codes)
		active.codes.intent(w.sealer, encoded.columns)
		if _, err := w.exec(setHead, 0, active.head(w.sealer), active.n); err != nil {
			return err
		}
		return w.put(putIntent, active.n, encoded, active.n)
	}}, true)
	return result, j.failed("written", err)
}

// errNotWritten is why a change is not made: its run cannot be written.
var errNotWritten = errors.New("the run is not written")

// masked is JSON without secrets.
func (e encoder) masked(b json.RawMessage) json.RawMessage {
	if b == nil || e.redact == nil {
		return b
	}
	return e.redact(b)
}

// States implements [run.StateStore].
func (j *Journal) States(project, graph string) ([]run.StateEntry, error) {
	list, err := j.states(project, graph)
	return list, j.failed("read", err)
}

// DeleteState implements [run.StateStore].
func (j *Journal) DeleteState(project, graph, key string) (int, error) {
	var deleted int64
	err := j.queue.put(&op{do: func(w *writer) error {
		r, err := w.exec("DELETE FROM state WHERE project = ?1 AND graph = ?2 AND (?3 = '' OR key = ?3)", project, graph, key)
		if err == nil {
			deleted, err = r.RowsAffected()
		}
		return err
	}}, true)
	return int(deleted), j.failed("written", err)
}
