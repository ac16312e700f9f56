package engine

import (
	"context"
	"fmt"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// State is what one run, or one branch of it, has produced so far. It belongs to
// the goroutine that walks; nothing mutable hangs off the plan.
type State struct {
	plan  *Plan
	rt    Runtime
	opts  *RunOptions
	input expr.Value
	scope *expr.Scope
	hist  *history
	count int    // node executions so far
	key   string // of the step in progress
	from  string // where the output of the step in progress comes from, if not computed
}

// Scope is what expressions see: the latest output of every node, and the
// history functions.
func (s *State) Scope() *expr.Scope { return s.scope }

// Call runs a downstream tool for the step in progress.
func (s *State) Call(ctx context.Context, c Call) (*Result, error) {
	c.Key = s.key + "/call"
	res, err := s.rt.Call(ctx, c)
	if res != nil {
		s.from = res.Simulated
	}
	return res, err
}

func newState(p *Plan, rt Runtime, input expr.Value, o *RunOptions) *State {
	h := &history{byID: map[string][]int{}}
	return &State{
		plan: p, rt: rt, opts: o, input: input, hist: h,
		scope: expr.NewScope(h, expr.Limits{Timeout: p.limits.Within(o.Limits).MaxExpressionTime}),
	}
}

// put records that a node is done, in constant time.
func (s *State) put(id string, output expr.Value) {
	s.scope.Set(id, output)
	s.hist.add(id, output)
}

// history is what the history functions of expressions read.
type history struct {
	all  []execution
	byID map[string][]int
}

type execution struct {
	node   string
	output expr.Value
}

func (h *history) add(id string, output expr.Value) {
	h.byID[id] = append(h.byID[id], len(h.all))
	h.all = append(h.all, execution{id, output})
}

// Previous returns the output n executions back, 1 being the last.
func (h *history) Previous(n int) (expr.Value, bool) {
	if n < 1 || n > len(h.all) {
		return nil, false
	}
	return h.all[len(h.all)-n].output, true
}

// Count returns how often a node has completed.
func (h *history) Count(id string) int { return len(h.byID[id]) }

// Execution returns the output of a node's i-th completed run, 0 being the first
// and -1 the last.
func (h *history) Execution(id string, i int) (expr.Value, bool) {
	runs := h.byID[id]
	if i < 0 {
		i += len(runs)
	}
	if i < 0 || i >= len(runs) {
		return nil, false
	}
	return h.all[runs[i]].output, true
}

// Executions returns the outputs of all of a node's completed runs.
func (h *history) Executions(id string) []expr.Value {
	outputs := make([]expr.Value, 0, len(h.byID[id]))
	for _, i := range h.byID[id] {
		outputs = append(outputs, h.all[i].output)
	}
	return outputs
}

// Walk executes nodes from one until a step ends the run or the next node would
// be until, which is not executed. It returns the output of the last node.
func (s *State) Walk(ctx context.Context, from, until NodeIndex) (expr.Value, error) {
	limit := s.plan.limits.Within(s.opts.Limits).MaxNodeExecutions
	var last expr.Value
	for i := from; i != NoNode; {
		if i == until {
			return last, nil
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		n := &s.plan.nodes[i]
		if s.count >= limit {
			return nil, &diag.Fault{
				Code: "too-many-executions", Node: n.id,
				Message: fmt.Sprintf("stopped before node %q after %d node executions, the limit", n.id, limit),
				Hint:    "let the loop end earlier, or raise executionLimits.maxNodeExecutions of the document (the operator's limit stays the ceiling)",
			}
		}
		out, err := s.execute(ctx, n)
		if err != nil {
			return nil, err
		}
		last = out.Output
		i = out.Next
	}
	return last, nil
}

// execute runs one node and records it.
func (s *State) execute(ctx context.Context, n *planNode) (Outcome, error) {
	e := Event{Node: n.id, Type: n.kind.Spec.NodeType, Index: s.count, Key: n.id + "#" + strconv.Itoa(s.hist.Count(n.id)), At: s.rt.Now()}
	s.count++
	s.key, s.from = e.Key, ""
	s.rt.Record(e)
	s.scope.SetNow(e.At)

	var out Outcome
	var err error
	if pin, ok := s.opts.Pins[n.id]; ok {
		out, s.from = Outcome{Output: pin}, "pin"
		out.Next, err = n.after(pin)
	} else {
		out, err = n.step(ctx, s)
	}
	if err != nil {
		err = s.fault(ctx, n, err)
	}
	e.Ended, e.At, e.Input, e.Output, e.Err, e.Simulated = true, s.rt.Now(), out.Input, out.Output, err, s.from
	s.rt.Record(e)
	if err != nil {
		return out, err
	}
	s.put(n.id, out.Output)
	if s.opts.Until == n.id {
		out.Next = NoNode
	}
	return out, nil
}

// fault says in which node an error happened. What ended the whole run, its time
// limit or a cancellation, is named before what it interrupted.
func (s *State) fault(ctx context.Context, n *planNode, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	named := *asFault(err)
	if named.Node == "" {
		named.Node = n.id
	}
	if named.Err == nil {
		named.Err = err
	}
	return &named
}
