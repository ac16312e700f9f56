package jsonata

import "iter"

// In jsonata-js, the items of an array that is written out and the values of an object
// are evaluated beside each other: each is a chain of promises, and in a turn each does
// what it can until it waits again. Which of several errors counts, and which value a
// variable has that one of them binds, follows from how many turns each takes. Where that
// matters, an expression is compiled so that it waits as often as jsonata-js does: see
// [compiler.paced].

// registers are what an evaluator knows of the one branch that runs.
type registers struct {
	stack  []any  // arguments
	call   native // the native function that runs
	site   *Node  // the call of the expression's function that runs, or nil
	tail   tailCall
	depth  int     // of calls
	levels int     // of nesting, in all calls
	owed   int     // turns that what waits for the present step takes when that is done
	branch *branch // or nil: nothing is beside it
}

// A branch is evaluated beside others.
type branch struct {
	registers registers // while it waits
	yield     func(turns int) bool
	next      func() (turns int, ok bool)
	stop      func()
}

// endless is the number of turns that a branch waits for which does not end in jsonata-js.
const endless = 1 << 40

// A queue has the branches that wait, each for so many turns.
type queue struct {
	waiting  []waiting
	endless  []*branch // that proceed when no other does
	branches []*branch
	fatal    any // what a branch panicked with that ends all
}

type waiting struct {
	branch *branch
	turns  int
}

// A join is what waits for several branches: for all values, or the first error.
type join struct {
	values  []any
	left    int
	fault   *Error
	settled bool
	waiter  *branch
}

// abandoned is what a branch panics with that nobody waits for any longer.
type abandoned struct{}

// wait lets others proceed for so many turns.
func (e *Evaluator) wait(turns int) {
	if e.branch != nil && turns > 0 && !e.branch.yield(turns) {
		panic(abandoned{})
	}
}

// beside evaluates n branches beside each other. It fails with the error of the one that
// fails first.
func (e *Evaluator) beside(n int, run func(i int) any) []any {
	if e.branch == nil {
		e.queue = &queue{}
		defer e.abandon()
	}
	e.allocItems(n)
	j := &join{values: make([]any, n), left: n, waiter: e.branch}
	for i := range n {
		e.start(j, i, run)
	}
	switch {
	case e.branch == nil:
		for !j.settled {
			e.turn()
		}
	case !e.branch.yield(0): // until it is resumed
		panic(abandoned{})
	}
	if j.fault != nil {
		panic(j.fault)
	}
	return j.values
}

// A branch has a stack of its own, which takes about so many bytes, and the time of so many
// steps to begin and to end.
const (
	branchBytes = 8 << 10
	branchSteps = 64
)

// start begins a branch, which proceeds until it waits.
func (e *Evaluator) start(j *join, i int, run func(i int) any) {
	e.alloc(branchBytes)
	e.steps(branchSteps)
	b := &branch{}
	b.registers = registers{call: e.call, site: e.site, depth: e.depth, levels: e.levels, branch: b}
	b.next, b.stop = iter.Pull(func(yield func(int) bool) {
		b.yield = yield
		e.settle(j, i, run)
	})
	e.queue.branches = append(e.queue.branches, b)
	e.resume(b)
}

// settle evaluates a branch and hands its value or error to what waits for it.
func (e *Evaluator) settle(j *join, i int, run func(i int) any) {
	defer func() {
		switch p := recover().(type) {
		case nil, abandoned:
		default:
			e.queue.fatal = p
		}
	}()
	v, fault := e.attempt(run, i)
	if fault != nil {
		e.wait(e.owed)
	}
	e.wait(1)
	if j.settled {
		return
	}
	if j.values[i], j.fault = v, fault; fault == nil {
		j.left--
	}
	if j.settled = fault != nil || j.left == 0; j.settled && j.waiter != nil {
		e.queue.waiting = append(e.queue.waiting, waiting{j.waiter, 1})
	}
}

// attempt is the value of a branch, or the error with which it fails.
func (e *Evaluator) attempt(run func(i int) any, i int) (v any, fault *Error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Error:
			if e.stopped != nil {
				panic(p)
			}
			fault = p
		default:
			panic(p)
		}
	}()
	return run(i), nil
}

// resume lets a branch proceed until it waits.
func (e *Evaluator) resume(b *branch) {
	saved := e.registers
	e.registers = b.registers
	turns, more := b.next()
	b.registers, e.registers = e.registers, saved
	switch {
	case e.queue.fatal != nil:
		panic(e.queue.fatal)
	case !more:
		b.registers = registers{}
	case turns >= endless:
		e.queue.endless = append(e.queue.endless, b)
	case turns > 0:
		e.queue.waiting = append(e.queue.waiting, waiting{b, turns})
	}
}

// turn is the next turn of the branch that has waited for longest.
func (e *Evaluator) turn() {
	e.step()
	q := e.queue
	if len(q.waiting) == 0 {
		q.waiting, q.endless = append(q.waiting, waiting{q.endless[0], 1}), q.endless[1:]
	}
	first := q.waiting[0]
	q.waiting = q.waiting[1:]
	if first.turns--; first.turns > 0 {
		q.waiting = append(q.waiting, first)
		return
	}
	e.resume(first.branch)
}

// abandon ends the branches that are left.
func (e *Evaluator) abandon() {
	saved := e.registers
	for _, b := range e.queue.branches {
		b.stop()
	}
	e.registers, e.queue = saved, nil
}
