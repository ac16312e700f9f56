package engine

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// State is what one run, or one branch of it, has produced so far. It belongs to
// the goroutine that walks; nothing mutable hangs off the plan.
type State struct {
	plan  *Plan
	rt    Runtime
	opts  *RunOptions
	run   *ledger
	input expr.Value
	scope *expr.Scope
	hist  *history
	dir   string // what the keys of its steps begin with
	depth int    // of nested graphs
	step  progress
	end   *expr.Value // the output of RunOptions.Until, once that has run
}

// ledger is what all branches of a run share.
type ledger struct {
	id    string
	limit int
	count atomic.Int64 // node executions so far
}

// take counts one node execution and returns its index; ok is false when the
// limit is reached.
func (l *ledger) take() (index int, ok bool) {
	n := l.count.Add(1)
	if n > int64(l.limit) {
		l.count.Add(-1)
		return 0, false
	}
	return int(n) - 1, true
}

// progress is how far the step in progress has come.
type progress struct {
	key      string
	from     string // where its output comes from, if not computed
	attempts int    // begun so far, where the node may be retried
}

// Scope is what expressions see: the latest output of every node, and the
// history functions.
func (s *State) Scope() *expr.Scope { return s.scope }

// Call runs a downstream tool for the step in progress.
func (s *State) Call(ctx context.Context, c Call) (*Result, error) {
	c.Key = s.step.key + "/call"
	if s.step.attempts > 1 {
		c.Key += "#" + strconv.Itoa(s.step.attempts)
	}
	res, err := s.rt.Call(ctx, c)
	if res != nil {
		s.step.from = res.Simulated
	}
	return res, err
}

func newState(p *Plan, rt Runtime, input expr.Value, o *RunOptions) *State {
	h := &history{byID: map[string][]int{}}
	l := p.limits.Within(o.Limits)
	return &State{
		plan: p, rt: rt, opts: o, input: input, hist: h,
		run:   &ledger{id: o.ID, limit: l.MaxNodeExecutions},
		scope: expr.NewScope(h, expr.Limits{Timeout: l.MaxExpressionTime}),
	}
}

// Child returns the state of a branch: it begins with what s has, and what
// happens in either is not seen by the other. The keys of its steps begin with
// the key of the step in progress and the branch's name.
func (s *State) Child(name string) *State {
	h := s.hist.fork()
	c := *s
	c.hist, c.scope, c.dir, c.step = h, s.scope.Child(h), s.step.key+"/"+name+"/", progress{}
	return &c
}

// put records that a node is done, in constant time.
func (s *State) put(id string, output expr.Value) {
	s.scope.Set(id, output)
	s.hist.add(id, output)
}

// Walk executes nodes from one until a step ends the run or the next node would
// be until, which is not executed. It returns the output of the last node.
func (s *State) Walk(ctx context.Context, from, until NodeIndex) (expr.Value, error) {
	var last expr.Value
	for i := from; i != NoNode; {
		if i == until {
			return last, nil
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		out, err := s.execute(ctx, &s.plan.nodes[i])
		if err != nil {
			return nil, err
		}
		if s.end != nil {
			return *s.end, nil
		}
		last = out.Output
		i = out.Next
	}
	return last, nil
}

// tooMany is the fault of a run that would execute more nodes than it may.
func (s *State) tooMany(n *planNode) *diag.Fault {
	return &diag.Fault{
		Code: "too-many-executions", Node: n.id,
		Message: fmt.Sprintf("stopped before node %q after %d node executions, the limit", n.id, s.run.limit),
		Hint:    "let the loop end earlier, or raise executionLimits.maxNodeExecutions of the document (the operator's limit stays the ceiling)",
	}
}

// execute runs one node and records it.
func (s *State) execute(ctx context.Context, n *planNode) (Outcome, error) {
	key := s.dir + n.id + "#" + strconv.Itoa(s.hist.Count(n.id))
	out, err := s.attempt(ctx, n, key, s.depth > 0, func(ctx context.Context) (Outcome, error) {
		pin, pinned := s.opts.Pins[n.id]
		if !pinned {
			return n.step(ctx, s)
		}
		s.step.from = "pin"
		next, err := n.after(pin)
		return Outcome{Output: pin, Next: next}, err
	})
	if err != nil {
		return out, err
	}
	s.put(n.id, out.Output)
	if s.opts.Until == n.id {
		s.end = &out.Output
	}
	return out, nil
}

// attempt counts and records one execution of a node, or of the node for one item.
func (s *State) attempt(ctx context.Context, n *planNode, key string, part bool, step func(context.Context) (Outcome, error)) (Outcome, error) {
	index, ok := s.run.take()
	if !ok {
		return Outcome{}, s.tooMany(n)
	}
	e := Event{Node: n.id, Type: n.kind.Spec.NodeType, Index: index, Key: key, Part: part, At: s.rt.Now()}
	s.step = progress{key: key}
	s.rt.Record(e)
	s.scope.SetNow(e.At)
	out, err := step(ctx)
	if err != nil {
		err = s.fault(ctx, n, err)
	} else if out.Caught != nil {
		e.Caught, e.Err = true, out.Caught
	}
	e.Ended, e.At, e.Input, e.Output, e.Simulated, e.Attempts = true, s.rt.Now(), out.Input, out.Output, s.step.from, s.step.attempts
	if err != nil {
		e.Err = err
	}
	s.rt.Record(e)
	return out, err
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
