package journal

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// replying is what the stores have in common here.
type replying interface {
	run.Journal
	Load(actor run.Actor, id string) (*run.Record, error)
	List(f run.Filter) ([]run.Summary, error)
	Reply(actor run.Actor, id, key string, answer json.RawMessage) error
	OnReply(f func(id, key string, answer json.RawMessage))
}

// The first answer to a question with which a call waits reaches the process of the run,
// from whichever process; no other answer is kept.
func TestRepliesReachTheCall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	memory := NewMemory(nil)
	for name, stores := range map[string][2]replying{
		"one process":   {memory, memory},
		"two processes": {open(t, path, nil), open(t, path, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			own, other := stores[0], stores[1]
			told := make(chan string, 10)
			own.OnReply(func(id, key string, answer json.RawMessage) { told <- id + " " + key + " " + string(answer) })
			r := &run.Record{ID: "run", Principal: "ann", Status: run.Running, Started: time.Now()}
			ann, bob, key := run.Actor{Principal: "ann"}, run.Actor{Principal: "bob"}, "a#0/call/held#1"
			question := run.Intent{Key: key, Step: "a#0", Kind: run.IntentHeld, At: time.Now(), Detail: json.RawMessage(`{"message":"How many?"}`)}
			if err := errors.Join(own.Begin(r, true), own.Intend("run", question, true)); err != nil {
				t.Fatal(err)
			}
			list, err := other.List(run.Filter{Actor: ann})
			if err != nil || len(list) != 1 || list[0].Code != run.NeedsAnswer || list[0].Message != "a person must answer: How many?" {
				t.Errorf("%+v, %v", list, err)
			}
			if err := other.Reply(bob, "run", key, json.RawMessage(`{}`)); !errors.Is(err, run.ErrNoRun) {
				t.Errorf("of another principal: %v", err)
			}
			if err := other.Reply(ann, "run", key, json.RawMessage(`{"action":"decline"}`)); err != nil {
				t.Fatal(err)
			}
			if got := <-told; got != "run "+key+` {"action":"decline"}` {
				t.Errorf("it is told %s", got)
			}
			if f, ok := errors.AsType[*diag.Fault](own.Reply(ann, "run", key, json.RawMessage(`{"action":"timeout"}`))); !ok || f.Code != "not-asked" {
				t.Errorf("a second answer: %v", f)
			}
			kept, err := other.Load(ann, "run")
			if err != nil || string(kept.Intents[0].Outcome) != `{"action":"decline"}` || len(kept.Questions()) > 0 {
				t.Errorf("%+v, %v", kept, err)
			}
			r.Status, r.Ended, r.Intents = run.Succeeded, time.Now(), kept.Intents
			if err := own.End(r, true); err != nil {
				t.Fatal(err)
			}
			if f, ok := errors.AsType[*diag.Fault](other.Reply(ann, "run", key, json.RawMessage(`{}`))); !ok || f.Code != "not-running" {
				t.Errorf("after the end: %v", f)
			}
		})
	}
}
