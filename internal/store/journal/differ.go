package journal

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"github.com/patchbay-mcp/patchbay/run"
)

// differences compares a record with what the journal has of it, which must be verified, and
// encodes what is new. A step has another Ended for each of its ends in a run.
func (j *Journal) differences(r *run.Record) (changes, error) {
	w := changes{tail: len(r.Steps), rows: map[int]bool{}, codes: &codes{}}
	j.settle()
	ctx := context.Background()
	tx, err := j.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return w, err
	}
	defer func() { _ = tx.Rollback() }()
	was, err := j.decoder().load(ctx, tx, run.Actor{Operator: true}, r.ID, false)
	switch {
	case errors.Is(err, run.ErrNoRun):
		was = &storedRun{Record: &run.Record{}, lastTraced: -1}
	case err != nil:
		return w, err
	case !was.verified:
		return w, j.sealer.unverified("the run " + r.ID)
	default:
		w.n, w.codes = was.n, &was.codes
	}
	for row := range was.codes.rows {
		if row.table == 's' {
			w.rows[row.index] = true
		}
	}
	if w.forgetTraces = was.lastTraced >= w.tail; w.forgetTraces {
		was.Steps = nil // they all get rows
	}
	for i := range r.Steps {
		s := r.Steps[i]
		if s.Key == "" || s.Index < len(was.Steps) && sameStep(was.Steps[s.Index], s) {
			continue
		}
		encoded, err := j.encoder().step(s)
		if err != nil {
			return w, err
		}
		w.steps, w.rows[s.Index] = append(w.steps, keyedRow{s.Index, encoded}), true
	}
	intents := map[string]*run.Intent{}
	for i := range was.Intents {
		intents[was.Intents[i].Key] = &was.Intents[i]
	}
	for i := range r.Intents {
		in := &r.Intents[i]
		before := intents[in.Key]
		delete(intents, in.Key)
		if before == nil || !before.At.Equal(in.At) || (before.Outcome == nil) != (in.Outcome == nil) {
			w.intents = append(w.intents, keyedRow{row: j.encoder().intent(r.ID, in)})
		}
	}
	for key := range intents {
		w.dropped = append(w.dropped, key)
	}
	return w, nil
}

func sameStep(a, b *run.StepRecord) bool {
	return a.Key != "" && nanos(a.Started) == nanos(b.Started) && a.Ended == b.Ended && a.Caught == b.Caught && a.Simulated == b.Simulated
}

// An Inspection is what [Inspect] finds.
type Inspection struct {
	Format int
	Bytes  int64 // of the file and its write-ahead log
	Runs   int
	Whole  bool // all of it was looked through for damage; of a large file only the headers
}

// Inspect looks at a journal that is in use, or that can be. It changes nothing.
//
// Faults: journal-failed.
func Inspect(ctx context.Context, path string) (*Inspection, error) {
	db, err := openReads(path)
	if err != nil {
		return nil, journalFault(path, "read", err)
	}
	c, err := db.Conn(ctx)
	in := &Inspection{}
	if err == nil {
		for _, suffix := range append([]string{""}, sideFiles[:]...) {
			if info, err := os.Stat(path + suffix); err == nil {
				in.Bytes += info.Size()
			}
		}
		in.Whole = in.Bytes <= checkedWhole
		_, err = checkTables(ctx, c, in.Whole)
		if err == nil {
			in.Format, err = formatVersion(ctx, c)
		}
		if err == nil {
			err = c.QueryRowContext(ctx, "SELECT count(*) FROM runs").Scan(&in.Runs)
		}
		err = errors.Join(err, c.Close())
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, journalFault(path, "read", err)
	}
	return in, nil
}
