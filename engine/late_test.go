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
