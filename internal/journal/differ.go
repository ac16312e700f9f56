package journal

import (
	"context"
	"database/sql"
	"errors"

	"github.com/patchbay-mcp/patchbay/run"
)

// stepState is enough of a step to tell whether it is another than before: ended
// is another number for each end of a step in a run.
type stepState struct {
	started   int64
	ended     int
	caught    bool
	simulated string
}

type intentState struct {
	at      int64
	outcome bool
}

// differences compares a record with what the journal has of it, and encodes what
// is new.
func (j *Journal) differences(r *run.Record) (changes, error) {
	w := changes{tail: len(r.Steps), lastTraced: -1, rows: map[int]bool{}}
	j.settle()
	ctx := context.Background()
	tx, err := j.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return w, err
	}
	defer func() { _ = tx.Rollback() }()
	steps, intents := map[int]stepState{}, map[string]intentState{}
	switch err := tx.QueryRowContext(ctx, "SELECT n FROM runs WHERE id = ?", r.ID).Scan(&w.n); {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return w, err
	default:
		if steps, intents, err = w.states(ctx, tx, j); err != nil {
			return w, err
		}
	}
	if w.forgetTraces = w.lastTraced >= w.tail; w.forgetTraces {
		steps = map[int]stepState{} // they all get rows
	}
	for i := range r.Steps {
		s := r.Steps[i]
		was, there := steps[s.Index]
		if s.Key == "" || there && was == (stepState{nanos(s.Started), s.Ended, s.Caught, s.Simulated}) {
			continue
		}
		encoded, err := j.encoder().step(s)
		if err != nil {
			return w, err
		}
		w.steps, w.rows[s.Index] = append(w.steps, keyedRow{s.Index, encoded}), true
	}
	for i := range r.Intents {
		in := &r.Intents[i]
		was, there := intents[in.Key]
		delete(intents, in.Key)
		if !there || was != (intentState{nanos(in.At), in.Outcome != nil}) {
			w.intents = append(w.intents, keyedRow{row: j.encoder().intent(in)})
		}
	}
	for key := range intents {
		w.dropped = append(w.dropped, key)
	}
	return w, nil
}

// states returns what the journal has of the run, and notes which steps have rows.
func (w *changes) states(ctx context.Context, tx *sql.Tx, j *Journal) (map[int]stepState, map[string]intentState, error) {
	active := w.n
	steps, intents := map[int]stepState{}, map[string]intentState{}
	err := j.loadTraces(ctx, tx, active, func(s run.StepRecord) {
		steps[s.Index] = stepState{nanos(s.Started), s.Ended, s.Caught, s.Simulated}
		w.lastTraced = max(w.lastTraced, s.Index)
	})
	if err != nil {
		return nil, nil, err
	}
	rows, err := tx.QueryContext(ctx, "SELECT at, started, ended, caught, simulated FROM steps WHERE at >= ? AND at < ?", stepID(active, 0), stepID(active+1, 0))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var (
			at int64
			s  stepState
		)
		if err := rows.Scan(&at, &s.started, &s.ended, &s.caught, &s.simulated); err != nil {
			return nil, nil, err
		}
		index := int(at & (1<<indexBits - 1))
		steps[index], w.rows[index] = s, true
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	begun, err := tx.QueryContext(ctx, "SELECT key, at, outcome IS NOT NULL FROM intents WHERE run = ?", active)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = begun.Close() }()
	for begun.Next() {
		var (
			key string
			s   intentState
		)
		if err := begun.Scan(&key, &s.at, &s.outcome); err != nil {
			return nil, nil, err
		}
		intents[key] = s
	}
	return steps, intents, begun.Err()
}
