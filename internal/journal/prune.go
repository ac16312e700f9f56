package journal

import (
	"context"
	"fmt"
	"time"
)

const (
	maxPruned = 50   // runs that one transaction deletes
	freePages = 2000 // pages that one step gives back
)

// Prune deletes the runs that stopped before a time, and then the oldest until
// the file holds at most so many bytes; the zero time and 0 mean no bound. It does so
// little by little, so that runs that execute are not held up. The file shrinks.
func (j *Journal) Prune(before time.Time, maxBytes int64) (int, error) {
	deleted := 0
	for {
		var n int
		err := j.queue.put(&op{do: func(t *writer) (err error) {
			n, err = t.prune(before, maxBytes)
			return err
		}}, true)
		deleted += n
		if err != nil {
			return deleted, j.failed("written", err)
		}
		if n < maxPruned {
			break
		}
	}
	return deleted, j.failed("written", j.shrink())
}

// prune deletes some runs, the oldest first.
func (w *writer) prune(before time.Time, maxBytes int64) (n int, err error) {
	for n < maxPruned {
		var active, ended int64
		found, err := w.get("SELECT n, ended FROM runs WHERE status NOT IN ('running', 'interrupted') ORDER BY ended, n LIMIT 1", nil, &active, &ended)
		if err != nil || !found {
			return n, err
		}
		old := !before.IsZero() && ended < nanos(before)
		if !old && maxBytes > 0 {
			held, err := w.bytesInUse()
			if err != nil {
				return n, err
			}
			old = held > maxBytes
		}
		if !old {
			return n, nil
		}
		if err := w.deleteRun(active); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// bytesInUse is how many bytes of the file are in use.
func (w *writer) bytesInUse() (int64, error) {
	var pages, free, size int64
	for _, of := range []struct {
		text string
		into *int64
	}{{"PRAGMA page_count", &pages}, {"PRAGMA freelist_count", &free}, {"PRAGMA page_size", &size}} {
		if _, err := w.get(of.text, nil, of.into); err != nil {
			return 0, err
		}
	}
	return (pages - free) * size, nil
}

// deleteRun deletes a run, and the large texts that no other run has.
func (w *writer) deleteRun(active int64) error {
	for _, d := range []struct {
		text string
		args []any
	}{
		{"DELETE FROM blobs WHERE hash IN (SELECT hash FROM refs WHERE run = ?1) AND NOT EXISTS (SELECT 1 FROM refs WHERE refs.hash = blobs.hash AND run <> ?1)", []any{active}},
		{"DELETE FROM refs WHERE run = ?", []any{active}},
		{"DELETE FROM intents WHERE run = ?", []any{active}},
		{"DELETE FROM steps WHERE at >= ? AND at < ?", []any{stepID(active, 0), stepID(active+1, 0)}},
		{"DELETE FROM traces WHERE at >= ? AND at < ?", []any{stepID(active, 0), stepID(active+1, 0)}},
		{"DELETE FROM runs WHERE n = ?", []any{active}},
	} {
		if _, err := w.exec(d.text, d.args...); err != nil {
			return err
		}
	}
	return nil
}

// shrink gives the free pages back to the disk.
func (j *Journal) shrink() error {
	for {
		var free int64
		err := j.queue.put(&op{do: func(t *writer) error {
			if err := t.drain(fmt.Sprintf("PRAGMA incremental_vacuum(%d)", freePages)); err != nil {
				return err
			}
			_, err := t.get("PRAGMA freelist_count", nil, &free)
			return err
		}}, true)
		if err != nil {
			return err
		}
		if free == 0 {
			break
		}
	}
	// Readers may be in the way of the checkpoint; the next one does it then.
	_, err := j.reads.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// drain runs a statement to its end, which returns rows that nobody wants.
func (w *writer) drain(text string) error {
	rows, err := w.conn.QueryContext(w.ctx, text)
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	err = rows.Err()
	_ = rows.Close()
	return err
}
