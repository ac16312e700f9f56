package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// stateTable holds what graphs store for later runs: a value, or members with the times
// when each expires. Programs that do not know it have no use for it.
const stateTable = `CREATE TABLE IF NOT EXISTS state (
	project TEXT NOT NULL, graph TEXT NOT NULL, key TEXT NOT NULL,
	value TEXT NOT NULL, members INTEGER NOT NULL,
	updated INTEGER NOT NULL, expires INTEGER NOT NULL,
	PRIMARY KEY (project, graph, key)
) STRICT, WITHOUT ROWID;`

// stored is what is under a key.
type stored struct {
	value   json.RawMessage
	members []member // nil for a value
	set     bool     // it has members, perhaps none
	updated time.Time
	expires time.Time // of a value; zero is never
}

// A member is one of the values that were added to a key.
type member struct {
	Value   json.RawMessage `json:"v"`
	Expires int64           `json:"e,omitempty"` // in milliseconds; 0 is never
}

// live returns what is stored without what has expired, nil if nothing is left.
func (s *stored) live(now time.Time) *stored {
	switch {
	case s == nil, !s.expires.IsZero() && !now.Before(s.expires):
		return nil
	case !s.set:
		return s
	}
	own := *s
	own.members = slices.DeleteFunc(slices.Clone(s.members), func(m member) bool { return m.Expires != 0 && m.Expires <= now.UnixMilli() })
	if len(own.members) == 0 {
		return nil
	}
	return &own
}

// list is the value of what is stored: of members, their list in the order in which they
// were added.
func (s *stored) list() json.RawMessage {
	if !s.set {
		return s.value
	}
	values := make([]json.RawMessage, len(s.members))
	for i, m := range s.members {
		values[i] = m.Value
	}
	b, _ := json.Marshal(values) // of JSON
	return b
}

// change returns what a change makes of what is stored, nil for nothing, and its result.
// The other keys of the graph count towards its bound.
func change(c *run.StateChange, now time.Time, was *stored, others int) (is *stored, result json.RawMessage, err error) {
	if was == nil && others >= run.MaxStateKeys && (c.Do == run.StateSet || c.Do == run.StateAdd) {
		return nil, nil, stateFull("the graph has stored %d keys, the maximum", others)
	}
	switch c.Do {
	case run.StateGet:
		if was == nil {
			return nil, json.RawMessage(`{"found":false}`), nil
		}
		return was, resultOf("value", was.list(), "found", true), nil
	case run.StateSet:
		is = &stored{value: c.Value, updated: now}
		if c.TTL > 0 {
			is.expires = now.Add(c.TTL)
		}
		if was == nil {
			return is, resultOf("changed", true), nil
		}
		return is, resultOf("changed", !bytes.Equal(was.list(), c.Value), "previous", was.list()), nil
	case run.StateAdd:
		return add(c, now, was)
	case run.StateDelete:
		return nil, resultOf("deleted", was != nil), nil
	}
	return nil, nil, diag.Faultf("internal-error", "internal error in Patchbay: unknown change of state %q", c.Do)
}

// add adds members, and renews those that are there.
func add(c *run.StateChange, now time.Time, was *stored) (is *stored, result json.RawMessage, err error) {
	var given []json.RawMessage
	if err := json.Unmarshal(c.Value, &given); err != nil {
		return nil, nil, err
	}
	is = &stored{set: true, updated: now}
	if was != nil && !was.set {
		f := diag.Faultf("bad-request", "the state %q has a value, to which no members can be added", c.Key)
		f.Hint = "use another key, or delete this one first"
		return nil, nil, f
	}
	at := map[string]int{}
	if was != nil {
		is.members = was.members
		for i, m := range is.members {
			at[string(m.Value)] = i
		}
	}
	expires := int64(0)
	if c.TTL > 0 {
		expires = now.Add(c.TTL).UnixMilli()
	}
	before := len(is.members)
	added, known := []json.RawMessage{}, []json.RawMessage{}
	for _, v := range given {
		i, there := at[string(v)]
		switch {
		case there && i < before:
			is.members[i].Expires = expires
			known = append(known, v)
		case !there:
			at[string(v)] = len(is.members)
			is.members = append(is.members, member{v, expires})
			added = append(added, v)
		}
	}
	if len(is.members) > run.MaxMembers {
		return nil, nil, stateFull("the state %q would have %d members, at most %d are allowed", c.Key, len(is.members), run.MaxMembers)
	}
	if len(is.members) == 0 {
		is = nil
	}
	return is, resultOf("added", added, "known", known, "count", len(at)), nil
}

// resultOf is an object of names and values.
func resultOf(members ...any) json.RawMessage {
	out := []byte{'{'}
	for i := 0; i < len(members); i += 2 {
		if i > 0 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(members[i])
		value, ok := members[i+1].(json.RawMessage)
		if !ok {
			value, _ = json.Marshal(members[i+1]) // of JSON
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}')
}

func stateFull(format string, args ...any) *diag.Fault {
	f := diag.Faultf("state-full", format, args...)
	f.Hint = "give the state a ttl, or delete what is not needed: patchbay state list, patchbay state delete"
	return f
}

// ChangeState implements [run.StateStore]. The change, the intent with its outcome and
// all that the run has reported before are one transaction.
func (j *Journal) ChangeState(id string, in run.Intent, c run.StateChange, dry bool) (result json.RawMessage, err error) {
	active, err := j.running(id)
	if err != nil {
		return nil, err
	}
	c.Value = j.encoder().masked(c.Value)
	if dry || c.Do == run.StateGet {
		was, others, err := readState(j.reads, &c)
		if err == nil {
			_, result, err = change(&c, in.At, was.live(in.At), others)
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
		was, others, err := readState(w.conn, &c)
		if err != nil {
			return err
		}
		is, made, err := change(&c, in.At, was.live(in.At), others)
		if err == nil {
			err = w.putState(&c, is)
		}
		if err != nil {
			return err
		}
		result = j.restored(made)
		in.Outcome = result
		return w.put(putIntent, active.n, j.encoder().intent(&in), active.n)
	}}, true)
	return result, j.failed("written", err)
}

// errNotWritten is why a change is not made of which the run cannot be written.
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
