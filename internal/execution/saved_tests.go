package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/run"
)

// RecordedCase is the test case that a run which has ended makes: what came from outside
// of it, the times and the path, and its result or error.
func RecordedCase(rec *run.Record) *TestCase {
	at := rec.Started.UTC().Truncate(time.Millisecond)
	t := &TestCase{Run: rec.ID, At: at, Arguments: rec.Arguments, Clock: map[string]int64{}}
	if rec.Fault != nil {
		t.Error = rec.Fault.Code
	} else if b, err := expr.Encode(rec.Result); err == nil {
		t.Result = b
	}
	timed := asksTime(rec.Source.Text)
	for i := range rec.Steps {
		step := rec.Steps[i]
		t.Path = append(t.Path, step.Key)
		if later := step.Started.UnixMilli() - at.UnixMilli(); timed && later != 0 {
			t.Clock[step.Key] = later
		}
		if g, outside := given(rec, step); outside {
			t.Given = append(t.Given, g)
		}
	}
	return t
}

// asksTime reports whether the result of a graph may depend on the time.
func asksTime(text string) bool {
	return strings.Contains(text, "$now") || strings.Contains(text, "$millis")
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

// Yaml writes the case, keys in the order of their fields, and the document last as it
// was written.
func (c *TestCase) Yaml() ([]byte, *diag.Fault) {
	head := *c
	head.Document = ""
	b, err := json.Marshal([]*TestCase{&head})
	if err != nil {
		return nil, diag.Faultf(diag.CodeInternalError, "the test cannot be written: %w", err)
	}
	doc, _ := graph.Parse("test", b)
	if doc == nil {
		return nil, diag.Faultf(diag.CodeInternalError, "the test cannot be written")
	}
	text := graph.Encode(doc.Root)
	if c.Document == "" {
		return text, nil
	}
	block := append(slices.Clone(text), "  document: |2+\n"...)
	for line := range strings.Lines(c.Document) {
		block = append(block, "    "+line...)
	}
	if read, _ := graph.Parse("test", block); read != nil && read.Root.At("/0/document").Text() == c.Document {
		return block, nil
	}
	quoted, _ := json.Marshal(c.Document)
	return append(append(append(text, "  document: "...), quoted...), '\n'), nil
}

// replayCase replays the graph of a recorded case.
func (ts *testRuns) replayCase(ctx context.Context, in *TestInput, c *TestCase, source plans.GraphInput, saved string) ([]Difference, *Tokens, *diag.Fault) {
	var plan *engine.Plan
	var fault *diag.Fault
	if saved != "" {
		plan, fault = (plans.GraphResolver{Plans: ts.execution.plans, Alone: in.Against == ""}).Plan(ctx, saved)
	} else {
		plan, fault = ts.execution.RunPlans.From(ctx, run.Source{Name: source.Name, Text: source.Text, Tool: c.Tool, Trusted: true}, func(ctx context.Context) engine.Env {
			if in.Against != "" {
				return ts.execution.plans.Env(request.ForOperator(ctx), false)
			}
			env := ts.execution.plans.EnvAlone(false)
			env.HTTP = nil // no request is made, so none need be allowed
			return env
		})
	}
	if fault != nil {
		return nil, nil, fault
	}
	calls := &LiveCalls{Execution: ts.execution, Server: in.Against}
	live := local.Live{Caller: calls}
	if in.Against != "" {
		live.Tools = calls.Live
		if ts.execution.plans.Saved != nil && saved != "" {
			calls.pins, _ = ts.execution.plans.Saved.Pins(saved)
		}
	}
	rec := c.Record()
	if in.Live {
		rec.Options.Limits, live.MaxReply = ts.execution.plans.Limits, ts.execution.servers.MaxReply
	}
	again := local.ReplayLive(ctx, plan, rec, live)
	list := c.pathDifferences(rec, again, in.Live)
	if again.Fault != nil && again.Fault.Code != c.Error && in.Live {
		fault = again.Fault
	}
	return list, tokensOf(again), fault
}

// Record makes a case into the record that it comes from, as far as it says.
func (c *TestCase) Record() *run.Record {
	id := cmp.Or(c.Run, "run_of_a_test")
	rec := &run.Record{ID: id, Options: run.Options{ID: id}, Arguments: c.Arguments, Status: run.Succeeded}
	if c.Error != "" {
		rec.Status, rec.Fault = run.Failed, &diag.Fault{Code: c.Error}
	}
	rec.Result, _ = expr.Decode(c.Result)
	steps := map[string]GivenStep{}
	path := slices.Clone(c.Path)
	for _, g := range c.Given {
		if !strings.ContainsAny(g.Step, "#[/") {
			g.Step += "#0"
		}
		steps[g.Step] = g
		if len(c.Path) == 0 {
			path = append(path, g.Step)
		}
	}
	if len(c.Path) == 0 {
		for _, key := range slices.Sorted(maps.Keys(c.Clock)) {
			if _, there := steps[key]; !there {
				path = append(path, key)
			}
		}
	}
	for i, key := range path {
		step := &run.StepRecord{Index: i, Key: key, Pure: true, Started: c.At.Add(time.Duration(c.Clock[key]) * time.Millisecond)}
		if g, outside := steps[key]; outside {
			step.Pure, step.Ended, step.Fault, step.Caught, step.Simulated = false, i+1, g.Error, g.Caught, g.Simulated
			step.Output, _ = expr.Decode(g.Output)
		}
		rec.Steps = append(rec.Steps, step)
	}
	return rec
}

// pathDifferences compares a replay with what a case expects: the result, and if the case
// has a path, each step of it. A step that is given need not happen without a path; if it was
// live, its output counts.
func (c *TestCase) pathDifferences(rec, again *run.Record, live bool) []Difference {
	list := local.Compare(rec, again)
	if len(c.Path) == 0 {
		return slices.DeleteFunc(list, func(d Difference) bool { return d.What != local.OtherResult && (!live || d.What != local.OtherOutput) })
	}
	happened := map[string]bool{}
	for i := range again.Steps {
		happened[again.Steps[i].Key] = true
	}
	expected := map[string]bool{}
	for i := range rec.Steps {
		expected[rec.Steps[i].Key] = true
		if step := rec.Steps[i]; step.Ended == 0 && !happened[step.Key] {
			list = append(list, Difference{Step: step.Key, What: local.MissingStep})
		}
	}
	return slices.DeleteFunc(list, func(d Difference) bool { return d.What == local.ExtraStep && expected[d.Step] })
}

// LiveCalls makes the calls of a replay that change nothing, and asks models.
type LiveCalls struct {
	Execution *Execution
	Server    string // the only one whose tools are called
	pins      graphfiles.Pins
	Made      atomic.Int64
}

// Live reports whether a call of a tool is made: it is known to be read-only, by each
// definition that is known of it.
func (l *LiveCalls) Live(server, tool string) bool {
	if server != l.Server || l.Execution.policy.Denial(server, tool) != nil {
		return false
	}
	known := l.Execution.servers.Hub.Known(server, tool, l.pins[server+"/"+tool].Definition)
	return len(known) > 0 && !slices.ContainsFunc(known, func(t *tooldef.Tool) bool { return !t.Annotations.IsReadOnly() })
}

// CallTool implements [run.Caller].
func (l *LiveCalls) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	if c.Server == run.ModelServer {
		return l.Execution.servers.AskModel(ctx, c)
	}
	l.Made.Add(1)
	return l.Execution.servers.Hub.TryTool(ctx, c)
}
