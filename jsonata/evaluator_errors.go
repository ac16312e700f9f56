package jsonata

import "fmt"

// rescue makes an error of what an evaluation panicked with.
func (e *Evaluator) rescue(x *Expr, err *error) {
	p := recover()
	if p == nil {
		return
	}
	e.current = nil
	if fault, ok := p.(*Error); ok {
		clear(e.stack[:cap(e.stack)])
		copied := *fault
		*err = placed(x, &copied)
		return
	}
	*err = broken(x, p)
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
