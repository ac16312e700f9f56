package app

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// maxPageSteps is how many steps one reply lists.
const maxPageSteps = 1000

// page sets the steps of a run from the one at index from: when each started and how long
// it took, without what it was given and gave. The index of a step that get_run takes is its
// position in the list of all.
func (r *GetRunResult) page(rec *run.Record, from int) *diag.Fault {
	if from < 0 {
		return diag.BadArgument("/from", "0 is the first", "from is %d, expected 0 or more", from)
	}
	r.StepCount = len(rec.Steps)
	for _, s := range rec.Steps[min(from, len(rec.Steps)):min(from+maxPageSteps, len(rec.Steps))] {
		t := traceStep(s)
		if !s.Started.IsZero() {
			t.StartMs = milliseconds(s.Started.Sub(rec.Started))
		}
		t.OutputSize = s.Size
		r.Steps = append(r.Steps, t)
	}
	return nil
}
