package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const (
	maxPruned = 500  // runs that one transaction deletes, and
	maxSteps  = 5000 // steps of them, unless it is one run
	freePages = 2000 // pages that one step gives back
)

// Prune deletes the runs of a project, or of all for "", that stopped before a time,
// and then the oldest of all until the file holds at most so many bytes; the zero time
// and 0 mean no bound. It does so little by little, so that runs that execute are not
// held up. The file shrinks.
func (j *Journal) Prune(project string, before time.Time, maxBytes int64) (int, error) {
	if err := j.queue.put(&op{do: (*writer).pruneState}, true); err != nil {
		return 0, j.failed("written", err)
	}
	deleted := 0
	for _, some := range []func(*writer) (int, error){
		func(w *writer) (int, error) { return w.pruneOld(project, before) },
		func(w *writer) (int, error) { return w.pruneLarge(maxBytes) },
	} {
		for n := 1; n > 0; deleted += n {
			err := j.queue.put(&op{do: func(t *writer) (err error) {
				n, err = some(t)
				return err
			}}, true)
			if err != nil {
				return deleted, j.failed("written", err)
			}
		}
	}
	return deleted, j.failed("written", j.shrink())
}

// pruneState deletes state that has expired; members go when others are added.
func (w *writer) pruneState() error {
	_, err := w.exec("DELETE FROM state WHERE expires <> 0 AND expires <= ?", nanos(time.Now()))
	return err
}

// stopped chooses the runs that can be deleted.
const stopped = " FROM runs WHERE status NOT IN ('running', 'interrupted') "

// pruneOld deletes some runs of a project that stopped before a time, the oldest first.
func (w *writer) pruneOld(project string, before time.Time) (int, error) {
	if before.IsZero() {
		return 0, nil
	}
	old, err := w.rows("SELECT n, steps"+stopped+"AND ended < ?1 AND (?2 = '' OR project = ?2) ORDER BY ended, n LIMIT ?3", nanos(before), project, maxPruned)
	var some []int64
	for steps := int64(0); err == nil && len(some) < len(old); {
		r := old[len(some)]
		if steps += r[1].(int64); steps > maxSteps && len(some) > 0 {
			break
		}
		some = append(some, r[0].(int64))
	}
	if err == nil && len(some) > 0 {
		err = w.deleteRuns(some)
	}
	return len(some), err
}

// pruneLarge deletes some runs, the oldest first, until the file holds at most so many
// bytes.
func (w *writer) pruneLarge(maxBytes int64) (n int, err error) {
	for maxBytes > 0 && n < maxPruned {
		held, err := w.bytesInUse()
		if err != nil || held <= maxBytes {
			return n, err
		}
		oldest, err := w.numbers("SELECT n" + stopped + "ORDER BY ended, n LIMIT 1")
		if err != nil || len(oldest) == 0 {
			return n, err
		}
		if err := w.deleteRuns(oldest); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// numbers returns the whole numbers that a statement reads.
func (w *writer) numbers(text string, args ...any) (list []int64, err error) {
	rows, err := w.rows(text, args...)
	for _, r := range rows {
		list = append(list, r[0].(int64))
	}
	return list, err
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

// deleteRuns deletes runs, and the large texts that no other run has.
func (w *writer) deleteRuns(list []int64) error {
	const (
		these = "(SELECT value FROM json_each(?1))"
		lie   = " WHERE at IN (SELECT at FROM json_each(?1) CROSS JOIN "
		there = " ON at >= value << ?2 AND at < (value + 1) << ?2)"
	)
	chosen, err := json.Marshal(list)
	if err != nil {
		return err
	}
	for _, text := range []string{
		"DELETE FROM blobs WHERE hash IN (SELECT hash FROM refs WHERE run IN " + these + ") AND NOT EXISTS (SELECT 1 FROM refs WHERE refs.hash = blobs.hash AND run NOT IN " + these + ")",
		"DELETE FROM refs WHERE run IN " + these,
		"DELETE FROM intents WHERE run IN " + these,
		"DELETE FROM steps" + lie + "steps" + there,
		"DELETE FROM traces" + lie + "traces" + there,
		"DELETE FROM runs WHERE n IN " + these,
	} {
		args := []any{string(chosen)}
		if strings.Contains(text, "?2") {
			args = append(args, indexBits)
		}
		if _, err := w.exec(text, args...); err != nil {
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

// drain runs a statement to its end and drops its rows.
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
