package app_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/run"
)

// get_run names what somebody has to find out: the call of unknown outcome, and not
// those of which the outcome is known.
func TestGetRunShowsCallsOfUnknownOutcome(t *testing.T) {
	const send = `
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: mcp, server: s, tool: send, args: {n: 1}, next: second}
  - {id: second, type: mcp, server: s, tool: send, args: {n: 2}, next: exit}
  - {id: exit, type: exit}
`
	w := newWrecks(t)
	r := wreck("run", "p", send)
	r.Steps = []run.StepRecord{
		{Index: 0, Node: "entry", Type: "entry", Key: "entry#0", Pure: true, Ended: 1},
		{Index: 1, Node: "first", Type: "mcp", Key: "first#0", Ended: 2},
		{Index: 2, Node: "second", Type: "mcp", Key: "second#0"},
	}
	for step, n := range map[string]string{"first#0": "1", "second#0": "2"} {
		detail, _ := json.Marshal(run.Called{Server: "s", Tool: "send", Arguments: json.RawMessage(`{"n":` + n + `}`), Idempotency: "key" + n})
		r.Intents = append(r.Intents, run.Intent{Key: step + "/call", Step: step, Kind: run.IntentCall, Detail: detail})
	}
	w.leave(r)
	pb := overWith(t, w.options(), nil)
	got, fault := pb.GetRun(app.WithActor(t.Context(), run.Actor{Operator: true}), app.GetRunInput{RunID: "run"})
	if fault != nil {
		t.Fatal(fault)
	}
	want := []run.Called{{Step: "second#0", Server: "s", Tool: "send", Arguments: json.RawMessage(`{"n":2}`), Idempotency: "key2"}}
	if diff := cmp.Diff(want, got.UnknownCalls); diff != "" {
		t.Errorf("unknown calls (-want +got):\n%s", diff)
	}
}
