package library

import (
	"cmp"
	"context"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
)

const (
	maxTriedRuns = 20 // of a graph
	maxTriedShow = 3  // runs of a graph whose differences are shown
)

// A TriedGraph says what a change of tools does to a saved graph: what its definition means
// for it, and what its recorded runs come to with the server as it is now.
type TriedGraph struct {
	Graph    string      `json:"graph"`
	Tools    []string    `json:"tools"` // with a change, that it calls
	Class    string      `json:"class"`
	Reasons  []string    `json:"reasons,omitempty"`
	Error    *diag.Fault `json:"error,omitempty"` // it cannot run with the change
	Runs     int         `json:"runs"`            // that were replayed
	Same     int         `json:"same"`            // of them, those with the same steps and the same result
	Live     int         `json:"live"`            // calls that the server was asked again: of tools known to be read-only
	Recorded int         `json:"recorded"`        // calls that the records answered
	Differs  []TriedRun  `json:"differs,omitempty"`
}

// A TriedRun is a recorded run that comes to something else.
type TriedRun struct {
	RunID       string                 `json:"run_id"`
	Differences []execution.Difference `json:"differences"`
}

// tryChanges replays the recorded runs of the saved graphs that call changed tools of a
// server. Of these only tools that are known to be read-only, before the change and after
// it, are called; the records answer all other calls.
func (lib *Library) tryChanges(ctx context.Context, server string, tools []string) ([]TriedGraph, *diag.Fault) {
	tried, docs := []TriedGraph{}, map[string]*graph.Document{}
	for _, tool := range tools {
		pin, uses := lib.servers.Hub.Pin(server, tool), lib.plans.Tools.UsesOf(server, tool)
		for len(uses) > 0 && pin != nil && pin.Pending != nil {
			name := uses[0].Graph
			others := func(u servers.ToolUse) bool { return u.Graph != name }
			c := servers.Classify(pin.Definition, pin.Pending.Definition, slices.DeleteFunc(slices.Clone(uses), others))
			i := slices.IndexFunc(tried, func(t TriedGraph) bool { return t.Graph == name })
			if i < 0 {
				i, docs[name] = len(tried), uses[0].Doc
				tried = append(tried, TriedGraph{Graph: name, Class: c.Class})
			}
			t := &tried[i]
			t.Tools = append(t.Tools, tool)
			if servers.Worse(c.Class, t.Class) {
				t.Class = c.Class
			}
			for _, reason := range c.Reasons {
				t.Reasons = append(t.Reasons, tool+": "+reason)
			}
			uses = slices.DeleteFunc(uses, func(u servers.ToolUse) bool { return !others(u) })
		}
	}
	slices.SortFunc(tried, func(a, b TriedGraph) int { return cmp.Compare(a.Graph, b.Graph) })
	for i := range tried {
		if fault := lib.tryGraph(ctx, server, docs[tried[i].Graph].Src, &tried[i]); fault != nil {
			return nil, fault
		}
	}
	return tried, nil
}

// tryGraph compiles a graph with the definitions that wait, and replays its runs.
func (lib *Library) tryGraph(ctx context.Context, server, text string, t *TriedGraph) *diag.Fault {
	plan, fault := lib.tryPlan(ctx, run.Source{Name: t.Graph, Text: text, Tool: t.Graph, Trusted: true})
	if fault != nil {
		t.Error, t.Class = fault, servers.ChangeBreaking
		return nil
	}
	found, fault := lib.execution.Runner.List(run.Filter{Actor: request.ActorFrom(ctx), Graph: t.Graph, Status: run.Succeeded, Project: lib.process.Project, Limit: maxTriedRuns})
	if fault != nil {
		return fault
	}
	for _, s := range found {
		rec, fault := lib.execution.Verified(ctx, s.ID)
		if fault != nil {
			continue // what nobody answers for is not replayed
		}
		of := plan
		if rec.Source.Text != text { // an earlier text of the graph
			if of, fault = lib.tryPlan(ctx, rec.Source); fault != nil {
				continue
			}
		}
		calls := &execution.LiveCalls{Execution: lib.execution, Server: server}
		again := local.ReplayLive(ctx, of, rec, local.Live{Caller: calls, Tools: calls.Live})
		if ctx.Err() != nil {
			return diag.Faultf(diag.CodeCancelled, "the command was interrupted")
		}
		made := int(calls.Made.Load())
		t.Runs++
		t.Live += made
		t.Recorded += countCalls(again) - made
		differences := append(local.CompareCalls(rec, again), local.Compare(rec, again)...)
		if len(differences) == 0 {
			t.Same++
		} else if len(t.Differs) < maxTriedShow {
			t.Differs = append(t.Differs, TriedRun{rec.ID, differences})
		}
	}
	return nil
}

// countCalls is how many calls of tools a run has made.
func countCalls(rec *run.Record) (n int) {
	for _, step := range rec.Steps {
		if (*engine.KindSet)(nil).CallsTool(step.Type) && step.Call != "" {
			n++
		}
	}
	return n
}

// tryPlan compiles a document with the definitions that wait for a person, in place of those
// that are pinned.
func (lib *Library) tryPlan(ctx context.Context, src run.Source) (*engine.Plan, *diag.Fault) {
	return lib.execution.RunPlans.From(ctx, src, func(ctx context.Context) engine.Env {
		env := lib.plans.Env(request.ForOperator(ctx), false)
		env.Tools = pendingTools{env.Tools, lib}
		env.Graphs = pendingGraphs{env.Graphs, lib}
		return env
	})
}

// pendingTools are the tools with the definitions that wait for a person.
type pendingTools struct {
	engine.Tools
	library *Library
}

// Tool implements [engine.Tools].
func (p pendingTools) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	t := p.library.servers.Hub.Pending(server, tool)
	if t == nil {
		return p.Tools.Tool(server, tool)
	}
	if fault := p.library.policy.Denial(server, tool); fault != nil {
		return nil, fault
	}
	spec := tooldef.Spec(t)
	return &engine.Tool{Spec: spec, Input: schema.New(spec.InputSchema), Output: schema.New(spec.OutputSchema)}, nil
}

// pendingGraphs are the saved graphs, compiled with the definitions that wait.
type pendingGraphs struct {
	engine.Graphs
	library *Library
}

// Plan implements [engine.Graphs].
func (p pendingGraphs) Plan(ctx context.Context, name string) (*engine.Plan, *diag.Fault) {
	if doc, ok := p.library.plans.Document(name); ok {
		return p.library.tryPlan(ctx, run.Source{Name: name, Text: doc.Src, Tool: name, Trusted: true})
	}
	g, _, fault := p.library.plans.Saved.Find(name)
	if fault != nil {
		return nil, fault
	}
	return p.library.tryPlan(ctx, run.Source{Name: name, Text: g.Src, Tool: name, Trusted: true})
}
