package run

import (
	"github.com/patchbay-mcp/patchbay/diag"
)

// Abandoned is the cause that ends the branches of a fan after one has failed.
func Abandoned(by error) *diag.Fault {
	return &diag.Fault{Code: "cancelled", Message: "stopped because a parallel branch or item failed", Err: by}
}

// Codes of the faults that park a run: it has not failed, it waits for somebody.
const (
	NeedsAnswer    = "needs-answer"    // an ask node waits for a person
	OutcomeUnknown = "outcome-unknown" // a call was in flight when the run stopped, and must not simply be repeated
	Diverged       = "diverged"        // the run would make another call than the recorded one
	ShuttingDown   = "shutting-down"   // the process ends
)

// Parked reports whether an error stops a run without ending it: the run can be
// resumed later.
func Parked(err error) bool {
	if err == nil {
		return false
	}
	switch AsFault(err).Code {
	case NeedsAnswer, OutcomeUnknown, Diverged, ShuttingDown:
		return true
	}
	return false
}
