package jsonata

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A History is the completed node executions of a run, as the history functions ask
// for them. Values are not copied.
type History interface {
	Previous(n int) (Value, bool)             // the output of the n-th last execution; 1 is the last
	Count(id string) int                      // how often the node has completed
	Execution(id string, i int) (Value, bool) // its i-th output: 0 is the first, -1 the last
	Executions(id string) []Value             // its outputs in order
}

// An Evaluator evaluates expressions, one at a time, with the variables and limits
// that its fields give. It keeps its memory for the next one, so one that is used again
// is faster than a new one.
type Evaluator struct {
	Limits  Limits
	Vars    map[string]Value          // by name without the $; they hide functions
	History History                   // or nil: there were no executions
	Now     func() time.Time          // the clock of $now and $millis; nil is the system's
	Random  func() *rand.Rand         // of $random and $shuffle; nil is the system's
	Pause   func(time.Duration) error // called now and then with how long the evaluation has lasted; its error ends it

	ctx      context.Context //nolint:containedctx // of the evaluation that lasts
	given    Limits          // from which limits were made
	limits   Limits
	root     any
	fuel     int // steps until the next look at the limits
	used     int // steps up to then
	bytes    int // that may still be allocated
	items    int // of ranges and copies that may still be made
	began    time.Time
	paused   time.Duration
	now      time.Time
	stopped  *Error // what ended the evaluation for good: no function catches it
	frames   []*frame
	infinite *Node // whose value was not finite, the last one
	encoded  []byte
	copy     *objectMark // of the objects that it has copied, or nil
	env      *Env
	current  *Expr  // the expression, not a text of $eval
	stack    []any  // arguments
	call     native // the native function that runs
	site     *Node  // the call of the expression's function that runs, or nil
	tail     tailCall
	depth    int // of calls
	levels   int // of nesting, in all calls
}

// A native is a call of a native function.
type native struct {
	fn    *Function
	node  *Node // of the call, or nil
	frame *frame
	scope *scope // of frame, where $eval may evaluate text in it, or nil
	in    any
	lead  bool  // the first argument is what "~>" passes
	moved int8  // the context was put before the arguments
	depth int32 // of calls of the expression's functions around it
}

// Eval evaluates x on an input. An error is an *[Error] with JSONata's code, or one of
// the limits': too-much-work, too-much-memory, too-big, too-deep, timeout, cancelled.
func (e *Evaluator) Eval(ctx context.Context, x *Expr, input Value) (Value, error) {
	e.Begin(ctx)
	defer e.End()
	return e.Run(x, input)
}

// Begin starts an evaluation, of one expression or of several that share its limits.
func (e *Evaluator) Begin(ctx context.Context) {
	if e.ctx = ctx; e.given != e.Limits || e.limits.MaxSteps == 0 {
		e.given, e.limits = e.Limits, e.Limits.withDefaults()
	}
	e.fuel = min(stepsUnseen, e.limits.MaxSteps)
	e.used = e.fuel
	e.bytes, e.items = e.limits.MaxMemory, e.limits.MaxRange
	e.depth, e.levels, e.paused, e.stopped, e.infinite, e.site = 0, 0, 0, nil, nil, nil
	e.began, e.now = time.Time{}, time.Time{}
}

// Used returns how many steps and bytes were counted since Begin.
func (e *Evaluator) Used() (steps, bytes int) { return e.used - e.fuel, e.limits.MaxMemory - e.bytes }

// End lets go of what the evaluation held.
func (e *Evaluator) End() {
	if cap(e.stack) > 4096 {
		e.stack = nil
	}
	e.ctx, e.root, e.env, e.call, e.site, e.tail = nil, nil, nil, native{}, nil, tailCall{}
}

// Run evaluates x between Begin and End. The result is a JSON value or undefined.
func (e *Evaluator) Run(x *Expr, input Value) (v Value, err error) {
	defer e.rescue(x, &err)
	v = e.evaluate(x, input)
	if x.path {
		return v, nil
	}
	return e.checked(v), nil
}

// checked is v as a result.
func (e *Evaluator) checked(v Value) Value {
	c := checker{e: e}
	return c.value(v)
}

