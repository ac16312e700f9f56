package execution

import (
	"context"
	"errors"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

type refusing struct{ err error }

func (r refusing) CallTool(context.Context, run.Call) (*run.Result, error) { return nil, r.err }

// A call of a run that was planned before its tool changed says what has changed.
func TestCallsOfChangedToolsShowTheChange(t *testing.T) {
	o := callRouter{
		tools:  refusing{&run.CallError{Outcome: run.CallNotSent, Err: diag.Faultf("tool-changed", "it has changed")}},
		denied: func(string, string) *diag.Fault { return nil },
		ready:  func(context.Context, string) *diag.Fault { return nil },
		permit: func(context.Context, run.Call) error { return nil },
		changed: func(server, tool string) *diag.Fault {
			return &diag.Fault{Code: "tool-changed", Got: "-old " + server + "\n+new " + tool}
		},
	}
	_, err := o.CallTool(t.Context(), run.Call{Server: "fs", Tool: "read"})
	f, ok := errors.AsType[*diag.Fault](err)
	if !ok || f.Got != "-old fs\n+new read" || f.Message != "it has changed" {
		t.Errorf("%+v", f)
	}
}
