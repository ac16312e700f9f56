package app

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

// A RegressionTest is a run as a test: the results that came from outside are
// given, and the path, the result and the outcome are expected again.
type RegressionTest struct {
	Name      string           `json:"name"`
	Graph     string           `json:"graph,omitempty"` // a saved graph
	Document  string           `json:"-"`               // or the text of one
	Tool      string           `json:"tool,omitempty"`
	Run       string           `json:"run"`             // what $random draws follows from it
	At        time.Time        `json:"at"`              // what $now answers
	Clock     map[string]int64 `json:"clock,omitempty"` // how many milliseconds later, for the steps of a graph that asks
	Arguments json.RawMessage  `json:"arguments"`
	Given     []GivenStep      `json:"given,omitempty"`
	Expect    Expectation      `json:"expect"`
}

// A GivenStep is the recorded outcome of a step that called a tool, waited or asked.
type GivenStep struct {
	Step      string          `json:"step"`
	Output    json.RawMessage `json:"output,omitempty"`
	Error     *diag.Fault     `json:"error,omitempty"`
	Caught    bool            `json:"caught,omitempty"`
	Simulated string          `json:"simulated,omitempty"`
}

// An Expectation is what a regression test holds.
type Expectation struct {
	Status string          `json:"status"`
	Error  string          `json:"error,omitempty"` // its code
	Result json.RawMessage `json:"result,omitempty"`
	Path   []string        `json:"path"` // the keys of the steps, in the order in which they began
}

// SaveTestInput names the run that becomes a test.
type SaveTestInput struct {
	RunID string `json:"run_id" arg:"ID" jsonschema:"run ID"`
}

// SaveTestResult is a regression test, as YAML.
type SaveTestResult struct {
	Test string `json:"test"`
}

// SaveTest turns a run into a regression test.
func (pb *App) SaveTest(ctx context.Context, in SaveTestInput) (*SaveTestResult, *diag.Fault) {
	rec, fault := pb.lookedAt(ctx, in.RunID)
	if fault != nil {
		return nil, fault
	}
	if rec.Status != run.Succeeded && rec.Status != run.Failed {
		f := diag.Faultf("not-testable", "the run %s is %s, so it has no final outcome to test", rec.ID, rec.Status)
		f.Path, f.Hint = "/run_id", "take a run that succeeded or failed"
		return nil, f
	}
	at := rec.Started.UTC().Truncate(time.Millisecond)
	t := RegressionTest{Name: rec.Graph, Tool: rec.Source.Tool, Run: rec.ID, At: at, Arguments: rec.Arguments, Expect: Expectation{Status: string(rec.Status)}}
	if len(t.Arguments) == 0 {
		t.Arguments = json.RawMessage("{}")
	}
	if pb.graphs != nil {
		if g, fault := pb.graphs.Get(rec.Graph); fault == nil && g.Src == rec.Source.Text {
			t.Graph, t.Tool = rec.Graph, ""
		}
	}
	if t.Graph == "" {
		t.Document = rec.Source.Text
	}
	if rec.Fault != nil {
		t.Expect.Error = rec.Fault.Code
	} else if b, err := expr.Encode(rec.Result); err == nil {
		t.Expect.Result = b
	}
	asksTime := strings.Contains(rec.Source.Text, "$now") || strings.Contains(rec.Source.Text, "$millis")
	t.Clock = map[string]int64{}
	for i := range rec.Steps {
		step := &rec.Steps[i]
		t.Expect.Path = append(t.Expect.Path, step.Key)
		if later := step.Started.UnixMilli() - at.UnixMilli(); asksTime && later != 0 {
			t.Clock[step.Key] = later
		}
		if g, outside := given(rec, step); outside {
			t.Given = append(t.Given, g)
		}
	}
	text, fault := t.yaml()
	if fault != nil {
		return nil, fault
	}
	return &SaveTestResult{Test: string(text)}, nil
}

// given is the outcome of a step, if it came from outside of the run.
func given(rec *run.Record, step *run.StepRecord) (GivenStep, bool) {
	if step.Ended == 0 || step.Pure && step.Simulated == "" {
		return GivenStep{}, false
	}
	for i := range rec.Steps {
		if key := rec.Steps[i].Key; strings.HasPrefix(key, step.Key+"/") || strings.HasPrefix(key, step.Key+"[") {
			return GivenStep{}, false
		}
	}
	g := GivenStep{Step: step.Key, Caught: step.Caught, Error: step.Fault, Simulated: step.Simulated}
	if b, err := expr.Encode(step.Output); err == nil && step.Output != nil {
		g.Output = b
	}
	return g, true
}

