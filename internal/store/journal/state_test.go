package journal_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// stateStore is what state needs of a store of runs.
type stateStore interface {
	run.Journal
	run.StateStore
	Adopt(from []string, to string) (int, error)
	Load(actor run.Actor, id string) (*run.Record, error)
}

// eachStateStore calls f with both stores, which have begun a run r.
func eachStateStore(t *testing.T, f func(t *testing.T, s stateStore)) {
	t.Run("memory", func(t *testing.T) { f(t, begun(t, journal.NewMemory(nil))) })
	t.Run("journal", func(t *testing.T) {
		j, err := journal.Open(filepath.Join(t.TempDir(), "runs.db"), &journal.Options{
			Redact:  func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "s3cret", "<secret>")) },
			Restore: func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "<secret>", "s3cret")) },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = j.Close() })
		f(t, begun(t, j))
	})
}

func begun(t *testing.T, s stateStore) stateStore {
	if err := s.Begin(&run.Record{ID: "r", Graph: "g", Status: run.Running, Started: time.Now()}, false); err != nil {
		t.Fatal(err)
	}
	return s
}

var steps int

// changed makes a change of its own step at a time, and returns its result.
func changed(t *testing.T, s run.StateStore, at time.Time, c run.StateChange) string {
	t.Helper()
	steps++
	key := "s#" + strconv.Itoa(steps)
	result, err := s.ChangeState("r", run.Intent{Key: key + "/state", Step: key, Kind: run.IntentState, At: at}, c, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(result)
}

func TestStateExpires(t *testing.T) {
	eachStateStore(t, func(t *testing.T, s stateStore) {
		at := time.Now()
		set := run.StateChange{Graph: "g", Do: run.StateSet, Key: "v", Value: json.RawMessage(`"s3cret"`), TTL: time.Minute}
		get := run.StateChange{Graph: "g", Do: run.StateGet, Key: "v"}
		add := func(members string) run.StateChange {
			return run.StateChange{Graph: "g", Do: run.StateAdd, Key: "m", Value: json.RawMessage(members), TTL: time.Minute}
		}
		for _, step := range []struct {
			after  time.Duration
			change run.StateChange
			result string
		}{
			{0, set, `{"changed":true}`},
			{59 * time.Second, get, `{"value":"s3cret","found":true}`},
			{60 * time.Second, get, `{"found":false}`},
			{61 * time.Second, set, `{"changed":true}`},
			{0, add(`["a","b"]`), `{"added":["a","b"],"known":[],"count":2}`},
			{50 * time.Second, add(`["a"]`), `{"added":[],"known":["a"],"count":2}`},
			{70 * time.Second, add(`["b","c"]`), `{"added":["b","c"],"known":[],"count":3}`}, // b has expired
			{120 * time.Second, add(`["a"]`), `{"added":["a"],"known":[],"count":3}`},
		} {
			if got := changed(t, s, at.Add(step.after), step.change); got != step.result {
				t.Errorf("after %s, %s: %s, expected %s", step.after, step.change.Do, got, step.result)
			}
		}
	})
}

func TestStateBelongsToItsGraphAndProject(t *testing.T) {
	eachStateStore(t, func(t *testing.T, s stateStore) {
		set := func(project, graph, value string) {
			changed(t, s, time.Now(), run.StateChange{Project: project, Graph: graph, Do: run.StateSet, Key: "k", Value: json.RawMessage(value)})
		}
		set("p", "a", "1")
		set("p", "b", "2")
		set("q", "a", "3")
		list, err := s.States("p", "")
		if err != nil || len(list) != 2 || string(list[0].Value) != "1" || list[1].Graph != "b" {
			t.Fatal(list, err)
		}
		if n, err := s.DeleteState("p", "a", "other"); n != 0 || err != nil {
			t.Error(n, err)
		}
		if n, err := s.DeleteState("p", "b", ""); n != 1 || err != nil {
			t.Error(n, err)
		}
		if _, err := s.Adopt([]string{"q"}, "r"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Adopt([]string{"r"}, "p"); err != nil { // p has the key already
			t.Fatal(err)
		}
		if list, err = s.States("", "a"); err != nil || len(list) != 2 || string(list[0].Value) != "1" || list[1].Project != "r" {
			t.Error(list, err)
		}
	})
}

func TestStateIsBounded(t *testing.T) {
	eachStateStore(t, func(t *testing.T, s stateStore) {
		members := make([]int, run.MaxMembers)
		for i := range members {
			members[i] = i
		}
		all, _ := json.Marshal(members)
		changed(t, s, time.Now(), run.StateChange{Graph: "g", Do: run.StateAdd, Key: "m", Value: all})
		_, err := s.ChangeState("r", run.Intent{Key: "full/state", At: time.Now()}, run.StateChange{Graph: "g", Do: run.StateAdd, Key: "m", Value: json.RawMessage(`["more"]`)}, false)
		if f, ok := errors.AsType[*diag.Fault](err); !ok || f.Code != "state-full" {
			t.Error(err)
		}
		_, err = s.ChangeState("r", run.Intent{Key: "value/state", At: time.Now()}, run.StateChange{Graph: "g", Do: run.StateSet, Key: "v", Value: json.RawMessage(`1`)}, false)
		if err != nil {
			t.Error(err)
		}
		_, err = s.ChangeState("r", run.Intent{Key: "add/state", At: time.Now()}, run.StateChange{Graph: "g", Do: run.StateAdd, Key: "v", Value: json.RawMessage(`[1]`)}, false)
		if f, ok := errors.AsType[*diag.Fault](err); !ok || f.Code != "bad-request" {
			t.Error(err)
		}
		if rec, err := s.Load(run.Actor{Operator: true}, "r"); err != nil || len(rec.Intents) < 2 || rec.Intents[len(rec.Intents)-1].Key != "value/state" {
			t.Error(rec, err) // what was refused has no intent
		}
	})
}

// The result of a change is in the record of its run as soon as the change is made, in
// the transaction that made it; both outlive the process.
func TestStateIsStoredWithItsStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	begun(t, j)
	change := run.StateChange{Graph: "g", Do: run.StateAdd, Key: "m", Value: json.RawMessage(`["a"]`)}
	if _, err := j.ChangeState("r", run.Intent{Key: "s#0/state", Step: "s#0", Kind: run.IntentState, At: time.Now()}, change, false); err != nil {
		t.Fatal(err)
	}
	other, err := journal.Open(path, nil) // as another process sees the file at this moment
	if err != nil {
		t.Fatal(err)
	}
	rec, err := other.Load(run.Actor{Operator: true}, "r")
	if err != nil || len(rec.Intents) != 1 || string(rec.Intents[0].Outcome) != `{"added":["a"],"known":[],"count":1}` {
		t.Error(rec, err)
	}
	if list, err := other.States("", "g"); err != nil || len(list) != 1 || list[0].Members != 1 {
		t.Error(list, err)
	}
	for _, j := range []*journal.Journal{j, other} {
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
