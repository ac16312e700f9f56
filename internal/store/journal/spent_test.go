package journal_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestTokensOn: a request counts what it may cost until its reply is known, on its day, also
// after it was sent again or its run is gone from memory.
func TestTokensOn(t *testing.T) {
	file, err := journal.Open(filepath.Join(t.TempDir(), "runs.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, store := range map[string]runs.RunStore{"file": file, "memory": journal.NewMemory(nil)} {
		t.Cleanup(func() { _ = store.Close() })
		today := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
		spent := func(want int) {
			t.Helper()
			if got, err := store.(runs.TokenStore).TokensOn("p", "g", today); err != nil || got != want { //nolint:forcetypeassert // both are
				t.Errorf("%s: %d tokens (%v), want %d", name, got, err, want)
			}
		}
		rec := &run.Record{ID: "run_1", Graph: "g", Project: "p", Status: run.Running, Started: today}
		if err := store.Begin(rec, true); err != nil {
			t.Fatal(err)
		}
		intend := func(key string, at time.Time, reply string) run.Intent {
			in := run.Intent{Key: key + "/call", Step: key, Kind: run.IntentCall, At: at, Detail: json.RawMessage(`{"server":"model:","tool":"fast","tokens":100}`)}
			if reply != "" {
				in.Outcome = json.RawMessage(reply)
			}
			if err := store.Intend(rec.ID, in, true); err != nil {
				t.Fatal(err)
			}
			return in
		}
		intend("a#0", today, "")
		spent(100)
		intend("a#0", today, `{"structured":{"tokens":{"input":10,"output":5}}}`)
		spent(15)
		intend("yesterday#0", today.Add(-24*time.Hour), "")
		spent(15)
		lost := intend("b#0", today, "")
		spent(115)
		rec.Status, rec.Ended = run.Interrupted, today
		rec.Intents = append(rec.Intents, lost)
		if err := store.End(rec, true); err != nil {
			t.Fatal(err)
		}
		rec.Intents[0].Kind, rec.Intents[0].Key = run.IntentSpent, lost.Key+"/spent#1" // as a decision to send it again does
		if rec.Status = run.Running; store.Begin(rec, true) != nil {
			t.Fatal(name, "cannot be resumed")
		}
		spent(115)
		intend("b#0", today, `{"structured":{"tokens":{"input":1,"output":1}}}`)
		spent(117)
	}
}
