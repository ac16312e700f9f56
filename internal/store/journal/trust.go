package journal

import (
	"crypto/hmac"
	"errors"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/run"
)

// A sealedTable is one whose rows have a code each.
type sealedTable struct {
	name    string
	columns string // that the code covers, those of the key first
	keys    int    // how many are of the key
}

var (
	stateRows    = sealedTable{"state", "project, graph, key, value, members, updated, expires", 3}
	scheduleRows = sealedTable{"schedules", "project, name, at, definition, run, owner", 2}
)

// seal gives the rows of a table their codes.
func (w *writer) seal(t sealedTable) error {
	rows, err := w.rows("SELECT " + t.columns + " FROM " + t.name)
	key := strings.Join(strings.Split(t.columns, ", ")[:t.keys], " = ? AND ")
	for _, r := range rows {
		if err == nil {
			_, err = w.exec("UPDATE "+t.name+" SET code = ? WHERE "+key+" = ?", append([]any{w.sealer.sum(t.name, r)}, r[:t.keys]...)...)
		}
	}
	return err
}

// rows returns what a statement reads.
func (w *writer) rows(text string, args ...any) (list [][]any, err error) {
	s, err := w.prepared(text)
	if err != nil {
		return nil, err
	}
	found, err := s.QueryContext(w.ctx, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	names, err := found.Columns()
	for err == nil && found.Next() {
		values := make([]any, len(names))
		err = found.Scan(into(values)...)
		list = append(list, values)
	}
	if err == nil {
		err = found.Err()
	}
	return list, err
}

// sealAll gives all that the journal has its codes.
func (w *writer) sealAll() error {
	ids, err := w.rows("SELECT id FROM runs")
	for _, id := range ids {
		if err == nil {
			_, err = w.sealRun(id[0].(string), nil)
		}
	}
	if err == nil {
		err = w.seal(stateRows)
	}
	if err == nil {
		err = w.seal(scheduleRows)
	}
	return err
}

// content is a code of all that a run is believed with.
func (r *storedRun) content(s *sealer) []byte {
	return s.sum("content", r.answers, r.seal, r.head)
}

// sealRun gives a run its codes as it is, and reports whether it has. A run of other content
// than the given one stays as it is; nil is any content.
func (w *writer) sealRun(id string, content []byte) (bool, error) {
	as := decoder{restored: func(b []byte) []byte { return b }, sealer: w.sealer}
	r, err := as.load(w.ctx, w.conn, run.Actor{Operator: true}, id, false)
	if content != nil && (errors.Is(err, run.ErrNoRun) || err == nil && !hmac.Equal(content, r.content(w.sealer))) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for i := range r.Intents {
		if in := &r.Intents[i]; in.Kind == run.IntentHeld && in.Outcome != nil {
			if _, err := w.exec("UPDATE intents SET code = ? WHERE run = ? AND key = ?", w.sealer.answer(id, in.Key, stored(in.Outcome, largeValue)), r.n, in.Key); err != nil {
				return false, err
			}
		}
	}
	_, err = w.exec("UPDATE runs SET seal = ?, head = ? WHERE n = ?", r.seal, r.head, r.n)
	return err == nil, err
}

// An UnverifiedRun is a line about a run that is not verified, as it was read.
type UnverifiedRun struct {
	run.Summary
	content []byte
}

// Unverified returns the runs that are not verified, the latest first.
func (j *Journal) Unverified() ([]UnverifiedRun, error) {
	list, err := j.List(run.Filter{Actor: run.Actor{Operator: true}})
	if err != nil {
		return nil, err
	}
	var found []UnverifiedRun
	for _, s := range list {
		r, err := j.load(run.Actor{Operator: true}, s.ID)
		if err != nil {
			return nil, err
		}
		if r.Unverified != nil {
			s = run.Summarize(r.Record) // what is shown is what the code is about
			s.Unverified = true
			found = append(found, UnverifiedRun{s, r.content(j.sealer)})
		}
	}
	return found, nil
}

// Trust has runs that are not verified believed as they were read, and with them the state
// of graphs and how far schedules have been handled. It returns the IDs of those that have
// changed since: they are not believed.
func (j *Journal) Trust(list []UnverifiedRun) (changed []string, err error) {
	err = j.queue.put(&op{do: func(w *writer) error {
		changed = nil
		for _, r := range list {
			sealed, err := w.sealRun(r.ID, r.content)
			if err != nil {
				return err
			}
			if !sealed {
				changed = append(changed, r.ID)
			}
		}
		if err := w.seal(stateRows); err != nil {
			return err
		}
		return w.seal(scheduleRows)
	}}, true)
	return changed, j.failed("written", err)
}

// verified reports whether a run is believed.
func (w *writer) verified(id string) bool {
	as := decoder{restored: func(b []byte) []byte { return b }, sealer: w.sealer}
	r, err := as.load(w.ctx, w.conn, run.Actor{Operator: true}, id, false)
	return err == nil && r.verified
}

// adopt makes the runs and the state of a project those of another, and returns how many
// runs these are. What is not verified stays where it is.
func (w *writer) adopt(from, to string) (adopted int, err error) {
	runs, err := w.rows("SELECT "+sealedColumns+" FROM runs WHERE project = ?", from)
	for _, values := range runs {
		r := sealedRow(values)
		id, _ := r[sealedID].(string)
		if err != nil || !w.verified(id) {
			continue
		}
		r[sealedProject] = to
		_, err = w.exec("UPDATE runs SET project = ?, seal = ? WHERE id = ?", to, w.sealer.sum("run", r[:sealedCode]), r[sealedID])
		adopted++
	}
	if err != nil {
		return 0, err
	}
	state, err := w.rows("SELECT "+stateRows.columns+", code FROM state WHERE project = ?", from)
	for _, r := range state {
		last := len(r) - 1
		if was, _ := r[last].([]byte); err == nil && slices.Equal(was, w.sealer.sum("state", r[:last])) {
			graph, key := r[1], r[2]
			r[0] = to
			_, err = w.exec("UPDATE OR IGNORE state SET project = ?, code = ? WHERE project = ? AND graph = ? AND key = ?", to, w.sealer.sum("state", r[:last]), from, graph, key)
		}
	}
	return adopted, err
}
