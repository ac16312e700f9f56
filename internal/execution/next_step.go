package execution

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

// Hints name the tools that are of use after a reply by their calls: those tools may be
// missing in the list that an agent has.

// nextStep says what can be done about a run that continues after the reply, or that
// needs a decision.
func nextStep(rec *run.Record) string {
	if hint := answerNeeded(rec); hint != "" {
		return hint
	}
	if rec.Status == run.Running {
		return fmt.Sprintf(`the run continues; get_run {"run_id": %[1]q} returns its result when it has stopped, cancel_run {"run_id": %[1]q} cancels it`, rec.ID)
	}
	return decisionNeeded(rec)
}

// answerNeeded says how a run continues with a call that waits for an answer, "" if none does.
func answerNeeded(rec *run.Record) string {
	if rec.Status != run.Running || len(rec.Questions()) == 0 {
		return ""
	}
	return fmt.Sprintf(`a call waits until a person answers with: patchbay runs answer %s (accept, decline or cancel); get_run {"run_id": %[1]q} returns the result when the run has stopped`, rec.ID)
}

// decisionNeeded says how a run can be resumed that made calls which only a decision
// repeats.
func decisionNeeded(rec *run.Record) string {
	calls := unknownCalls(rec)
	if len(calls) == 0 || rec.Fault != nil && rec.Fault.Code == run.OutcomeUnknown { // the fault says more
		return ""
	}
	steps := make([]string, len(calls))
	for i, c := range calls {
		steps[i] = c.Step
	}
	return fmt.Sprintf("the call of %s is made again only by resume_run {\"run_id\": %q, \"decision\": \"retry\", \"step\": \"STEP\"} with that step, not by a retry without a step; skip or pin continues without it", diag.OneOf(steps, 12), rec.ID)
}

// afterFailure says how to see why a run stopped, and how to continue it; "" for a run
// that cannot be continued, or whose fault says how.
func afterFailure(rec *run.Record) string {
	if rec.Status != run.Failed && rec.Status != run.Cancelled || len(rec.Steps) == 0 || rec.Mode == run.DryRun {
		return ""
	}
	look := fmt.Sprintf(`get_run {"run_id": %q}`, rec.ID)
	if f := rec.Fault; f != nil && f.Node != "" && slices.ContainsFunc(rec.Steps, func(s *run.StepRecord) bool { return s.Node == f.Node }) {
		look = fmt.Sprintf(`get_run {"run_id": %q, "node": %q}`, rec.ID, f.Node)
	}
	return look + fmt.Sprintf(` shows where it stopped; resume_run {"run_id": %q, "decision": "retry", "graph": "CORRECTED GRAPH"} continues there without repeating what is done`, rec.ID)
}

// readRest says how to read an output that a trace has cut, or "".
func readRest(id string, trace []reply.TraceStep) string {
	i := slices.IndexFunc(trace, func(s reply.TraceStep) bool { return s.OutputSize > 0 })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf(`get_run {"run_id": %q, "node": %q, "expr": "EXPRESSION"} reads what is cut of an output`, id, trace[i].Node)
}

// readValue says how to read a part of what a run has come to, which is the output of its
// last step.
func readValue(rec *run.Record) string {
	for _, s := range slices.Backward(rec.Steps) {
		if s.Node == s.Key || strings.HasPrefix(s.Key, s.Node+"#") {
			return fmt.Sprintf(`get_run {"run_id": %q, "expr": %q} reads the whole, a path or an expression after it a part`, rec.ID, strings.TrimPrefix(join("$", s.Node), "$."))
		}
	}
	return ""
}

// inRun completes the calls in the hint of a run's fault, which do not name the run.
func inRun(f *diag.Fault, id string) *diag.Fault {
	const call = `resume_run {`
	if f == nil || !strings.Contains(f.Hint, call+`"decision"`) {
		return f
	}
	named := *f
	named.Hint = strings.ReplaceAll(f.Hint, call+`"decision"`, fmt.Sprintf(`%s"run_id": %q, "decision"`, call, id))
	return &named
}
