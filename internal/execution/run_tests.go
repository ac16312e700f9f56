package execution

import (
	"cmp"
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// CodeNoTests is the code of the fault of a place without tests.
var CodeNoTests = diag.DefineFault("no-tests", diag.RefusesRequest, "the folders and patterns have no tests", "name.test.yaml has the [tests](tests.md#tests) of name.yaml")

// TestInput is a file of tests.
type TestInput struct {
	Name, Text string
	// Read returns the text of a graph that the tests are about, by its path.
	Read func(path string) (string, error)
	// Against is a server that recorded cases call anew: its tools that are known to be
	// read-only. Without it they call nothing.
	Against string
	// Live repeats the model requests whose replies are in the cases.
	Live bool

	Trusted bool // a person answers for the file, wherever it is
}

// TestResult is the outcome of a test case.
type TestResult struct {
	File        string       `json:"file"`
	Name        string       `json:"name,omitempty"` // of the case
	Passed      bool         `json:"passed"`
	Error       *diag.Fault  `json:"error,omitempty"` // it could not run, or failed unexpectedly
	Differences []Difference `json:"differences,omitempty"`
	Tokens      *Tokens      `json:"tokens,omitempty"` // that models have taken
}

// testRuns run tests.
type testRuns struct{ execution *Execution }

// Run runs the cases of a file. A recorded case calls nothing; others call tools that
// are known to be read-only, and any where they say so.
func (ts *testRuns) Run(ctx context.Context, in TestInput) []*TestResult {
	cases, fault := ReadTests(in.Name, in.Text)
	if fault != nil {
		return []*TestResult{{File: in.Name, Error: fault}}
	}
	var results []*TestResult
	for _, c := range cases {
		r := &TestResult{File: in.Name, Name: c.Name}
		r.Differences, r.Tokens, r.Error = ts.test(ctx, &in, c)
		r.Passed = r.Error == nil && len(r.Differences) == 0
		results = append(results, r)
	}
	return results
}

// test runs one case.
func (ts *testRuns) test(ctx context.Context, in *TestInput, c *TestCase) ([]Difference, *Tokens, *diag.Fault) {
	source, saved, fault := in.firstGraph(c)
	if fault != nil {
		return nil, nil, fault
	}
	if c.Recorded() {
		return ts.replayCase(ctx, in, c, source, saved)
	}
	if c.Calls != CallsAny {
		ctx = OnlyReading(ctx)
	}
	r, fault := ts.RunCase(plans.WithTest(ctx, in.Trusted || ts.ownTest(in.Name)), c, source, saved)
	switch {
	case fault != nil && fault.Code == c.Error:
		return nil, nil, nil
	case fault != nil:
		return nil, nil, fault
	}
	if list, fault := r.Differences(c); fault != nil || len(list) > 0 || !in.Live {
		return list, nil, fault
	}
	rec, fault := ts.execution.Verified(ctx, r.RunID)
	if fault != nil {
		return nil, nil, fault
	}
	recorded := RecordedCase(rec) // with what the pins say as the replies of models
	recorded.Tool = c.Tool
	return ts.replayCase(ctx, in, recorded, source, saved)
}

// firstGraph is the graph that a case is about: a text, or the name of a saved graph.
func (in *TestInput) firstGraph(c *TestCase) (source plans.GraphInput, saved string, fault *diag.Fault) {
	if c.Document != "" {
		return plans.FromText(in.Name, c.Document, c.Tool), "", nil
	}
	paths := c.graphPaths(in.Name)
	if len(paths) == 0 && c.Graph != "" {
		return plans.GraphInput{}, c.Graph, nil
	}
	for _, path := range paths {
		text, err := in.Read(path)
		if err == nil {
			return plans.FromText(path, text, c.Tool), "", nil
		}
		if c.Graph != "" {
			return plans.GraphInput{}, "", BadTest("the graph of the case cannot be read: %v", err)
		}
	}
	f := BadTest("no graph is next to the tests, and the case names none")
	f.Hint = "name.test.yaml tests name.yaml; graph names another file or a saved graph"
	return plans.GraphInput{}, "", f
}

// ownTest reports whether a file of tests is in the user's own folder of saved graphs, or
// every file is the user's.
func (ts *testRuns) ownTest(path string) bool {
	return ts.execution.process.Config().AllTrusted || ts.execution.plans.Saved != nil && ts.execution.plans.Saved.Owns(path)
}

// RunCase runs the graph of a case, answers its question and continues it. A question that
// a server asks during a call gets the answer too; without one, nobody is asked.
func (ts *testRuns) RunCase(ctx context.Context, c *TestCase, source plans.GraphInput, saved string) (*RunResult, *diag.Fault) {
	who := request.ClientFrom(ctx, nil)
	who.Answers, who.Unattended = c.Answer != nil, c.Answer == nil
	ctx = request.WithClient(ctx, who)
	r, fault := ts.execution.Run(ctx, RunInput{GraphInput: source, Saved: saved, Arguments: c.Arguments, Pins: c.Pins, Until: c.Until})
	if fault == nil && c.Answer != nil {
		if len(r.Asks) == 0 {
			return nil, unexpected(r, "the run asks nothing")
		}
		r, fault = ts.execution.Answer(ctx, AnswerInput{RunID: r.RunID, Action: c.Answer.Action, Content: c.Answer.Content})
	}
	if fault == nil && c.Resume != nil {
		if r.Status != "failed" {
			return nil, unexpected(r, "the run should fail at first")
		}
		r, fault = ts.execution.ResumeRun(ctx, ResumeRunInput{RunID: r.RunID, Decision: c.Resume.Decision, Pin: c.Resume.Pin})
	}
	return r, fault
}

var codeTestFailed = diag.DefineFault("test-failed", diag.RefusesRequest, "a run did not ask or fail where its test case says how it continues", "correct the case")

// unexpected is the fault of a run that took another course than its case.
func unexpected(r *RunResult, message string) *diag.Fault {
	if r.Error != nil {
		return r.Error
	}
	return diag.Faultf(codeTestFailed, "%s: it %s", message, r.Status)
}

// Differences compares a run with what a case expects.
func (r *RunResult) Differences(c *TestCase) ([]Difference, *diag.Fault) {
	if found := r.Diagnostics.With(diag.Error); len(found) > 0 {
		return nil, diag.Faultf(engine.CodeInvalidGraph, "line %d: %s", found[0].Range.Start.Line, found[0].Message).WithHint(found[0].Hint)
	}
	if len(r.Asks) > 0 {
		return nil, diag.Faultf(run.NeedsAnswer, "the run asks: %s", r.Asks[0].Message).WithHint("give the case an answer: {action: accept, content: {…}}, or given")
	}
	came := string(r.Result)
	if r.Error != nil {
		came = "failed: " + r.Error.Code
	}
	switch {
	case c.Error == "" && r.Error != nil:
		return nil, r.Error
	case c.Error == "" && reply.SameJSON(c.Result, r.Result), c.Error != "" && r.Error != nil && r.Error.Code == c.Error:
		return nil, nil
	}
	want := string(c.Result)
	if c.Error != "" {
		want = "failed: " + c.Error
	}
	return []Difference{{Step: "result", What: local.OtherResult, Recorded: want, Replayed: cmp.Or(came, "nothing")}}, nil
}
