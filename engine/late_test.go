package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestLargeLateResults cancels a run while it makes a call that must not be made again.
// The run ends before the result is read, and reads it when it is resumed.
func TestLargeLateResults(t *testing.T) {
	large := json.RawMessage(`{"n": [` + strings.Repeat("1,", 200_000) + "1]}")
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: write}
  - {id: write, type: mcp, server: s, tool: write, args: {}, next: exit}
  - {id: exit, type: exit, result: {expr: $count($.write.n)}}
`, engine.Env{})
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	server := callerFunc(func(context.Context, run.Call) (*run.Result, error) {
		calls++
		cancel()
		return &run.Result{Structured: large}, nil
	})
	rec := local.Run(ctx, plan, server, nil, local.Options{})
	if rec.Status != run.Cancelled || rec.Steps[1].Output != nil || rec.InDoubt() != nil {
		t.Fatalf("%s, output %v, in doubt: %v", rec.Status, rec.Steps[1].Output, rec.InDoubt())
	}
	rec = local.Resume(t.Context(), plan, server, rec, local.Options{})
	if rec.Status != run.Succeeded || rec.Result != 200_001.0 || calls != 1 {
		t.Errorf("%s, result %v, %d calls, fault %v", rec.Status, rec.Result, calls, rec.Fault)
	}
}

// TestLateResults cancels a run while it calls a tool that answers all the same. What can
// be had again is neither read nor kept, anything else is.
func TestLateResults(t *testing.T) {
	large := json.RawMessage("[" + strings.Repeat("1,", 5000) + "1]")
	for _, tt := range []struct {
		what, modifier string
		cause          error
		kept           bool
	}{
		{"a call that may be repeated", "retry: {maxAttempts: 1, unsafe: true},", context.Canceled, false},
		{"a call that may not", "", context.Canceled, true},
		{"a run that is parked", "retry: {maxAttempts: 1, unsafe: true},", diag.Faultf(run.ShuttingDown, "the process ends"), true},
	} {
		plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: s, tool: read, args: {}, `+tt.modifier+` next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
		ctx, cancel := context.WithCancelCause(t.Context())
		rec := local.Run(ctx, plan, callerFunc(func(context.Context, run.Call) (*run.Result, error) {
			cancel(tt.cause)
			return &run.Result{Structured: large}, nil
		}), nil, local.Options{})
		if kept := rec.Steps[1].Output != nil; kept != tt.kept || rec.Fault == nil {
			t.Errorf("%s: kept %v, want %v, fault %v", tt.what, kept, tt.kept, rec.Fault)
		}
	}
}
