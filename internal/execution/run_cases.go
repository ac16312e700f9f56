package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// maxCaseDetails is of how many failures a reply has more than a line.
const maxCaseDetails = 3

// CasesResult says what came of several calls of a graph.
type CasesResult struct {
	Passed  int           `json:"passed"`
	Failed  int           `json:"failed"`
	NotRun  int           `json:"not_run,omitempty"`
	Lines   []string      `json:"lines"` // one a case: ok (with the result where nothing is expected), differs, failed or not run; those that do not pass end with the id of their run
	Details []*CaseDetail `json:"details,omitempty"`
}

// checkCases refuses cases that the rest of a call contradicts.
func (in *RunInput) checkCases() *diag.Fault {
	switch {
	case len(in.Cases) > plans.MaxCases:
		return diag.BadArgument("/cases", "send the rest in a call of its own", "the call has %d cases, more than %d", len(in.Cases), plans.MaxCases)
	case len(in.Arguments) > 0 && string(in.Arguments) != "null":
		return diag.BadArgument("/arguments", "each case has arguments of its own", "the call has both arguments and cases")
	case in.Background:
		return diag.BadArgument("/background", "send fewer cases, or each as a run of its own", "cases do not run in the background")
	}
	return nil
}

// runCases runs a plan once for each case, one after the other, until the call is
// cancelled or its wait is over. The first case runs however short the wait is.
func (ex *Execution) runCases(ctx context.Context, plan *engine.Plan, in RunInput, o runs.StartOptions) (*RunResult, *diag.Fault) {
	if fault := in.checkCases(); fault != nil {
		return nil, fault
	}
	began := time.Now()
	wait := o.Wait
	r := &RunResult{Status: string(run.Succeeded), Cases: &CasesResult{Lines: make([]string, 0, len(in.Cases))}}
	var stopped string // why no further cases are run
	for i := range in.Cases {
		c := &in.Cases[i]
		if i > 0 && wait > 0 {
			if o.Wait = wait - time.Since(began); stopped == "" && o.Wait <= 0 {
				stopped = fmt.Sprintf("the call waited %s", wait)
			}
		}
		if stopped != "" {
			r.Cases.NotRun++
			r.Cases.Lines = append(r.Cases.Lines, c.label(i)+" not run")
			continue
		}
		out, fault := ex.runOne(ctx, plan, c, i, o)
		if fault != nil {
			return nil, fault
		}
		r.Cases.add(c, i, out, in.Trace)
		if in.OnCase != nil {
			in.OnCase(out.passed)
		}
		if out.passed && c.Keep && out.record != nil {
			ex.keepPassed(o.Principal, plan, &in, c, out.record)
		}
		if out.record != nil {
			r.NodeExecutions += out.record.Executions()
		}
		switch {
		case ctx.Err() != nil:
			stopped = "the call was cancelled"
		case out.unfinished && out.record.Status == run.Running:
			stopped = fmt.Sprintf("the call waited %s", wait)
		}
	}
	ex.Passed.share(ex.Passed.Key(o.Principal, plan))
	r.DurationMs = reply.Milliseconds(time.Since(began))
	r.concludeCases(ctx, stopped)
	r.Draft = ex.draftHandle(ctx, &in)
	return r, nil
}

// runOne runs one case and compares what comes of it.
func (ex *Execution) runOne(ctx context.Context, plan *engine.Plan, c *RunCase, i int, o runs.StartOptions) (*caseOutcome, *diag.Fault) {
	o.Pins, o.Unattended = maps.Clone(o.Pins), true
	if fault := AddPins(o.Pins, c.Pins, fmt.Sprintf("/cases/%d/pins/", i)); fault != nil {
		return nil, fault
	}
	fault, rec := plan.UnknownArguments(c.Arguments), (*run.Record)(nil)
	if fault == nil {
		rec, fault = ex.Runner.Start(ctx, plan, c.Arguments, o)
	}
	switch {
	case fault != nil && fault.Code == c.Error:
		return &caseOutcome{passed: true, line: "ok"}, nil
	case fault != nil:
		return &caseOutcome{line: FailedLine(fault), detail: CaseDetail{Error: fault}}, nil
	}
	if len(Asks(rec)) > 0 { // nobody answers, and nothing is to wait for an answer
		_, _ = ex.Runner.Cancel(ctx, request.ActorFrom(ctx), rec.ID, runs.Cancelled("run_graph, whose cases cannot wait for a person"))
	}
	return compareCase(c, rec), nil
}

