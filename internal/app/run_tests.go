package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
)

// TestInput is a file of tests.
type TestInput struct {
	Name, Text string
	// Read returns the text of a graph that the tests are about, by its path.
	Read func(path string) (string, error)
	// Against is a server that recorded cases call anew: its tools that are known to be
	// read-only. Without it they call nothing.
	Against string

	trusted bool // a person answers for the file, wherever it is
}

// TestResult is the outcome of a test case.
type TestResult struct {
	File        string       `json:"file"`
	Name        string       `json:"name,omitempty"` // of the case
	Passed      bool         `json:"passed"`
	Error       *diag.Fault  `json:"error,omitempty"` // it could not run, or failed unexpectedly
	Differences []Difference `json:"differences,omitempty"`
}

// Test runs the cases of a file. A recorded case calls nothing; others call tools that
// are known to be read-only, and any where they say so.
func (a *App) Test(ctx context.Context, in TestInput) []*TestResult {
	cases, fault := readTests(in.Name, in.Text)
	if fault != nil {
		return []*TestResult{{File: in.Name, Error: fault}}
	}
	var results []*TestResult
	for _, c := range cases {
		r := &TestResult{File: in.Name, Name: c.Name}
		r.Differences, r.Error = a.test(ctx, &in, c)
		r.Passed = r.Error == nil && len(r.Differences) == 0
		results = append(results, r)
	}
	return results
}

// test runs one case.
func (a *App) test(ctx context.Context, in *TestInput, c *TestCase) ([]Difference, *diag.Fault) {
	source, saved, fault := in.firstGraph(c)
	if fault != nil {
		return nil, fault
	}
	if c.recorded() {
		return a.replayCase(ctx, c, source, saved, in.Against)
	}
	if c.Calls != callsAny {
		ctx = onlyReading(ctx)
	}
	r, fault := a.runCase(context.WithValue(ctx, testKey{}, in.trusted || a.ownTest(in.Name)), c, source, saved)
	switch {
	case fault != nil && fault.Code == c.Error:
		return nil, nil
	case fault != nil:
		return nil, fault
	}
	return r.differences(c)
}

// firstGraph is the graph that a case is about: a text, or the name of a saved graph.
func (in *TestInput) firstGraph(c *TestCase) (source GraphInput, saved string, fault *diag.Fault) {
	if c.Document != "" {
		return FromText(in.Name, c.Document, c.Tool), "", nil
	}
	paths := c.graphPaths(in.Name)
	if len(paths) == 0 && c.Graph != "" {
		return GraphInput{}, c.Graph, nil
	}
	for _, path := range paths {
		text, err := in.Read(path)
		if err == nil {
			return FromText(path, text, c.Tool), "", nil
		}
		if c.Graph != "" {
			return GraphInput{}, "", badTest("the graph of the case cannot be read: %v", err)
		}
	}
	f := badTest("no graph is next to the tests, and the case names none")
	f.Hint = "name.test.yaml tests name.yaml; graph names another file or a saved graph"
	return GraphInput{}, "", f
}

type testKey struct{}

// inTest reports whether the runs of a context are those of a test, which permits no call,
// and whether a person answers for its arguments.
func inTest(ctx context.Context) (own, is bool) {
	own, is = ctx.Value(testKey{}).(bool)
	return own, is
}

// ownTest reports whether a file of tests is in the user's own folder of saved graphs, or
// every file is the user's.
func (a *App) ownTest(path string) bool {
	return a.Config().AllTrusted || a.library.graphs != nil && a.library.graphs.Owns(path)
}

// runCase runs the graph of a case, answers its question and continues it. A question that
// a server asks during a call gets the answer too; without one, nobody is asked.
func (a *App) runCase(ctx context.Context, c *TestCase, source GraphInput, saved string) (*RunResult, *diag.Fault) {
	who := client(ctx, nil)
	who.Answers, who.Unattended = c.Answer != nil, c.Answer == nil
	ctx = WithClient(ctx, who)
	r, fault := a.Run(ctx, RunInput{GraphInput: source, Saved: saved, Arguments: c.Arguments, Pins: c.Pins, Until: c.Until})
	if fault == nil && c.Answer != nil {
		if len(r.Asks) == 0 {
			return nil, unexpected(r, "the run asks nothing")
		}
		r, fault = a.Answer(ctx, AnswerInput{RunID: r.RunID, Action: c.Answer.Action, Content: c.Answer.Content})
	}
	if fault == nil && c.Resume != nil {
		if r.Status != "failed" {
			return nil, unexpected(r, "the run should fail at first")
		}
		r, fault = a.ResumeRun(ctx, ResumeRunInput{RunID: r.RunID, Decision: c.Resume.Decision, Pin: c.Resume.Pin})
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

// differences compares a run with what a case expects.
func (r *RunResult) differences(c *TestCase) ([]Difference, *diag.Fault) {
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
	case c.Error == "" && sameJSON(c.Result, r.Result), c.Error != "" && r.Error != nil && r.Error.Code == c.Error:
		return nil, nil
	}
	want := string(c.Result)
	if c.Error != "" {
		want = "failed: " + c.Error
	}
	return []Difference{{Step: "result", What: local.OtherResult, Recorded: want, Replayed: cmp.Or(came, "nothing")}}, nil
}

// sameJSON compares values: the order of keys and the notation of numbers do not matter.
func sameJSON(a, b json.RawMessage) bool {
	x, errX := decodeExactly(a)
	y, errY := decodeExactly(b)
	return errX == nil && errY == nil && sameValue(x, y)
}

func decodeExactly(b json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, v := range a {
			if other, ok := b[key]; !ok || !sameValue(v, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameValue(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || (strings.ContainsAny(string(a+b), ".eE") && sameFloat(a, b)))
	}
	return a == b
}

func sameFloat(a, b json.Number) bool {
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	return errX == nil && errY == nil && x == y
}
