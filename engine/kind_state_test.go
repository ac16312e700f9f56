package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// stating is a graph of one state node, with the fields given.
func stating(fields string) string {
	return `name: g
inputSchema: {type: object, properties: {v: {}}}
nodes:
  - {id: entry, type: entry, next: it}
  - {id: it, type: state, ` + fields + `, next: exit}
  - {id: exit, type: exit}
`
}

// Runs of one graph see what earlier ones have stored.
func TestState(t *testing.T) {
	store := journal.NewMemory(nil)
	for _, step := range []struct{ fields, arguments, result string }{
		{"key: a, get: none", `{}`, `{"value":"none","found":false}`},
		{"key: a, get: null", `{}`, `{"value":null,"found":false}`},
		{"key: a, set: {expr: $.entry.v}", `{"v":1}`, `{"changed":true}`},
		{"key: a, set: {expr: $.entry.v}", `{"v":1}`, `{"changed":false,"previous":1}`},
		{"key: a, set: {n: {expr: $.entry.v}}", `{"v":9007199254740993}`, `{"changed":true,"previous":1}`},
		{"key: {expr: '$lowercase(\"A\")'}, get: null", `{}`, `{"value":{"n":9007199254740993},"found":true}`},
		{"key: s, add: {expr: $.entry.v}", `{"v":["x","y","x"]}`, `{"added":["x","y"],"known":[],"count":2}`},
		{"key: s, add: {expr: $.entry.v}", `{"v":["y",{"z":1}]}`, `{"added":[{"z":1}],"known":["y"],"count":3}`},
		{"key: s, add: {expr: $.entry.v}", `{"v":"one"}`, `{"added":["one"],"known":[],"count":4}`},
		{"key: s, add: {expr: $.entry.none}", `{}`, `{"added":[],"known":[],"count":4}`},
		{"key: s, get: []", `{}`, `{"value":["x","y",{"z":1},"one"],"found":true}`},
		{"key: s, delete: true", `{}`, `{"deleted":true}`},
		{"key: s, delete: true", `{}`, `{"deleted":false}`},
		{"key: new, add: []", `{}`, `{"added":[],"known":[],"count":0}`},
	} {
		plan := compile(t, stating(step.fields), engine.Env{})
		rec := local.Run(t.Context(), plan, nil, json.RawMessage(step.arguments), local.Options{Journal: store, State: store})
		if rec.Fault != nil {
			t.Fatalf("%s: %v", step.fields, rec.Fault)
		}
		if b, _ := expr.Encode(rec.Result); string(b) != step.result {
			t.Errorf("%s %s: %s, expected %s", step.fields, step.arguments, b, step.result)
		}
	}
}

func TestStateFaults(t *testing.T) {
	store := journal.NewMemory(nil)
	long, _ := json.Marshal(strings.Repeat("x", run.MaxStateValue))
	many, _ := json.Marshal(make([]int, run.MaxMembers+1))
	for fields, tt := range map[string]struct{ arguments, message string }{
		"key: {expr: $.entry.v}, get: null":    {`{"v":1}`, "the key is 1, expected text"},
		"key: {expr: $.entry.none}, get: null": {`{}`, "key is undefined, expected a text"},
		"key: {expr: $.entry.v}, delete: true": {`{"v":""}`, "the key has 0 bytes, expected 1 to 200"},
		"key: a, set: {expr: $.entry.v}":       {`{"v":` + string(long) + `}`, "the value has more than 262144 bytes of JSON"},
		"key: a, add: {expr: $.entry.v}":       {`{"v":` + string(many) + `}`, "10001 members are added at once, at most 10000 are allowed"},
		"key: a, add: {expr: '[$.entry.v]'}":   {`{"v":` + string(long) + `}`, "member 0 has more than 1024 bytes of JSON"},
	} {
		plan := compile(t, stating(fields), engine.Env{})
		rec := local.Run(t.Context(), plan, nil, json.RawMessage(tt.arguments), local.Options{Journal: store, State: store})
		if rec.Fault == nil || !strings.Contains(rec.Fault.Message, tt.message) {
			t.Errorf("%s: %v, expected %s", fields, rec.Fault, tt.message)
		}
	}
	rec := local.Run(t.Context(), compile(t, stating("key: a, get: null"), engine.Env{}), nil, nil, local.Options{})
	if rec.Fault == nil || rec.Fault.Code != "no-state" {
		t.Errorf("without a store: %v", rec.Fault)
	}
}

// A dry run computes what would be stored, and stores nothing.
func TestStateInADryRun(t *testing.T) {
	store := journal.NewMemory(nil)
	plan := compile(t, stating("key: s, add: [a]"), engine.Env{})
	for range 2 {
		rec := local.Run(t.Context(), plan, nil, nil, local.Options{Journal: store, State: store, Mode: run.DryRun})
		if b, _ := expr.Encode(rec.Result); string(b) != `{"added":["a"],"known":[],"count":1}` || rec.Steps[1].Simulated != run.DryRun {
			t.Errorf("%s %v %q", b, rec.Fault, rec.Steps[1].Simulated)
		}
	}
	if kept, err := store.States("", ""); len(kept) > 0 || err != nil {
		t.Error(kept, err)
	}
}

// A step whose change was stored, but not its end, does not change the state again when
// the run is resumed.
func TestStateIsChangedOnce(t *testing.T) {
	store := journal.NewMemory(nil)
	plan := compile(t, stating("key: s, add: [a, b]"), engine.Env{})
	rec := local.Run(t.Context(), plan, nil, nil, local.Options{Journal: store, State: store})
	if rec.Fault != nil {
		t.Fatal(rec.Fault)
	}
	stopped := *rec
	stopped.Status, stopped.Result = run.Interrupted, nil
	stopped.Steps = append([]*run.StepRecord{}, rec.Steps[:2]...)
	stopped.Steps[1].Ended, stopped.Steps[1].Output = 0, nil
	again := local.Resume(t.Context(), plan, nil, &stopped, local.Options{Journal: run.Forget{}, State: store})
	if b, _ := expr.Encode(again.Result); string(b) != `{"added":["a","b"],"known":[],"count":2}` {
		t.Errorf("resumed: %s %v", b, again.Fault)
	}
	replayed := local.Replay(t.Context(), plan, rec)
	if b, _ := expr.Encode(replayed.Result); string(b) != `{"added":["a","b"],"known":[],"count":2}` {
		t.Errorf("replayed: %s %v", b, replayed.Fault)
	}
}