// add counts an outcome and says what came of it.
func (r *CasesResult) add(c *RunCase, i int, out *caseOutcome, detail string) {
	line := c.label(i) + " " + out.line
	if out.passed {
		r.Passed++
		r.Lines = append(r.Lines, line)
		return
	}
	if out.record != nil {
		line += " (" + out.record.ID + ")"
	}
	r.Lines = append(r.Lines, line)
	if out.unfinished {
		r.NotRun++
		return
	}
	r.Failed++
	if len(r.Details) == maxCaseDetails {
		return
	}
	d := out.detail
	d.Case = i + 1
	if d.Error != nil && strings.HasPrefix(d.Error.Path, "/arguments") {
		f := *d.Error
		f.Path = fmt.Sprintf("/cases/%d%s", i, f.Path)
		d.Error = &f
	}
	if out.record != nil {
		mode, _ := reply.TraceDetail(cmp.Or(detail, "none"))
		d.Trace = reply.Trace(out.record, mode)
		if detail == "" {
			d.Trace = failedSteps(out.record)
		}
	}
	r.Details = append(r.Details, &d)
}

// failedSteps are the steps of a run that failed, with what they were given.
func failedSteps(rec *run.Record) []reply.TraceStep {
	var failed []reply.TraceStep
	for _, s := range reply.Trace(rec, reply.TraceSummary) {
		if s.Error != "" && !s.Caught {
			failed = append(failed, s)
		}
	}
	return failed
}

var (
	codeCasesFailed = diag.DefineFault("cases-failed", diag.RefusesRequest, "some of the cases of a call failed, or their results differ", "read the lines; `get_run` or `patchbay runs show` with the id of a run shows what it did")
	codeCasesNotRun = diag.DefineFault("cases-not-run", diag.RefusesRequest, "the call was cancelled, or had waited as long as it may, before all cases had run", "send the cases that remain in a call of their own")
)

// concludeCases says how the call has ended as a whole.
func (r *RunResult) concludeCases(ctx context.Context, stopped string) {
	n := len(r.Cases.Lines)
	switch {
	case r.Cases.NotRun > 0:
		r.Error = diag.Faultf(codeCasesNotRun, "%d of %d cases did not run to their end: %s", r.Cases.NotRun, n, stopped)
		r.Error.Hint = "send them in a call of their own, or raise wait_ms"
	case r.Cases.Failed > 0:
		r.Error = diag.Faultf(codeCasesFailed, "%d of %d cases failed", r.Cases.Failed, n)
		r.Error.Hint = "get_run shows what the run of a case did"
	default:
		return
	}
	if r.Status = string(run.Failed); ctx.Err() != nil {
		r.Status = string(run.Cancelled)
	}
}

// draftHandle is a handle of the graph that has run: the caller's own, if it has sent
// one, and none of the operator's documents. The draft is trusted as little as its caller.
func (ex *Execution) draftHandle(ctx context.Context, in *RunInput) string {
	var handle string
	if json.Unmarshal(in.Graph, &handle) == nil {
		if handle = strings.TrimSpace(handle); strings.HasPrefix(handle, plans.DraftPrefix) {
			return handle
		}
	}
	if _, operators := ex.plans.Document(in.Saved); operators {
		return ""
	}
	s, _, fault := ex.plans.Editable(ctx, in.GraphInput, in.Saved)
	if fault != nil {
		return ""
	}
	return ex.plans.Drafts.Put(request.ActorFrom(ctx).Principal, s)
}
