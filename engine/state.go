package engine

import (
	"cmp"
	"context"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// State is what one run, or one branch of it, has produced so far. It belongs to
// the goroutine that walks; nothing mutable hangs off the plan.
type State struct {
	plan    *Plan
	rt      Runtime
	opts    *run.Options
	run     *budget
	input   expr.Value
	scope   *expr.Scope
	hist    *run.History
	dir     string // what the keys of its steps begin with
	depth   int    // of nested graphs
	marked  bool   // a model has decided that or how the graph is called
	items   int    // how many executions the step in progress has, one for each item; 0 outside of a foreach
	step    progress
	loose   Background  // runs the detached branches of the graph; nil without any
	context carried     // of a workflow
	end     *expr.Value // the output of RunOptions.Until, once that has run
}

// progress is how far the step in progress has come.
type progress struct {
	run.Event
	node       *planNode
	repeatable bool         // doing it twice does no harm
	store      func() error // keeps the result of its call without reading it, or nil
}

// Scope is what expressions see: the latest output of every node, and the
// history functions.
func (s *State) Scope() *expr.Scope { return s.scope }

// Call runs a downstream tool for the step in progress.
func (s *State) Call(ctx context.Context, c run.Call) (*run.Result, error) {
	c.Key, c.Repeatable = s.step.Key+"/call", s.step.repeatable
	c.Unreviewed, c.Session, c.Items = s.plan.unreviewed, s.opts.Session, s.items
	c.Sent = c.Unreviewed || !s.plan.trusted && !s.opts.Operator
	n := s.step.node
	c.Marked = (n.marked || s.marked) && !n.tool.readOnly() && (c.Sent || !n.trusted)
	if s.step.Attempts > 1 {
		c.Key += "#" + strconv.Itoa(s.step.Attempts)
	}
	if c.Again {
		c.Key += ".again"
	}
	c.Limits = &s.run.limits
	c.ID = s.rt.Identify(&c)
	if !c.Again {
		s.step.Call = c.ID
	}
	res, err := s.rt.Call(ctx, c)
	if res != nil {
		s.step.Simulated, s.step.store = res.Simulated, res.Store
	}
	s.step.Completed = err == nil && !res.IsError && res.Simulated == "" || run.OutcomeOf(err) == run.CallCompleted
	return res, err
}

// unwrap is what a call has given, read until the step is late.
func (s *State) unwrap(ctx context.Context, res *run.Result) (expr.Value, error) {
	v, err := unwrap(ctx, res)
	if err == nil || ctx.Err() == nil {
		return v, err
	}
	if late := s.late(ctx); late != nil {
		return nil, late
	}
	return Unwrap(res)
}

// late returns why the step in progress is to end although it has what it was executed
// for: the time of the run is over, or the run was cancelled. It is nil in a run that is
// parked, and for a step that must not be executed again: what they have is recorded.
// But a large result of its call is kept as it came, as reading and recording it takes
// long.
func (s *State) late(ctx context.Context) error {
	cause := context.Cause(ctx)
	if cause == nil || run.Parked(cause) {
		return nil
	}
	if s.step.repeatable {
		return cause
	}
	store := s.step.store
	if store == nil {
		return nil
	}
	s.step.store = nil
	if err := store(); err != nil {
		return err
	}
	return cause
}

func newState(p *Plan, rt Runtime, input expr.Value, o *run.Options) *State {
	p.printed.Do(p.fingerprint)
	h := &run.History{ByID: map[string][]int{}}
	l := p.limits.Within(o.Limits)
	return &State{
		plan: p, rt: rt, opts: o, input: input, hist: h,
		run:   &budget{id: o.ID, limit: l.MaxNodeExecutions, most: o.Limits.OrCeiling().MaxNodeExecutions, limits: l},
		scope: expr.NewScope(h, expr.Limits{Timeout: l.MaxExpressionTime}),
	}
}

// Child returns the state of a branch: it begins with what s has, and what
// happens in either is not seen by the other. The keys of its steps begin with
// the key of the step in progress and the branch's name.
func (s *State) Child(name string) *State {
	h := s.hist.Fork()
	c := *s
	c.hist, c.scope, c.dir, c.step, c.items = h, s.scope.Child(h), s.step.Key+"/"+name+"/", progress{}, 0
	return &c
}

// put records that a node is done, in constant time.
func (s *State) put(id string, output expr.Value) {
	s.scope.Set(id, output)
	s.hist.Add(id, output)
}

// graph executes the graph of the plan, and ends the detached branches that still execute.
func (s *State) graph(ctx context.Context) (result expr.Value, err error) {
	if s.plan.detaches {
		s.loose = s.rt.Background(ctx)
		if s.plan.workflow != nil {
			defer s.loose.Wait()
		} else {
			defer func() { s.loose.End(err) }()
		}
	}
	result, err = s.Walk(ctx, s.plan.entry, NoNode)
	if s.opts.OnResult != nil && s.depth == 0 {
		s.opts.OnResult(result, err)
	}
	return result, err
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

// execute runs one node and records it.
func (s *State) execute(ctx context.Context, n *planNode) (Outcome, error) {
	key := s.dir + n.id + "#" + strconv.Itoa(s.hist.Count(n.id))
	out, err := s.attempt(ctx, n, run.Event{Key: key, Part: s.depth > 0, Pure: n.pure && !n.perItem, Frame: n.frame || n.perItem, Branches: n.branches}, func(ctx context.Context) (Outcome, error) {
		out, err := s.compute(ctx, n)
		if err == nil {
			err = s.checkEnd(n, out.Output)
		}
		return out, err
	})
	if err != nil {
		return out, err
	}
	s.put(n.id, out.Output)
	if n.context && out.Caught == nil {
		s.carry(out.Output)
	}
	if s.opts.Until == n.id {
		s.end = &out.Output
	}
	if len(n.loose) > 0 && s.end == nil {
		s.detach(n)
	}
	return out, nil
}

// compute executes a node, or takes the output that the options of the run give it.
func (s *State) compute(ctx context.Context, n *planNode) (Outcome, error) {
	pin, pinned := s.opts.Pins[n.id]
	if !pinned {
		return n.step(ctx, s)
	}
	s.step.Simulated = "pin"
	next, err := n.after(pin)
	return Outcome{Output: pin, Next: next}, err
}

// checkEnd refuses the output of an exit that does not satisfy the output schema: the
// exit has failed then, and it alone is executed again when the run is resumed.
func (s *State) checkEnd(n *planNode, output expr.Value) error {
	if !n.kind.Ends || s.opts.Until == n.id {
		return nil
	}
	return s.plan.checkResult(output)
}

// attempt counts and records one execution of a node, or of the node for one
// item. What an earlier attempt at the run has completed is taken from there.
func (s *State) attempt(ctx context.Context, n *planNode, start run.Event, step func(context.Context) (Outcome, error)) (Outcome, error) {
	if !start.Frame && !s.rt.Counted(start.Key) && !s.run.take() { // what a frame consists of is counted
		return Outcome{}, s.tooMany(n)
	}
	s.step = progress{Event: start, node: n, repeatable: n.repeatable}
	e := &s.step.Event
	e.Node, e.Type, e.Definition, e.At, e.Scope = n.id, n.kind.Spec.NodeType, n.print, s.rt.Now(), s.scope
	if err := s.rt.Record(ctx, e); err != nil {
		return Outcome{}, s.fault(ctx, n, err)
	}
	if e.Ended {
		if e.Inside {
			s.revisit(ctx, n, step)
		}
		return s.restore(ctx, n, e)
	}
	s.freeze()
	out, err := step(ctx)
	var full *diag.Fault // the run has no room for more outputs than this
	if err == nil {
		if err = s.late(ctx); err != nil { // its output is not measured and stored, which may take long
			out = Outcome{}
		}
	}
	if err == nil {
		var tooLarge *diag.Fault
		e.Size, tooLarge, full = s.run.weigh(n, out.Output)
		if tooLarge != nil {
			out.Output, err = nil, tooLarge
		}
	}
	if err != nil && (run.Parked(err) || run.Parked(context.Cause(ctx))) {
		return out, s.fault(ctx, n, err)
	}
	if err != nil {
		err = s.fault(ctx, n, err)
		e.Err = err
	} else if out.Caught != nil {
		e.Caught, e.Err = true, out.Caught
	}
	e.Ended, e.At, e.Input, e.Output = true, s.rt.Now(), out.Input, out.Output
	if kept := s.rt.Record(ctx, e); err == nil && kept != nil {
		err = s.fault(ctx, n, kept)
	}
	if err == nil && full != nil && !e.Again {
		err = full
	}
	return out, err
}

// freeze sets what expressions of the step in progress see of time and chance, and
// whether time ends them.
func (s *State) freeze() {
	s.scope.Freeze(s.step.At, s.run.id, s.step.Key)
	s.scope.Repeat(s.step.Repeats)
}

// fault says in which node an error happened. What ended the whole run, its time
// limit or a cancellation, is named before what it interrupted.
func (s *State) fault(ctx context.Context, n *planNode, err error) error {
	if cause := context.Cause(ctx); cause != nil && (!run.Parked(err) || run.Parked(cause)) {
		err = cause
	}
	named := *run.AsFault(err)
	named.Node = cmp.Or(named.Node, n.id)
	if named.Err == nil {
		named.Err = err
	}
	return &named
}
