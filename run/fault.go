package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// Ended is the cause that cancels detached branches when their graph ends.
func Ended() *diag.Fault {
	return &diag.Fault{Code: diag.CodeCancelled, Message: "stopped: the graph ended before this detached branch did"}
}

var codeNodeFailed = diag.DefineFault("node-failed", diag.FailsAttempt, "a node failed for a reason that has no code of its own", "read the message")

// AsFault gives any error of a run the shape of a fault, with a message of bounded
// length.
func AsFault(err error) *diag.Fault {
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		if short := diag.Brief(f.Message); short != f.Message {
			bounded := *f
			bounded.Message = short
			return &bounded
		}
		return f
	}
	if errors.Is(err, context.Canceled) {
		return &diag.Fault{Code: diag.CodeCancelled, Message: "the run was cancelled", Err: err}
	}
	return &diag.Fault{Code: codeNodeFailed, Message: diag.Brief(err.Error()), Err: err}
}

// JSONOrText returns a text if it is JSON, and else the JSON string of it: a record keeps what
// could not be read beside the fault that says so. Of nothing it is nothing.
func JSONOrText(text []byte) json.RawMessage {
	if len(text) == 0 || json.Valid(text) {
		return text
	}
	b, _ := json.Marshal(string(text)) // a string has JSON
	return b
}

// AnyJSON returns the JSON of what a fault has besides texts. What has no JSON is its
// text; of nil it is nil.
func AnyJSON(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		if b, err = expr.Encode(v); err != nil {
			b, _ = json.Marshal(fmt.Sprint(v))
		}
	}
	return b
}

// Abandoned is the cause that ends the branches of a fan after one has failed.
func Abandoned(by error) *diag.Fault {
	return &diag.Fault{Code: diag.CodeCancelled, Message: "stopped because a parallel branch or item failed", Err: by}
}

// Codes of the faults that park a run: it has not failed, it waits for somebody.
var (
	NeedsAnswer    = diag.DefineFault("needs-answer", diag.ParksRun, "a person must answer a question of the graph, of a server, or about a [destructive tool](security.md#destructive-tools)", "`patchbay runs answer ID accept`")
	OutcomeUnknown = diag.DefineFault("outcome-unknown", diag.ParksRun, "a call that is not repeatable has no known result, or was completed without a usable one", "find out whether it took effect, then `runs resume` with `--retry`, `--skip` or `--pin`")
	Diverged       = diag.DefineFault("diverged", diag.ParksRun, "the run would now make another call than the recorded one", "`runs resume` with `--retry --step KEY` makes it; `--skip` or `--pin` makes none; or resume with the old graph")
	BudgetExceeded = diag.DefineFault("budget-exceeded", diag.ParksRun, "the next request to a model could exceed the [tokens](models.md#budgets) of the run, or of the graph on this day", "raise `maxTokens` or `maxTokensPerDay` in `executionLimits` or in `limits` of patchbay.yaml, or wait for the next day; then `runs resume --retry`")
	ShuttingDown   = diag.DefineFault("shutting-down", diag.ParksRun, "the process ended", "nothing: the next `patchbay serve` of the project resumes it")
)

// Parked reports whether an error stops a run without ending it: the run can be
// resumed later.
func Parked(err error) bool {
	if err == nil {
		return false
	}
	return diag.EffectOf(AsFault(err).Code) == diag.ParksRun
}
