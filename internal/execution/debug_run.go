package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// maxPaused is how long a run stays paused without a debug tool.
const maxPaused = 10 * time.Minute

// DebugRunInput asks for a run that pauses before nodes.
type DebugRunInput struct {
	plans.GraphInput
	Saved       string                     `json:"name,omitempty" jsonschema:"a saved graph to run instead of graph"`
	Arguments   json.RawMessage            `json:"arguments,omitempty" jsonschema:"the call's arguments"`
	Mode        string                     `json:"mode,omitempty" enum:"run,dry_run" jsonschema:"run (default), or dry_run: call only tools known to be read-only"`
	Pins        map[string]json.RawMessage `json:"pins,omitempty" jsonschema:"outputs to use instead of running nodes, by node id"`
	Until       string                     `json:"until,omitempty" jsonschema:"the last node to run"`
	Breakpoints []string                   `json:"breakpoints,omitempty" jsonschema:"ids of the nodes to pause before"`
	Step        bool                       `json:"step,omitempty" jsonschema:"pause before the first node"`
	WaitMs      int                        `json:"wait_ms,omitempty" jsonschema:"how long to wait for a pause or the result (default 45000)"`
}

// DebugResult says where a run is paused, or how it has ended.
type DebugResult struct {
	RunID       string       `json:"run_id,omitempty"`
	Status      string       `json:"status"`           // paused, or that of the run
	Paused      []PausedStep `json:"paused,omitempty"` // in the order in which they paused
	Breakpoints []string     `json:"breakpoints,omitempty"`
	Run         *RunResult   `json:"run,omitempty"` // of one that is not paused, as from run_graph
}

// statusPaused is the status of a run that a debugger has paused. Its record says that it
// executes.
const statusPaused = "paused"

// DebugRun starts a run that pauses before nodes, and returns when it is paused or has ended,
// or the client has waited for long enough.
func (ds *Debuggers) DebugRun(ctx context.Context, in DebugRunInput) (*DebugResult, *diag.Fault) {
	r := RunInput{
		GraphInput: in.GraphInput, Saved: in.Saved, Arguments: in.Arguments, Mode: in.Mode, Pins: in.Pins, Until: in.Until, Background: true, Trace: "summary",
		Debugger: run.NewDebugger(in.Breakpoints, in.Step, maxPaused), RunID: runs.NewID(),
	}
	d := ds.add(r.RunID, request.ActorFrom(ctx), r.Debugger)
	out, fault := ds.execution.Run(ctx, r)
	switch {
	case fault != nil:
		ds.remove(r.RunID)
		return nil, fault
	case out.RunID == "": // it was rejected
		ds.remove(r.RunID)
		return &DebugResult{Status: out.Status, Run: out}, nil
	}
	return ds.debugged(ctx, d, in.WaitMs)
}

// debugged waits until a run is paused or has ended, and says where it is.
func (ds *Debuggers) debugged(ctx context.Context, d *debugging, waitMs int) (*DebugResult, *diag.Fault) {
	r := &DebugResult{RunID: d.id, Status: statusPaused, Breakpoints: d.Breakpoints()}
	var late <-chan time.Time
	if wait := cmp.Or(time.Duration(waitMs)*time.Millisecond, request.ClientFrom(ctx, nil).Wait); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	for {
		paused, ended, changed := d.Paused()
		if r.Paused = pausedSteps(paused); len(r.Paused) > 0 {
			return r, nil
		}
		if ended {
			ds.remove(d.id)
			return r.after(ds.execution.Tasks.Follow(ctx, d.id, "summary", nil))
		}
		select {
		case <-changed:
		case <-late:
			return r.after(ds.execution.Tasks.Follow(request.WithClient(ctx, request.Client{Background: true}), d.id, "summary", nil))
		case <-ctx.Done():
			return nil, run.AsFault(context.Cause(ctx))
		}
	}
}

// after completes the result of a run that is not paused.
func (r *DebugResult) after(out *RunResult, fault *diag.Fault) (*DebugResult, *diag.Fault) {
	if fault != nil {
		return nil, fault
	}
	r.Status, r.Run = out.Status, out
	return r, nil
}

// DebugListInput chooses among the runs that are being debugged.
type DebugListInput struct {
	RunID string `json:"run_id,omitempty" jsonschema:"only this run"`
}

// DebugListResult lists the runs that are being debugged.
type DebugListResult struct {
	Runs []DebugResult `json:"runs"`
}

// DebugList lists the caller's runs that are being debugged in this process, by their ids.
// Those that execute have no paused steps.
func (ds *Debuggers) DebugList(ctx context.Context, in DebugListInput) (*DebugListResult, *diag.Fault) {
	r := &DebugListResult{Runs: []DebugResult{}}
	for _, d := range ds.list(request.ActorFrom(ctx)) {
		if in.RunID != "" && in.RunID != d.id {
			continue
		}
		paused, _, _ := d.Paused()
		line := DebugResult{RunID: d.id, Status: string(run.Running), Paused: pausedSteps(paused), Breakpoints: d.Breakpoints()}
		if len(line.Paused) > 0 {
			line.Status = statusPaused
		}
		r.Runs = append(r.Runs, line)
	}
	return r, nil
}

// DebugContinueInput says how a paused run continues.
type DebugContinueInput struct {
	RunID       string   `json:"run_id" jsonschema:"run ID, as debug_run returned it"`
	Step        string   `json:"step,omitempty" jsonschema:"key of the paused step, if there are several; the first by default"`
	Action      string   `json:"action,omitempty" enum:"continue,step,none" jsonschema:"continue (default) until the next breakpoint, step until the next node, or none: only set the breakpoints"`
	Breakpoints []string `json:"breakpoints,omitzero" jsonschema:"ids of the nodes to pause before from now on, in place of those before"`
	WaitMs      int      `json:"wait_ms,omitempty" jsonschema:"how long to wait for the next pause or the result (default 45000)"`
}

// DebugContinue lets a paused run of the caller's continue, and returns as DebugRun does.
func (ds *Debuggers) DebugContinue(ctx context.Context, in DebugContinueInput) (*DebugResult, *diag.Fault) {
	d, fault := ds.Find(request.ActorFrom(ctx), in.RunID)
	if fault != nil {
		return nil, fault
	}
	if in.Breakpoints != nil {
		rec, fault := ds.execution.record(ctx, in.RunID)
		if fault != nil {
			return nil, fault
		}
		plan, fault := ds.execution.RunPlans.Alone(ctx, rec.Source)
		if fault != nil {
			return nil, fault
		}
		if fault := checkBreakpoints(plan, in.Breakpoints); fault != nil {
			return nil, fault
		}
		d.SetBreakpoints(in.Breakpoints)
	}
	var released bool
	switch in.Action {
	case "", "continue":
		released = d.Continue(in.Step)
	case "step":
		released = d.Step(in.Step)
	case "none":
		return ds.debugged(ctx, d, 1)
	default:
		return nil, diag.BadArgument("/action", `action is "continue", "step" or "none"`, "unknown action %q", in.Action)
	}
	if !released {
		return nil, NotPaused(in.RunID, in.Step)
	}
	return ds.debugged(ctx, d, in.WaitMs)
}
