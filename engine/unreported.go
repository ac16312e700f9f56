package engine

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var (
	ruleMoreErrors = diag.Define("more-errors", diag.Error,
		"The graph has so many faults that the further errors are only counted.")
	ruleMoreWarnings = diag.Define("more-warnings", diag.Note,
		"The graph has so many faults that the further warnings and notes are only counted.")
)

// maxDiagnostics is how many diagnostics of a tool are made. Those beyond are counted.
const maxDiagnostics = 2000

// unreported counts the diagnostics that are not made.
type unreported struct {
	errors, others   int
	errorAt, otherAt graph.Value // of the first of each
}

func (u *unreported) note(r *diag.Rule, v graph.Value) {
	if r.Severity == diag.Error {
		if u.errors++; u.errors == 1 {
			u.errorAt = v
		}
		return
	}
	if u.others++; u.others == 1 {
		u.otherAt = v
	}
}

// reportUnreported says how many diagnostics were not made.
func (p *Pass) reportUnreported() {
	u := &p.unreported
	if u.errors > 0 {
		p.diags.Report(ruleMoreErrors, u.errorAt.Path(), u.errorAt.Range(), "%d more errors, from here on", u.errors).Hint = "correct the others first"
	}
	if u.others > 0 {
		p.diags.Report(ruleMoreWarnings, u.otherAt.Path(), u.otherAt.Range(), "%d more warnings and notes, from here on", u.others).Hint = "correct the others first"
	}
}
