package local_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

const twoBranches = `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: exit}
  - {id: left, type: mcp, server: s, tool: read, args: {}, KIND next: exit}
  - {id: right, type: mcp, server: s, tool: read, args: {}, KIND next: exit}
  - {id: exit, type: exit}
`

// result is a caller that answers with one result.
type result []byte

func (r result) CallTool(context.Context, run.Call) (*run.Result, error) {
	return &run.Result{Structured: []byte(r)}, nil
}

// limited is a keeper with room for so many bytes. It notes how many were wanted.
type limited struct {
	room int64

	mu     sync.Mutex
	wanted []int64
}

var errNoRoom = errors.New("there is no room")

func (k *limited) Keep(_ context.Context, bytes int64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wanted = append(k.wanted, bytes)
	if bytes > k.room {
		return errNoRoom
	}
	return nil
}

func runOf(t *testing.T, text string, c run.Caller, k local.Keeper) *run.Record {
	t.Helper()
	doc, found := graph.Parse("g.yaml", text)
	plan, more := engine.Compile(doc, "", engine.Env{})
	if found = append(found, more...); found.HasErrors() {
		t.Fatal(found)
	}
	return local.Run(t.Context(), plan, c, nil, local.Options{Keeper: k})
}

// TestResultsWaitBeforeTheyAreRead: what the branches of a run hold is within the memory
// for runs while it has not been decoded, and counts once when it has.
func TestResultsWaitBeforeTheyAreRead(t *testing.T) {
	body := append(append([]byte(`{"a":"`), bytes.Repeat([]byte("x"), 1<<20)...), `"}`...)
	repeatable := bytes.ReplaceAll([]byte(twoBranches), []byte("KIND"), []byte("retry: {maxAttempts: 1, unsafe: true},"))
	k := &limited{room: int64(3 * len(body))}
	rec := runOf(t, string(repeatable), result(body), k)
	if rec.Status != run.Succeeded {
		t.Fatal(rec.Fault)
	}
	most := int64(0)
	for _, n := range k.wanted {
		most = max(most, n)
	}
	if most < int64(2*len(body)) || most > int64(2*len(body)+1000) {
		t.Errorf("the run kept %d bytes at most, want the two results of %d", most, len(body))
	}

	k = &limited{room: int64(len(body)) - 1}
	rec = runOf(t, string(repeatable), result(body), k)
	for _, step := range rec.Steps {
		if step.Node == "left" && step.Output != nil {
			t.Error("a result was read for which there was no room")
		}
	}
	if !errors.Is(rec.Fault, errNoRoom) {
		t.Errorf("fault %v, want that there is no room", rec.Fault)
	}
}

// TestResultsThatCannotBeHadAgainAreStored before the run waits for memory.
func TestResultsThatCannotBeHadAgainAreStored(t *testing.T) {
	body := append(append([]byte(`{"a":"`), bytes.Repeat([]byte("x"), 1<<20)...), `"}`...)
	once := bytes.ReplaceAll([]byte(twoBranches), []byte("KIND"), nil)
	rec := runOf(t, string(once), result(body), &limited{room: 1000})
	for _, step := range rec.Steps {
		if (step.Node == "left" || step.Node == "right") && step.Ended > 0 && step.Output == nil && step.Fault == nil {
			t.Errorf("the result of %s is lost: %+v", step.Key, step.Fault)
		}
	}
	if !errors.Is(rec.Fault, errNoRoom) {
		t.Errorf("fault %v, want that there is no room", rec.Fault)
	}
}
