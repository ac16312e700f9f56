package library

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// KeptTests says how the tests that are kept with a saved graph stand to its new text,
// and which are kept from now on.
type KeptTests struct {
	Kept    int      `json:"kept"`              // in the file, or that would be
	Added   int      `json:"added,omitempty"`   // of them, from the cases that run_graph has run
	Failing []string `json:"failing,omitempty"` // a line for each test that the new text breaks
	Dropped bool     `json:"dropped,omitempty"` // those that fail are removed, as the call says
	Notes   []string `json:"notes,omitempty"`   // cases that are not kept and tests that are not run, and why
	File    string   `json:"file,omitempty"`
}

// A keptCheck is the check of the tests of one graph before its text is replaced.
type keptCheck struct {
	library *Library
	plan    *engine.Plan // of the new text
	name    string
	source  plans.GraphInput // the new text, for tests that cannot be replayed
	tested  string           // the revision of the saved graph before the tests, or ""
	report  *KeptTests       // nil if there are neither tests nor cases
	text    *string          // of the tests' file; nil if it stays as it is
}

// checkKept runs the tests of a saved graph on its new text, and makes tests of the
// cases that have passed on it. Nothing is written. Tests that fail are dropped if drop
// is set, and else the graph must not be saved: see [keptCheck.refusal].
func (lib *Library) checkKept(ctx context.Context, name string, c *plans.Checked, o graphfiles.SaveOptions, restore, drop bool) (*keptCheck, *diag.Fault) {
	k := &keptCheck{library: lib, plan: c.Plan, name: name, source: plans.GraphInput{Text: c.Source.Text, Name: name, Tool: c.Plan.Name, Trusted: c.Source.Trusted}}
	if c.Plan == nil || !lib.mayReplace(name, o) {
		return k, nil
	}
	if now, fault := lib.plans.Saved.Get(name); fault == nil {
		k.tested = now.Revision
	}
	text, fault := lib.plans.Saved.Tests(name, false)
	if fault == nil && text == "" && restore {
		text, fault = lib.plans.Saved.Tests(name, true)
	}
	if fault != nil {
		return nil, fault
	}
	file := &testsFile{text: text}
	if text != "" {
		if file.cases, fault = execution.ReadTests(name+".test.yaml", text); fault != nil {
			fault.Message = "the tests of the saved graph cannot be used: " + fault.Message
			return nil, fault
		}
	}
	passed := lib.execution.Passed.Get(lib.execution.Passed.Key(request.ActorFrom(ctx).Principal, c.Plan))
	if len(file.cases)+len(passed) == 0 {
		return k, nil
	}
	k.report = &KeptTests{File: lib.plans.Saved.TestsPath(name)}
	fresh := k.fromCases(ctx, passed)
	for i, old := range file.cases {
		fresh, fault = k.compare(ctx, file, i, old, fresh)
		if fault != nil {
			return nil, fault
		}
	}
	k.conclude(file, fresh, drop, restore)
	return k, nil
}

// compare decides what becomes of a test: it is kept if it passes, replaced if the same
// call was run on the new text and its outcome is the one that the test wants or that
// the caller has stated, and fails otherwise. It returns the cases still to be added.
func (k *keptCheck) compare(ctx context.Context, file *testsFile, i int, old *execution.TestCase, fresh []*freshTest) ([]*freshTest, *diag.Fault) {
	if old.Document != "" || old.Graph != "" && old.Graph != k.name {
		return fresh, nil // a test of another graph
	}
	problem, fault := k.problem(ctx, old)
	if fault != nil {
		return nil, fault
	}
	id := old.ID()
	for n, f := range fresh {
		if f.id != id {
			continue
		}
		same := old.SameOutcome(f.test)
		switch {
		case problem == "" && same:
			return append(fresh[:n:n], fresh[n+1:]...), nil
		case problem != "" && (same || f.stated):
			file.remove(i)
			return fresh, nil
		}
	}
	if problem != "" {
		k.report.Failing = append(k.report.Failing, diag.Cut(old.Name, 60)+" "+problem)
		file.failing = append(file.failing, i)
	}
	return fresh, nil
}

// problem runs a test on the new text and says how it fails, or nothing. It calls
// nothing that may change something.
func (k *keptCheck) problem(ctx context.Context, c *execution.TestCase) (string, *diag.Fault) {
	switch {
	case c.Calls == execution.CallsAny:
		k.report.Notes = append(k.report.Notes, c.Name+" is not run: it calls any tool")
		return "", nil
	case c.Answer == nil && c.Resume == nil:
		again, fault := k.replay(ctx, c)
		if fault != nil {
			return "", fault
		}
		if again.Fault == nil || again.Fault.Code != local.CodeNotRecorded || c.Recorded() || c.Error == "not-recorded" {
			return c.Problem(again), nil
		}
	}
	r, fault := k.library.execution.Tests.RunCase(execution.OnlyReading(ctx), c, k.source, "")
	if fault != nil {
		return execution.FailedLine(fault), nil
	}
	differences, fault := r.Differences(c)
	switch {
	case fault != nil:
		return execution.FailedLine(fault), nil
	case len(differences) > 0 && c.Error == "" && r.Error == nil:
		return reply.FirstDifference(c.Result, r.Result).String(), nil
	case len(differences) > 0:
		return "differs: want " + differences[0].Recorded + ", got " + differences[0].Replayed, nil
	}
	return "", nil
}

// replay executes a case on the new text with what it gives, and touches nothing.
func (k *keptCheck) replay(ctx context.Context, c *execution.TestCase) (*run.Record, *diag.Fault) {
	rec := c.Record()
	rec.Options.Limits, rec.Options.Until, rec.Options.Pins = k.library.plans.Limits, c.Until, map[string]expr.Value{}
	if fault := execution.AddPins(rec.Options.Pins, c.Pins, "/pins/"); fault != nil {
		return nil, fault
	}
	again := local.Replay(ctx, k.plan, rec)
	if ctx.Err() != nil {
		return nil, &diag.Fault{Code: diag.CodeCancelled, Message: "the request was cancelled while the tests of the graph ran", Err: ctx.Err()}
	}
	return again, nil
}

var codeBreaksTests = diag.DefineFault("breaks-tests", diag.RefusesRequest, "the new text of a saved graph breaks tests that are kept with it", "correct the graph, or run it with cases that expect the new results and save it then, or save it with `drop_failing_tests`")

// refusal is why the graph is not saved, or nil.
func (k *keptCheck) refusal() *diag.Fault {
	if k.report == nil || len(k.report.Failing) == 0 || k.report.Dropped {
		return nil
	}
	n := len(k.report.Failing)
	return diag.Faultf(codeBreaksTests, "the new text of %q breaks %d of its tests: %s", k.name, n, k.report.Failing[0]).
		WithHint("correct the graph; or save it with cases that expect the new results; or set the argument drop_failing_tests, which deletes the tests that fail")
}

// options completes how the graph is saved: its tests are written with it, and it is
// still the graph that was tested.
func (k *keptCheck) options(o graphfiles.SaveOptions) graphfiles.SaveOptions {
	if o.Tests = k.text; k.report != nil && o.Revision == "" {
		o.Revision = k.tested
	}
	return o
}

// mayReplace reports whether a graph may be saved under a name, as far as its revision
// tells: what is refused anyway needs no tests.
func (lib *Library) mayReplace(name string, o graphfiles.SaveOptions) bool {
	now, fault := lib.plans.Saved.Get(name)
	switch {
	case fault != nil:
		return o.Revision == ""
	case o.Revision != "":
		return o.Revision == now.Revision
	}
	return o.Overwrite
}
