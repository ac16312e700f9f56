package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

const writes = `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: write, next: exit}
  - {id: exit, type: exit}
`

// counting is a server with a tool that changes something, and how often it was called.
func counting() (downstream.Server, *atomic.Int64) {
	var calls atomic.Int64
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "write", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		calls.Add(1)
		return &mcp.CallToolResult{StructuredContent: map[string]bool{"done": true}}, nil
	})
	return downstream.Server{Name: "s", InProcess: server}, &calls
}

// The runs of a journal that somebody else wrote can be looked at. Nothing resumes them, and
// nothing is made of them, until they are trusted.
func TestAJournalFromElsewhereDoesNothing(t *testing.T) {
	w := newWrecks(t)
	trusted := func(id string, status run.Status, fault *diag.Fault) *run.Record {
		r := wreck(id, "p", writes)
		r.Source.Trusted, r.Options.Operator, r.Status, r.Fault = true, true, status, fault
		return r
	}
	asks := trusted("asks", run.Interrupted, diag.Faultf(run.NeedsAnswer, "it asks"))
	asks.Steps = []*run.StepRecord{{Node: "call", Type: "ask", Key: "call#0", Started: time.Now()}}
	asks.Intents = []run.Intent{{Key: "call#0/ask", Step: "call#0", Kind: run.IntentAsk, At: time.Now(), Until: time.Now().Add(-time.Hour), Detail: json.RawMessage(`{"message":"?"}`)}}
	all := []*run.Record{trusted("crashed", run.Running, nil), trusted("parked", run.Interrupted, diag.Faultf(run.ShuttingDown, "stopped")), asks, trusted("done", run.Succeeded, nil)}
	theirs, err := journal.Open(w.path, &journal.Options{Key: []byte("theirs")})
	for _, r := range all {
		if err == nil {
			err = theirs.Begin(r, true)
		}
		if err == nil && r.Status != run.Running {
			err = theirs.End(r, true)
		}
	}
	if err := errors.Join(err, theirs.Close()); err != nil {
		t.Fatal(err)
	}

	server, calls := counting()
	o := w.options()
	if o.Graphs, err = graphfiles.OpenGraphs(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	pb := overWith(t, o, nil, server)
	pb.Recover()
	ctx := request.WithActor(t.Context(), run.Actor{Operator: true})
	for _, r := range all {
		shown, fault := pb.GetRun(ctx, execution.GetRunInput{RunID: r.ID})
		if fault != nil || !strings.Contains(shown.Unverified, "patchbay runs trust "+w.path) || shown.Hint != "" {
			t.Errorf("%s is shown as %+v, %v", r.ID, shown, fault)
		}
		_, resume := pb.ResumeRun(ctx, execution.ResumeRunInput{RunID: r.ID, Decision: "retry"})
		_, answer := pb.Answer(ctx, execution.AnswerInput{RunID: r.ID, Action: "accept"})
		_, test := pb.SaveTest(ctx, library.SaveTestInput{RunID: r.ID})
		_, source := pb.RunSource(ctx, r.ID)
		_, draft := pb.Save(ctx, library.SaveInput{CallsInput: library.CallsInput{FromCalls: []string{r.ID}}})
		faults := map[string]*diag.Fault{"resume": resume, "answer": answer, "save-test": test, "source": source, "from_calls": draft}
		if r.Status == run.Interrupted {
			_, faults["cancel"] = pb.CancelRun(ctx, execution.CancelRunInput{RunID: r.ID})
		}
		for what, fault := range faults {
			if fault == nil || fault.Code != "unverified-run" {
				t.Errorf("%s %s: %v", what, r.ID, fault)
			}
		}
	}
	list, fault := pb.Runs(ctx, execution.RunsInput{})
	if fault != nil || len(list.Runs) != len(all) {
		t.Fatal(list, fault)
	}
	for _, s := range list.Runs {
		if !s.Unverified {
			t.Errorf("%s is not marked in the list", s.ID)
		}
	}
	pb.Close()
	if n := calls.Load(); n != 0 {
		t.Errorf("%d calls", n)
	}

	ours, err := journal.Open(w.path, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := ours.Unverified()
	found = slices.DeleteFunc(found, func(r journal.UnverifiedRun) bool { return r.ID != "crashed" && r.ID != "parked" })
	_, failed := ours.Trust(found)
	err = errors.Join(err, failed, ours.Close())
	if err != nil {
		t.Fatal(err)
	}
	recovered(t, overWith(t, w.options(), nil, server), &heard{}, 2)
	if n := calls.Load(); n != 2 {
		t.Errorf("%d calls of the two that are trusted", n)
	}
}

// An App signs with the key of the user's state folder, which processes that start together
// make once, or with a configured one; without either it opens no journal.
func TestTheKeyOfTheJournal(t *testing.T) {
	open := func(state, key string) (*config.Config, *diag.Fault) {
		environ := func(name string) (string, bool) {
			if name == "XDG_STATE_HOME" {
				return state, state != ""
			}
			return "", false
		}
		cfg, _, err := config.Load(config.Options{Dir: t.TempDir(), Standalone: true, RunsFile: filepath.Join(t.TempDir(), "runs.db"), RunsKey: key, Environ: environ})
		if err != nil {
			t.Fatal(err)
		}
		pb, err := app.Open(t.Context(), cfg, app.Setup{})
		if err != nil {
			t.Fatal(err)
		}
		defer pb.Close()
		_, fault := pb.Runs(t.Context(), execution.RunsInput{})
		return cfg, fault
	}
	state := t.TempDir()
	done := make(chan *diag.Fault)
	for range 8 {
		go func() {
			_, fault := open(state, "")
			done <- fault
		}()
	}
	for range 8 {
		if fault := <-done; fault != nil {
			t.Error(fault)
		}
	}
	file := filepath.Join(state, "patchbay", "journal.key")
	key, err := os.ReadFile(file)
	info, statErr := os.Stat(file)
	if err := errors.Join(err, statErr); err != nil || len(key) != 32 || info.Mode().Perm()&0o077 != 0 {
		t.Fatalf("%d bytes, %v, %v", len(key), info.Mode(), err)
	}
	if _, fault := open(state, ""); fault != nil {
		t.Error(fault)
	}
	if again, _ := os.ReadFile(file); string(again) != string(key) {
		t.Error("the key has changed")
	}
	if _, fault := open("", strings.Repeat("k", 32)); fault != nil {
		t.Errorf("with a configured key: %v", fault)
	}
	if _, fault := open("", ""); fault == nil || fault.Code != "no-journal-key" || !strings.Contains(fault.Hint, "runs.key") {
		t.Errorf("without a key: %v", fault)
	}
	if err := os.WriteFile(file, key[:5], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, fault := open(state, ""); fault == nil || fault.Code != "no-journal-key" || !strings.Contains(fault.Message, "damaged") {
		t.Errorf("with a damaged key: %v", fault)
	}
}
