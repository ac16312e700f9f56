package jsonata

import "fmt"

// besideBinding is what an evaluation panics with where the text of $eval binds a variable
// and others are evaluated beside it, so that the turns of each have to be counted.
type besideBinding struct{}

// again evaluates an expression that has failed once more, with limits of its own, so that
// of several errors the one counts that jsonata-js comes to first. ok is false where that
// makes no difference, or the limits do not suffice for it.
func (e *Evaluator) again(x *Expr, check func(Value) Value) (v Value, fault *Error, ok bool) {
	if e.stopped != nil || x.paced || e.current != x || !e.forked && !x.forks() {
		return nil, nil, false
	}
	fuel, used, bytes, items, infinite := e.fuel, e.used, e.bytes, e.items, e.infinite
	v, fault = e.inTurns(x, unwrap(e.root), check)
	e.fuel, e.used, e.bytes, e.items = fuel, used, bytes, items
	if e.stopped != nil {
		e.undecided, e.stopped, e.infinite = true, nil, infinite
		return nil, nil, false
	}
	return v, fault, fault == nil || fault.Code != codeBroken
}

// inTurns evaluates an expression so that its turns count, with new limits.
func (e *Evaluator) inTurns(x *Expr, input Value, check func(Value) Value) (v Value, fault *Error) {
	e.fuel = min(stepsUnseen, e.limits.MaxSteps)
	e.used, e.bytes, e.items = e.fuel, e.limits.MaxMemory, e.limits.MaxRange
	e.registers = registers{stack: e.stack[:0]}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Error:
			copied := *p
			fault = &copied
		default:
			v, fault = nil, broken(x, p)
		}
	}()
	return check(e.evaluate(x.inTurns(), input)), nil
}

// inTurns is the expression compiled so that its turns count.
func (x *Expr) inTurns() *Expr {
	if x.paced {
		return x
	}
	x.once.Do(func() {
		c := compiler{src: x.ast.Source, env: x.env, paced: true}
		x.turns = c.whole(&Expr{}, x.ast, nil)
	})
	return x.turns
}

// bindsFromText ends an evaluation whose turns have to be counted, as the text of $eval
// binds a variable that what is beside it may see.
func (e *Evaluator) bindsFromText() {
	if !e.paced && (e.forked || e.current.forks()) {
		panic(besideBinding{})
	}
}

// forks reports whether the expression evaluates several things beside each other.
func (x *Expr) forks() bool {
	found := false
	x.ast.Root.Each(func(n *Node) {
		switch n.Kind {
		case KindArray:
			found = found || len(n.Args) > 1
		case KindObject, KindGroup:
			found = found || len(n.Args) > 2 || len(n.Args) == 2 && n.Args[0].Kind != KindString
		default:
		}
	})
	return found
}

// bindsBeside reports whether n binds a variable in what is evaluated beside something
// else that may see it.
func bindsBeside(n *Node) (found bool) {
	n.Each(func(n *Node) {
		from, by := 0, 1
		switch n.Kind {
		case KindArray:
			if len(n.Args) < 2 {
				return
			}
		case KindObject, KindGroup:
			from, by = 1, 2
		default:
			return
		}
		for i := from; i < len(n.Args); i += by {
			n.Args[i].EachBinding(func(string) { found = true })
		}
	})
	return found
}

// rescue makes an error of what an evaluation panicked with, or a value, where turns count.
func (e *Evaluator) rescue(x *Expr, v *Value, err *error) {
	if p := recover(); p != nil {
		e.recovered(p, x, e.checked, v, err)
	}
}

func (e *Evaluator) recovered(p any, x *Expr, check func(Value) Value, v *Value, err *error) {
	defer func() { e.current = nil }()
	switch p := p.(type) {
	case besideBinding:
		again, fault := e.inTurns(x, unwrap(e.root), check)
		*v, *err = again, placed(x, fault)
	case *Error:
		clear(e.stack[:cap(e.stack)])
		copied := *p
		fault := &copied
		if again, other, ok := e.again(x, check); ok {
			*v, fault = again, other
		}
		*err = placed(x, fault)
	default:
		*err = broken(x, p)
	}
}

// codeBroken is the code of a mistake of ours, which ends the expression, not the program.
const codeBroken = "evaluation"

func broken(x *Expr, p any) *Error {
	return &Error{Code: codeBroken, Message: fmt.Sprint("the expression cannot be evaluated: ", p), End: len(x.ast.Source)}
}

// placed is a fault as an error: one without a place is about all of the expression.
func placed(x *Expr, fault *Error) error {
	if fault == nil {
		return nil
	}
	if fault.Start == 0 && fault.End == 0 {
		fault.End = len(x.ast.Source)
	}
	return fault
}