// yaml writes the test, keys in the order of their fields, and the document last
// as it was written.
func (t *RegressionTest) yaml() ([]byte, *diag.Fault) {
	b, err := json.Marshal(t)
	if err != nil {
		return nil, diag.Faultf("internal-error", "the test cannot be written: %w", err)
	}
	doc, _ := graph.Parse("test", b)
	if doc == nil {
		return nil, diag.Faultf("internal-error", "the test cannot be written")
	}
	text := graph.Encode(doc.Root)
	if t.Document == "" {
		return text, nil
	}
	block := append(slices.Clone(text), "document: |2+\n"...)
	for line := range strings.Lines(t.Document) {
		block = append(block, "  "+line...)
	}
	if read, _ := graph.Parse("test", block); read != nil && read.Root.Get("document").Text() == t.Document {
		return block, nil
	}
	quoted, _ := json.Marshal(t.Document)
	return append(append(append(text, "document: "...), quoted...), '\n'), nil
}

// TestResult is the outcome of a regression test.
type TestResult struct {
	Name        string       `json:"name"`
	Passed      bool         `json:"passed"`
	Error       *diag.Fault  `json:"error,omitempty"` // it could not run
	Differences []Difference `json:"differences,omitempty"`
}

// Test runs a regression test that SaveTest has written: the name is for
// messages.
func (pb *App) Test(ctx context.Context, name, text string) *TestResult {
	r := &TestResult{Name: name}
	rec, plan, fault := pb.recorded(ctx, name, text)
	if fault != nil {
		r.Error = fault
		return r
	}
	r.Differences = pathDifferences(rec, local.Replay(ctx, plan, rec))
	r.Passed = len(r.Differences) == 0
	return r
}

// recorded makes a test into the record it came from, as far as it says.
func (pb *App) recorded(ctx context.Context, name, text string) (*run.Record, *engine.Plan, *diag.Fault) {
	bad := func(format string, args ...any) (*run.Record, *engine.Plan, *diag.Fault) {
		f := diag.Faultf("bad-test", format, args...)
		f.Hint = "patchbay runs save-test ID writes a test"
		return nil, nil, f
	}
	doc, found := graph.Parse(name, text)
	if doc == nil {
		return bad("the test cannot be read: %s", found[0].Message)
	}
	var t RegressionTest
	if err := json.Unmarshal(doc.Root.JSON(), &t); err != nil {
		return bad("the test cannot be read: %v", err)
	}
	t.Document = doc.Root.Get("document").Text()
	var plan *engine.Plan
	var fault *diag.Fault
	switch {
	case t.Graph != "":
		if plan, fault = (graphResolver{pb: pb, alone: true}).Plan(ctx, t.Graph); fault != nil {
			return nil, nil, fault
		}
	case t.Document != "":
		if plan, fault = pb.recordedPlan(ctx, run.Source{Name: name, Text: t.Document, Tool: t.Tool, Trusted: true}); fault != nil {
			return nil, nil, fault
		}
	default:
		return bad("the test has neither graph nor document")
	}
	rec := &run.Record{ID: t.Run, Options: run.Options{ID: t.Run}, Arguments: t.Arguments, Status: run.Status(t.Expect.Status)}
	if t.Expect.Error != "" {
		rec.Fault = &diag.Fault{Code: t.Expect.Error}
	}
	rec.Result, _ = expr.Decode(t.Expect.Result)
	steps := map[string]GivenStep{}
	for _, g := range t.Given {
		steps[g.Step] = g
	}
	for i, key := range t.Expect.Path {
		step := run.StepRecord{Index: i, Key: key, Pure: true, Started: t.At.Add(time.Duration(t.Clock[key]) * time.Millisecond)}
		if g, outside := steps[key]; outside {
			step.Pure, step.Ended, step.Fault, step.Caught, step.Simulated = false, i+1, g.Error, g.Caught, g.Simulated
			step.Output, _ = expr.Decode(g.Output)
		}
		rec.Steps = append(rec.Steps, step)
	}
	return rec, plan, nil
}

// pathDifferences compares a replay with what a test expects: what is given, the
// path and the result.
func pathDifferences(rec, again *run.Record) []Difference {
	list := local.Compare(rec, again)
	happened := map[string]bool{}
	for i := range again.Steps {
		happened[again.Steps[i].Key] = true
	}
	expected := map[string]bool{}
	for i := range rec.Steps {
		expected[rec.Steps[i].Key] = true
		if step := &rec.Steps[i]; step.Ended == 0 && !happened[step.Key] {
			list = append(list, Difference{Step: step.Key, What: local.MissingStep})
		}
	}
	kept := list[:0]
	for _, d := range list {
		if d.What != local.ExtraStep || !expected[d.Step] {
			kept = append(kept, d)
		}
	}
	return kept
}
