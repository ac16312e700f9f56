package execution

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// RunNodeInput asks to run one node of the catalog by itself.
type RunNodeInput struct {
	ID        string          `json:"id" arg:"NODE" unless:"subtype" jsonschema:"such as mcp:fs/read_file or graph:NAME; or node_type and subtype"`
	NodeType  string          `json:"node_type,omitempty" flag:"-" jsonschema:"with subtype, as in a search result"`
	Subtype   string          `json:"subtype,omitempty" flag:"-" jsonschema:"with node_type"`
	Arguments json.RawMessage `json:"arguments,omitempty" arg:"[KEY=VALUE…]" flag:"args,a" jsonschema:"its arguments, sent literally" help:"arguments as a JSON object; - is standard input, @FILE a file"`
	ShapeOnly bool            `json:"shape_only,omitempty" flag:"shape" jsonschema:"return only the paths of the output"`
}

// node is what the request names.
func (in *RunNodeInput) node() plans.NodeRef {
	return plans.NodeRef{ID: in.ID, NodeType: in.NodeType, Subtype: in.Subtype}
}

// RunNodeResult shows what an expression downstream of the node will see.
type RunNodeResult struct {
	Status     string          `json:"status"`
	Output     json.RawMessage `json:"output,omitempty"`
	OutputSize int             `json:"output_size,omitempty"` // in bytes, where the output is cut
	Paths      []string        `json:"paths,omitempty"`       // "files[].name: string"
	Error      *diag.Fault     `json:"error,omitempty"`
	Hint       string          `json:"hint,omitempty"` // what to do about a run that continues, or needs a decision
	Diags      diag.List       `json:"diagnostics,omitempty"`
	Asks       []Ask           `json:"asks,omitempty"` // what an interrupted run, or the call of one that continues, wants to know of a person
	DurationMs float64         `json:"duration_ms"`
	RunID      string          `json:"run_id,omitempty"`

	Rest    string         `json:"-"` // how to read a part of an output that is not shown in whole
	content *reply.Content // of the output
}

// Failed reports whether the node did not do what was asked. One that continues has
// not failed.
func (r *RunNodeResult) Failed() bool {
	return r.Status != string(run.Succeeded) && r.Status != string(run.Running)
}

// RunNode runs a downstream tool or a saved graph as a graph of its own, so that
// its output is unwrapped, checked and recorded as in any run.
func (ex *Execution) RunNode(ctx context.Context, in RunNodeInput) (*RunNodeResult, *diag.Fault) {
	spec, fault := ex.discover.Exact(ctx, in.node(), "/id")
	if fault != nil {
		return nil, fault
	}
	var rec *run.Record
	var undeclared diag.List
	switch {
	case spec.NodeType == specs.Graph:
		plan, found, unread := ex.plans.SavedPlan(ctx, spec.Subtype)
		if unread != nil {
			return nil, unread
		}
		if plan == nil {
			return rejectNode(found), nil
		}
		if unknown := plan.UnknownArguments(in.Arguments); unknown != nil {
			return &RunNodeResult{Status: reply.StatusRejected, Error: unknown}, nil
		}
		rec, fault = ex.Runner.Start(ctx, plan, in.Arguments, ex.Starts(ctx, request.ClientFrom(ctx, nil)))
	case spec.NodeType == specs.MCP && spec.Subtype != "":
		plan, found, full := ex.nodePlan(ctx, spec, in.Arguments)
		if full != nil {
			return nil, full
		}
		if plan == nil {
			return rejectNode(found), nil
		}
		undeclared = found
		rec, fault = ex.Runner.Start(ctx, plan, in.Arguments, ex.Starts(ctx, request.ClientFrom(ctx, nil)))
	case spec.NodeType == specs.Idiom:
		return nil, diag.Faultf(engine.CodeNotRunnable, "%q is a pattern to copy, not a node", spec.ID()).
			At("/id").WithHint(fmt.Sprintf("get_node_details {\"nodes\": [{\"id\": %q}]} shows its graph, which run_graph runs", spec.ID()))
	default:
		return nil, diag.Faultf(engine.CodeNotRunnable, "%q cannot run by itself", spec.ID()).
			At("/id").WithHint("run_node runs downstream tools and saved graphs; evaluate {\"expression\": \"…\"} computes expressions, and run_graph runs other nodes")
	}
	if fault != nil {
		return nil, fault
	}
	r := nodeResult(rec, in.ShapeOnly)
	r.Diags = undeclared
	return r, nil
}

// rejectNode is the reply to a node that cannot run.
func rejectNode(found diag.List) *RunNodeResult {
	if f := plans.StartingFault(found); f != nil {
		return &RunNodeResult{Status: reply.StatusRejected, Error: f}
	}
	return &RunNodeResult{Status: reply.StatusRejected, Diags: found}
}

// NodeRunState returns how a run stands that [Execution.RunNode] has started.
func (tk *tasks) NodeRunState(ctx context.Context, id string, shapeOnly bool) (*RunNodeResult, *diag.Fault) {
	rec, fault := tk.execution.record(ctx, id)
	if fault != nil {
		return nil, fault
	}
	return nodeResult(rec, shapeOnly), nil
}

// nodeResult is what a run of one node has come to, in whole unless only its shape is asked
// for.
func nodeResult(rec *run.Record, shapeOnly bool) *RunNodeResult {
	r := &RunNodeResult{Status: string(rec.Status), Error: inRun(rec.Fault, rec.ID), Hint: nextStep(rec), Asks: Asks(rec), DurationMs: reply.Milliseconds(lasted(rec)), RunID: rec.ID, Rest: readValue(rec)}
	if rec.Fault == nil && rec.Status != run.Running {
		r.Paths = paths(rec.Result)
		if !shapeOnly {
			r.Output, _ = expr.Encode(rec.Result)
			r.content = reply.ReadContent(rec.Result)
		}
	}
	return r
}

