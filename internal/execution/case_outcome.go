package execution

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

// A CaseDetail is what a reply has of one of the first failures.
type CaseDetail struct {
	Case        int                    `json:"case"` // from 1
	RunID       string                 `json:"run_id,omitempty"`
	Differs     *reply.ValueDifference `json:"differs,omitempty"`
	WantedError string                 `json:"wanted_error,omitempty"` // its code
	Error       *diag.Fault            `json:"error,omitempty"`
	Hint        string                 `json:"hint,omitempty"`
	Trace       []reply.TraceStep      `json:"trace,omitempty"` // the steps that failed, or as trace asks
}

// A caseOutcome is what came of one case.
type caseOutcome struct {
	record     *run.Record // nil if no run was started
	detail     CaseDetail
	line       string // without the label and the run's id
	passed     bool
	unfinished bool // it continues, or was cancelled: neither passed nor failed
}

// compareCase compares a run with what its case expects.
func compareCase(c *RunCase, rec *run.Record) *caseOutcome {
	out := &caseOutcome{record: rec, detail: CaseDetail{RunID: rec.ID}}
	r := runResult(rec, reply.TraceNone)
	switch {
	case rec.Status == run.Running:
		out.unfinished, out.line = true, "still runs"
		return out
	case rec.Status == run.Cancelled && c.Error != "cancelled":
		out.unfinished, out.line = true, "cancelled"
		return out
	case len(r.Asks) > 0:
		out.detail.Error = diag.Faultf(run.NeedsAnswer, "the run asks: %s", r.Asks[0].Message)
		step := r.Asks[0].Step
		out.detail.Error.Node, _, _ = strings.Cut(step[strings.LastIndexByte(step, '/')+1:], "#")
		out.detail.Error.Hint = "give the output of this node in the pins of the case"
		out.line = FailedLine(out.detail.Error)
		return out
	}
	out.detail.Error, out.detail.Hint = r.Error, r.Hint
	switch {
	case c.Error != "" && r.Error != nil && r.Error.Code == c.Error:
		out.passed, out.line = true, "ok"
	case c.Error != "":
		out.detail.WantedError = c.Error
		got := reply.InLine(r.Result)
		if r.Error != nil {
			got = errorLine(r.Error)
		} else {
			out.detail.Differs = &reply.ValueDifference{Got: reply.Shown(r.Result)}
		}
		out.line = "differs: want error " + c.Error + ", got " + got
	case r.Error != nil:
		out.line = FailedLine(r.Error)
	case len(c.Expect) == 0:
		out.passed, out.line = true, "ok: "+reply.InLine(r.Result)
	default:
		out.detail.Differs = reply.FirstDifference(c.Expect, r.Result)
		out.passed, out.line = out.detail.Differs == nil, "ok"
		if !out.passed {
			out.line = out.detail.Differs.String()
			out.detail.Hint = wrappedHint(c, r)
		}
	}
	return out
}

// wrappedHint notices an expectation in the form of another program's tests.
func wrappedHint(c *RunCase, r *RunResult) string {
	v, err := reply.DecodeExactly(c.Expect)
	wrapped, ok := v.(map[string]any)
	if err != nil || !ok || len(wrapped) != 1 {
		return ""
	}
	if result, there := wrapped["result"]; there && reply.FirstDifference(reply.EncodedValue(result), r.Result) == nil {
		return "expect is the result itself, without {result: …} around it"
	}
	return ""
}

// FailedLine says in a line with which fault a case failed.
func FailedLine(f *diag.Fault) string { return "failed: " + strings.TrimPrefix(errorLine(f), "error ") }

// errorLine names a fault by its code and its node.
func errorLine(f *diag.Fault) string {
	if f.Node == "" {
		return "error " + f.Code
	}
	return "error " + f.Code + ", node " + f.Node
}
