// Package graphstate knows what a change makes of what a graph has stored for later runs. It
// keeps nothing: stores do.
package graphstate

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
)

// Stored is what is under a key.
type Stored struct {
	Value   json.RawMessage `json:"value,omitempty"`
	Members []Member        `json:"members,omitempty"` // nil for a value
	Set     bool            `json:"set,omitempty"`     // it has members, perhaps none
	Updated time.Time       `json:"updated"`
	Expires time.Time       `json:"expires,omitzero"` // of a value; zero is never
}

// A Member is one of the values that were added to a key.
type Member struct {
	Value   json.RawMessage `json:"v"`
	Expires int64           `json:"e,omitempty"` // in milliseconds; 0 is never
}

// Live returns what is stored without what has expired, nil if nothing is left.
func (s *Stored) Live(now time.Time) *Stored {
	switch {
	case s == nil, !s.Expires.IsZero() && !now.Before(s.Expires):
		return nil
	case !s.Set:
		return s
	}
	own := *s
	own.Members = slices.DeleteFunc(slices.Clone(s.Members), func(m Member) bool { return m.Expires != 0 && m.Expires <= now.UnixMilli() })
	if len(own.Members) == 0 {
		return nil
	}
	return &own
}

// List is the value of what is stored: of members, their list in the order in which they
// were added.
func (s *Stored) List() json.RawMessage {
	if !s.Set {
		return s.Value
	}
	values := lists.Each(s.Members, func(m Member) json.RawMessage { return m.Value })
	b, _ := json.Marshal(values) // of JSON
	return b
}

// Change returns what a change makes at a time of what is stored, nil for nothing, and its
// result. The other keys of the graph count towards its bound. What was stored stays as it is.
func Change(c *run.StateChange, now time.Time, was *Stored, others int) (is *Stored, result json.RawMessage, err error) {
	was = was.Live(now)
	if was == nil && others >= run.MaxStateKeys && (c.Do == run.StateSet || c.Do == run.StateAdd) {
		return nil, nil, stateFull("the graph has stored %d keys, the maximum", others)
	}
	switch c.Do {
	case run.StateGet:
		if was == nil {
			return nil, json.RawMessage(`{"found":false}`), nil
		}
		return was, jsonObject("value", was.List(), "found", true), nil
	case run.StateSet:
		is = &Stored{Value: c.Value, Updated: now}
		if c.TTL > 0 {
			is.Expires = now.Add(c.TTL)
		}
		if was == nil {
			return is, jsonObject("changed", true), nil
		}
		return is, jsonObject("changed", !bytes.Equal(was.List(), c.Value), "previous", was.List()), nil
	case run.StateAdd:
		return add(c, now, was)
	case run.StateDelete:
		return nil, jsonObject("deleted", was != nil), nil
	}
	return nil, nil, diag.Faultf(diag.CodeInternalError, "internal error in Patchbay: unknown change of state %q", c.Do)
}

// add adds members, and renews those that are there.
func add(c *run.StateChange, now time.Time, was *Stored) (is *Stored, result json.RawMessage, err error) {
	var given []json.RawMessage
	if err := json.Unmarshal(c.Value, &given); err != nil {
		return nil, nil, err
	}
	is = &Stored{Set: true, Updated: now}
	if was != nil && !was.Set {
		return nil, nil, diag.Faultf(diag.CodeBadRequest, "the state %q has a value, to which no members can be added", c.Key).WithHint("use another key, or delete this one first")
	}
	at := map[string]int{}
	if was != nil {
		is.Members = was.Members // of its own, by [Stored.Live]
		for i, m := range is.Members {
			at[string(m.Value)] = i
		}
	}
	expires := int64(0)
	if c.TTL > 0 {
		expires = now.Add(c.TTL).UnixMilli()
	}
	before := len(is.Members)
	added, known := []json.RawMessage{}, []json.RawMessage{}
	for _, v := range given {
		i, there := at[string(v)]
		switch {
		case there && i < before:
			is.Members[i].Expires = expires
			known = append(known, v)
		case !there:
			at[string(v)] = len(is.Members)
			is.Members = append(is.Members, Member{v, expires})
			added = append(added, v)
		}
	}
	if len(is.Members) > run.MaxMembers {
		return nil, nil, stateFull("the state %q would have %d members, at most %d are allowed", c.Key, len(is.Members), run.MaxMembers)
	}
	if len(is.Members) == 0 {
		is = nil
	}
	return is, jsonObject("added", added, "known", known, "count", len(at)), nil
}

// jsonObject is an object of names and values.
func jsonObject(members ...any) json.RawMessage {
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

var CodeStateFull = diag.DefineFault("state-full", diag.FailsAttempt, "a graph would store more than 1,000 keys, or a key more than 10,000 members", "give the state a `ttl`, or delete some: `patchbay state delete`")

func stateFull(format string, args ...any) *diag.Fault {
	return diag.Faultf(CodeStateFull, format, args...).WithHint("give the state a ttl, or delete what is not needed: patchbay state list, patchbay state delete")
}

// Entry is what is stored under the names of an entry.
func (s *Stored) Entry(e run.StateEntry) run.StateEntry {
	e.Value, e.Members, e.Updated, e.Expires = s.List(), len(s.Members), s.Updated, s.Expires
	return e
}
