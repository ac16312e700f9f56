package author

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

// Prove runs a draft with the arguments of the recording, answers its calls with the
// recorded results, and returns where its calls and its result differ from the recorded
// ones. Nothing outside is touched.
func (au *Author) Prove(ctx context.Context, d *drafting.Draft, calls []drafting.Call) ([]execution.Difference, *diag.Fault) {
	doc, found := graph.Parse("draft", graph.Encode(d.Proof))
	if doc == nil {
		return nil, diag.Faultf(diag.CodeInternalError, "the draft cannot be read: %s", found[0].Message)
	}
	var plan *engine.Plan
	if fault := au.process.Compute(ctx, (&plans.Source{Text: doc.Src}).ToCheck(), func(ctx context.Context) {
		plan, found, _ = engine.CompileContext(context.WithoutCancel(ctx), doc, "", au.plans.EnvAlone(false))
	}); fault != nil {
		return nil, fault
	}
	if plan == nil || found.HasErrors() {
		return []execution.Difference{{Step: "result", What: local.OtherResult, Replayed: "invalid: " + found.With(diag.Error)[0].Message}}, nil
	}
	arguments, err := expr.Encode(d.Arguments)
	if err != nil {
		return nil, diag.Faultf(diag.CodeInternalError, "the arguments of the draft are not JSON: %w", err)
	}
	recorded := &recordedCalls{calls: calls}
	again := local.Run(ctx, plan, recorded, arguments, local.Options{})
	return recorded.compared(again, d), nil
}

// recordedCalls is a [run.Caller] that answers with the results of recorded calls, one
// after the other, and compares what is called.
type recordedCalls struct {
	calls []drafting.Call

	mu    sync.Mutex
	made  int
	found []execution.Difference
}

// CallTool returns the recorded result.
func (r *recordedCalls) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.made == len(r.calls) {
		return nil, diag.Faultf(local.CodeNotRecorded, "the draft makes more calls than the recording: %s/%s", c.Server, c.Tool)
	}
	of := &r.calls[r.made]
	r.made++
	server := cmp.Or(of.Server, drafting.GraphServer)
	given, err := expr.Encode(of.Arguments)
	if err != nil {
		return nil, fmt.Errorf("the recorded arguments are not JSON: %w", err)
	}
	if server != c.Server || of.Tool != c.Tool {
		r.found = append(r.found, execution.Difference{Step: c.Key, What: "is another call", Recorded: reply.CalleeName(&of.Callee), Replayed: c.Server + "/" + c.Tool})
	} else if !reply.SameJSON(given, c.Args) {
		r.found = append(r.found, execution.Difference{Step: c.Key, What: "has other arguments", Recorded: string(diag.CutJSON(given, MaxArgument)), Replayed: string(diag.CutJSON(c.Args, MaxArgument))})
	}
	return recordedResult(of.Result)
}

// recordedResult is a reply that a node makes into an output again.
func recordedResult(output expr.Value) (*run.Result, error) {
	if output == nil {
		return &run.Result{}, nil
	}
	b, err := expr.Encode(output)
	if err != nil {
		return nil, fmt.Errorf("the recorded result is not JSON: %w", err)
	}
	if string(b) != "null" {
		return &run.Result{Structured: b}, nil
	}
	return &run.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"null"}`)}}, nil
}

// compared lists the differences of a run that called r.
func (r *recordedCalls) compared(again *run.Record, d *drafting.Draft) []execution.Difference {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.found
	if again.Fault != nil {
		return append(list, execution.Difference{Step: "result", What: local.OtherResult, Replayed: diag.Cut(again.Fault.Code+": "+again.Fault.Message, MaxArgument)})
	}
	for i := range r.calls[r.made:] {
		list = append(list, execution.Difference{Step: reply.CalleeName(&r.calls[r.made+i].Callee), What: local.MissingStep})
	}
	was, errWas := expr.Encode(d.Result)
	is, errIs := expr.Encode(again.Result)
	if errWas != nil || errIs != nil || !reply.SameJSON(was, is) {
		list = append(list, execution.Difference{Step: "result", What: local.OtherResult, Recorded: string(diag.CutJSON(was, MaxArgument)), Replayed: string(diag.CutJSON(is, MaxArgument))})
	}
	return list
}

// MaxArgument is how many bytes a reply shows of one recorded argument.
const MaxArgument = 300