// nodePlan compiles a graph that does nothing but call one tool with the arguments
// of the run. The arguments are checked as the literals that they are.
// Large ones are checked in their turn. With the plan it returns the warnings about arguments
// that the tool does not declare.
func (ex *Execution) nodePlan(ctx context.Context, spec *specs.Spec, arguments json.RawMessage) (plan *engine.Plan, found diag.List, fault *diag.Fault) {
	if len(arguments) < plans.CheckedWhole {
		return ex.nodePlanIn(ctx, spec, arguments)
	}
	if full := ex.process.Compute(ctx, plans.CheckBase+plans.JSONFactor*int64(len(arguments)), func(ctx context.Context) {
		plan, found, fault = ex.nodePlanIn(ctx, spec, arguments)
	}); full != nil {
		return nil, nil, full
	}
	return plan, found, fault
}

func (ex *Execution) nodePlanIn(ctx context.Context, spec *specs.Spec, arguments json.RawMessage) (*engine.Plan, diag.List, *diag.Fault) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	env := ex.plans.Env(ctx, false)
	env.LiteralArgs = true
	_, found := ex.oneCall(ctx, spec, arguments, env)
	for _, d := range found {
		d.Path, d.Node, d.Range, d.Fixes = "/arguments"+strings.TrimPrefix(d.Path, "/nodes/1/args"), "", diag.Range{}, nil
	}
	if found.HasErrors() {
		return nil, found.With(diag.Error), nil
	}
	plan, wrong, fault := ex.sendingPlan(ctx, spec, arguments)
	if plan == nil {
		return nil, wrong, fault
	}
	return plan, slices.DeleteFunc(found, func(d *diag.Diagnostic) bool { return d.Code != "undeclared-argument" }), nil
}

// sendingPlan compiles the graph that sends the arguments of the run to a tool as they are.
func (ex *Execution) sendingPlan(ctx context.Context, spec *specs.Spec, arguments json.RawMessage) (*engine.Plan, diag.List, *diag.Fault) {
	env := ex.plans.Env(ctx, true)
	if object, ambiguous := argumentCalledExpr(spec, arguments); ambiguous {
		plan, found := ex.oneCall(ctx, spec, oneByOne(object), env)
		return plan, found, nil
	}
	return ex.plans.CompiledBy("node:"+spec.ID(), "", func() (*engine.Plan, diag.List, *diag.Fault) {
		plan, found := ex.oneCall(ctx, spec, json.RawMessage(`{"expr":"$.entry"}`), env)
		return plan, found, nil
	})
}

// argumentCalledExpr reports whether the tool has an argument called expr, and returns
// the arguments then.
func argumentCalledExpr(spec *specs.Spec, arguments json.RawMessage) (expr.Object, bool) {
	if schema.Read(spec.InputSchema).Property("expr") == nil {
		return nil, false
	}
	given, _ := expr.Decode(arguments)
	object, ok := given.(expr.Object)
	return object, ok
}

// oneByOne returns the args of a call that gets each argument of the run.
func oneByOne(object expr.Object) json.RawMessage {
	args := graph.Members{}
	for _, key := range object.Keys() {
		name, _ := json.Marshal(key)
		args = args.With(key, graph.Members{{Key: "expr", Value: "$lookup($.entry, " + string(name) + ")"}})
	}
	text, _ := json.Marshal(args)
	return text
}

// OneCallName is the name of the graph that run_node runs for a tool.
const OneCallName = "run_node"

// A oneCallGraph is a graph that calls one tool.
type oneCallGraph struct {
	Name   string         `json:"name"`
	Nodes  [3]oneCallNode `json:"nodes"`
	Limits oneCallLimits  `json:"executionLimits,omitzero"`
}

type oneCallLimits struct {
	MaxExecutionTimeMs int64 `json:"maxExecutionTimeMs"`
}

type oneCallNode struct {
	ID     string          `json:"id"`
	Type   string          `json:"type"`
	Server string          `json:"server,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Next   string          `json:"next,omitempty"`
}

func (ex *Execution) oneCall(ctx context.Context, spec *specs.Spec, args json.RawMessage, env engine.Env) (*engine.Plan, diag.List) {
	firstGraph := oneCallGraph{Name: OneCallName, Nodes: [3]oneCallNode{
		{ID: "entry", Type: "entry", Next: "node"},
		{ID: "node", Type: specs.MCP, Server: spec.Server(), Tool: spec.Tool(), Args: args, Next: "exit"},
		{ID: "exit", Type: "exit"},
	}}
	if limit := ex.plans.Limits.MaxExecutionTime; limit > 0 { // as long as the operator allows
		firstGraph.Limits.MaxExecutionTimeMs = limit.Milliseconds()
	}
	text, err := json.Marshal(&firstGraph)
	if err != nil {
		return nil, diag.List{{Code: "args-shape", Severity: diag.Error, Message: "the arguments are not JSON: " + err.Error()}}
	}
	doc, found := graph.Parse(OneCallName, text)
	if doc == nil {
		return nil, found
	}
	if len(args) < plans.CheckedWhole {
		plan, more := engine.Compile(doc, "", env)
		return plan, append(found, more...)
	}
	plan, more, _ := engine.CompileContext(context.WithoutCancel(ctx), doc, "", env)
	return plan, append(found, more...)
}
