package library

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

const (
	maxCalls = 50
	// scanDepth is how many runs are looked at for each of the last calls: others may be
	// runs of graphs.
	scanDepth = 50
)

// recordedCalls are the recorded calls that an input names, in the order in which they were made,
// and notes on those that are left out.
func (lib *Library) recordedCalls(ctx context.Context, in *SaveInput) (list []drafting.Call, notes []string, fault *diag.Fault) {
	var recorded []*run.Record
	switch {
	case len(in.FromCalls) > 0 && in.Last != 0:
		return nil, nil, diag.BadArgument("/last", "send one of them", "the call has both from_calls and last")
	case len(in.FromCalls) > maxCalls:
		return nil, nil, diag.BadArgument("/from_calls", "make several graphs, which can call each other", "from_calls has %d runs, expected at most %d", len(in.FromCalls), maxCalls)
	case len(in.FromCalls) > 0:
		recorded, fault = lib.namedCalls(ctx, in.FromCalls)
	case in.Last < 1 || in.Last > maxCalls:
		return nil, nil, diag.BadArgument("/last", "", "last is %d, expected 1 to %d", in.Last, maxCalls)
	default:
		recorded, notes, fault = lib.lastCalls(ctx, in.Last)
	}
	if fault != nil {
		return nil, nil, fault
	}
	slices.SortStableFunc(recorded, func(a, b *run.Record) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
	})
	for _, rec := range recorded {
		c, fault := lib.recordedCall(ctx, rec)
		if fault != nil {
			return nil, nil, fault
		}
		list = append(list, *c)
	}
	return list, notes, nil
}

// namedCalls are the records of calls by their ids. Each must have succeeded.
func (lib *Library) namedCalls(ctx context.Context, ids []string) (list []*run.Record, fault *diag.Fault) {
	seen := map[string]bool{}
	for i, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		rec, fault := lib.execution.Verified(ctx, id)
		path := fmt.Sprintf("/from_calls/%d", i)
		switch {
		case fault != nil:
			fault.Path = path
			return nil, fault
		case lib.calledIn(rec) == nil:
			return nil, diag.BadArgument(path, "run_node calls one tool or saved graph; leave runs of other graphs out", "the run %s is not a call of one tool or saved graph", id)
		case rec.Status != run.Succeeded:
			return nil, diag.BadArgument(path, "leave it out; last: N leaves out calls that failed", "the call %s of %s did not succeed: it is %s", id, reply.CalleeName(lib.calledIn(rec)), rec.Status)
		}
		list = append(list, rec)
	}
	return list, nil
}

// lastCalls are the records of the last n calls that succeeded.
func (lib *Library) lastCalls(ctx context.Context, n int) (list []*run.Record, notes []string, fault *diag.Fault) {
	found, fault := lib.execution.Runner.List(run.Filter{Actor: request.ActorFrom(ctx), Project: lib.process.Project, Limit: scanDepth * n})
	if fault != nil {
		return nil, nil, fault
	}
	for _, s := range found {
		if len(list) == n {
			break
		}
		if s.Graph != execution.OneCallName && !lib.isGraph(s.Graph) {
			continue
		}
		rec, fault := lib.execution.LookedAt(ctx, s.ID)
		if fault != nil {
			return nil, nil, fault
		}
		callee := lib.calledIn(rec)
		switch {
		case callee == nil || rec.Unverified != nil:
		case rec.Status != run.Succeeded:
			notes = append(notes, fmt.Sprintf("left out %s, a call of %s that did not succeed: it is %s", rec.ID, reply.CalleeName(callee), rec.Status))
		default:
			list = append(list, rec)
		}
	}
	if len(list) == 0 {
		return nil, nil, diag.Faultf(diag.CodeBadArgument, "no call was made that succeeded").At("/last").WithHint("call tools with run_node first")
	}
	if len(list) < n {
		notes = append(notes, fmt.Sprintf("only %d calls that succeeded were found", len(list)))
	}
	return list, notes, nil
}

func (lib *Library) isGraph(name string) bool {
	return name != "" && lib.plans.Catalog.Snapshot().Spec("graph:"+name) != nil
}

// calledIn is what the only call of a run called, nil for other runs. That of a saved
// graph is a call of it.
func (lib *Library) calledIn(rec *run.Record) *drafting.Callee {
	if rec.Graph == execution.OneCallName {
		doc, _ := graph.Parse(rec.Graph, rec.Source.Text)
		if doc == nil || len(doc.Tools()) != 1 || len(doc.Tools()[0].Nodes) != 3 {
			return nil
		}
		nodes := doc.Tools()[0].Nodes
		if n := nodes[1]; n.Type.Text() == specs.MCP && n.Get("foreach").Kind() == graph.Absent && nodes[2].Len() == 2 {
			return &drafting.Callee{Server: n.Get("server").Text(), Tool: n.Get("tool").Text()}
		}
		return nil
	}
	if lib.plans.Saved == nil || !lib.isGraph(rec.Graph) {
		return nil
	}
	if g, _, fault := lib.plans.Saved.Find(rec.Graph); fault != nil || g.Src != rec.Source.Text {
		return nil
	}
	return &drafting.Callee{Tool: rec.Graph}
}

// recordedCall reads a recorded call, with what is known of its callee today.
func (lib *Library) recordedCall(ctx context.Context, rec *run.Record) (*drafting.Call, *diag.Fault) {
	c := &drafting.Call{Callee: *lib.calledIn(rec), Run: rec.ID, Arguments: expr.NewObject(), Result: rec.Result}
	if given, err := expr.Decode(rec.Arguments); err == nil {
		if object, ok := given.(expr.Object); ok {
			c.Arguments = object
		}
	}
	if c.Server == "" {
		if tool, fault := (plans.GraphResolver{Plans: lib.plans, Rights: request.RightsFrom(ctx)}).Graph(c.Tool); fault == nil {
			c.Callee = *reply.DraftCallee("", c.Tool, tool)
		}
		return c, nil
	}
	if tool, fault := (&plans.ToolResolver{Plans: lib.plans, Ctx: ctx}).Tool(c.Server, c.Tool); fault == nil {
		c.Callee = *reply.DraftCallee(c.Server, c.Tool, tool)
	}
	return c, nil
}