// evaluate is the value of x, which need not be JSON.
func (e *Evaluator) evaluate(x *Expr, input Value) Value {
	if e.ctx.Err() != nil {
		e.look()
	}
	root, site, current := e.root, e.site, e.current
	if e.site = nil; !x.path { // a path copies nothing
		e.current, e.copy = x, nil
	}
	if list, ok := input.([]any); ok && !isSequence(list) {
		input = []any{list, wrappedInput}[:1]
	}
	e.root, e.env, e.stack = input, x.env, e.stack[:0]
	var f *frame
	if x.slots > 0 || x.framed {
		f = newFrame(nil, x.slots)
	}
	v := x.run(e, f, input)
	if e.root, e.site = root, site; !x.path {
		e.current = current
	}
	return v
}

// step counts one step.
func (e *Evaluator) step() {
	if e.fuel--; e.fuel < 0 {
		e.look()
	}
}

// steps counts n steps, of a function that does much at once.
func (e *Evaluator) steps(n int) {
	if e.fuel -= n; e.fuel < 0 {
		e.look()
	}
}

// alloc counts n bytes that a value takes.
func (e *Evaluator) alloc(n int) {
	if e.bytes -= n; e.bytes < 0 {
		e.stop(outOfMemory(int64(e.limits.MaxMemory)))
	}
}

// allocItems counts the memory of an array of n items.
func (e *Evaluator) allocItems(n int) { e.alloc(24 + 16*n) }

// stepsUnseen is how many steps are made between two looks at the clock and the
// context, some tens of microseconds.
const stepsUnseen = 1000

// look ends the evaluation if it may not continue, and fills up the steps until the
// next look. The steps are the same whenever an evaluation is repeated, so it ends at
// the same one.
func (e *Evaluator) look() {
	if e.stopped != nil {
		panic(e.stopped)
	}
	if e.fuel < 0 {
		e.used -= e.fuel
		if e.used > e.limits.MaxSteps {
			e.stop(tooManySteps(e.limits.MaxSteps))
		}
		e.fuel = min(stepsUnseen, e.limits.MaxSteps-e.used)
		e.used += e.fuel
	}
	if e.ctx.Err() != nil {
		e.stop(Ended(e.ctx))
	}
	now := time.Now()
	if e.began.IsZero() {
		e.began = now
		return
	}
	lasted := now.Sub(e.began) - e.paused
	if e.limits.Timeout > 0 && lasted > e.limits.Timeout {
		e.stop(timedOut(e.limits.Timeout))
	}
	if e.Pause == nil {
		return
	}
	if err := e.Pause(lasted); err != nil {
		fault, ok := errors.AsType[*Error](err)
		if !ok {
			fault = &Error{Code: diag.CodeCancelled, Message: err.Error()}
		}
		e.stop(fault)
	}
	e.paused += time.Since(now)
}

// Ended returns why an evaluation ends whose context has ended.
func Ended(ctx context.Context) *Error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return &Error{Code: "timeout", Message: "the time of the run ended while the expression was being evaluated"}
	}
	return &Error{Code: diag.CodeCancelled, Message: "the run was cancelled while the expression was being evaluated"}
}

// Check counts n steps and returns why the evaluation ends, or nil. It is for what
// evaluates between Begin and End without an expression.
func (e *Evaluator) Check(n int) (err error) {
	defer Recover(&err)
	e.steps(n)
	return nil
}

// Alloc counts n bytes of values and returns why the evaluation ends, or nil.
func (e *Evaluator) Alloc(n int) (err error) {
	defer Recover(&err)
	e.alloc(n)
	return nil
}

// Modulo returns x % y, or why the evaluation ends.
func (e *Evaluator) Modulo(x, y float64) (v float64, err error) {
	defer Recover(&err)
	return e.modulo(x, y), nil
}

// clock is the time of the evaluation, which is the same for all of it.
func (e *Evaluator) clock() time.Time {
	if e.now.IsZero() {
		e.now = time.Now()
		if e.Now != nil {
			e.now = e.Now()
		}
	}
	return e.now
}

// Result returns v as the result of an evaluation, or why it is none.
func (e *Evaluator) Result(v Value) (result Value, err error) {
	defer Recover(&err)
	return e.checked(v), nil
}

// Room counts the memory of a text of n bytes, and returns why there is none, or nil.
func (e *Evaluator) Room(what string, n int) (err error) {
	defer Recover(&err)
	e.room(what, n)
	return nil
}

// Items returns why an array of n items is too long, or nil.
func (e *Evaluator) Items(what string, n int) (err error) {
	defer Recover(&err)
	if n > e.limits.MaxItems {
		e.stop(tooMany(what, e.limits.MaxItems))
	}
	return nil
}

// Recover makes an error of an [*Error] that the function which defers it panics with.
func Recover(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		*err = p
	default:
		panic(p)
	}
}
