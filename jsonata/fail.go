package jsonata

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
)

// fail ends what is evaluated with an error in JSONata's own terms, placed at n. It
// does not return.
func (e *Evaluator) fail(n *Node, code, format string, args ...any) {
	fault := e.fault(n, code, fmt.Sprintf(format, args...))
	if call := e.running(); call != nil {
		fault.CallStart, fault.CallEnd = call.Start, call.End
	}
	panic(fault)
}

// running is the innermost call that runs, or nil.
func (e *Evaluator) running() *Node {
	if e.call.node != nil && (int(e.call.depth) == e.depth || e.site == nil) {
		return e.call.node
	}
	return e.site
}

func (e *Evaluator) fault(n *Node, code, message string) *Error {
	fault := &Error{Code: code, Message: diag.Brief(message), Hint: hints[code]}
	if n != nil {
		fault.Start, fault.End = n.Start, n.End
	}
	return fault
}

// stop ends the evaluation for good: no function catches it.
func (e *Evaluator) stop(fault *Error) {
	fault.Message = diag.Brief(fault.Message)
	if n := e.running(); n != nil && fault.End == 0 {
		fault.Start, fault.End, fault.CallStart, fault.CallEnd = n.Start, n.End, n.Start, n.End
	}
	e.stopped = fault
	panic(fault)
}

// bad ends a native function with an error about its i-th argument, from 0.
func (e *Evaluator) bad(i int, code, format string, args ...any) {
	panic(e.about(e.fault(e.argument(i), code, fmt.Sprintf(format, args...))))
}

// about adds the call that runs to a fault.
func (e *Evaluator) about(fault *Error) *Error {
	if n := e.call.node; n != nil {
		fault.CallStart, fault.CallEnd = n.Start, n.End
	}
	return fault
}

// argument is the node of the i-th argument of the native function that runs, or of its
// call.
func (e *Evaluator) argument(i int) *Node {
	n := e.call.node
	switch {
	case n != nil && n.Kind == KindApply && i == 0:
		return n.Args[0]
	case n == nil || n.Kind != KindCall:
		return n
	}
	if e.call.lead {
		i--
	}
	if i -= int(e.call.moved); i >= 0 && i+1 < len(n.Args) {
		return n.Args[i+1]
	}
	return n
}

// hints say what to do about the errors of a code.
var hints = map[string]string{
	"T1005":     "write the $ before the name of a function: $sum(…)",
	"T1006":     "check the spelling of the function's name after the $",
	"T2001":     "convert with $number(…), or join text with & instead of +",
	"T2002":     "convert with $number(…), or give a default: (value ? value : 0)",
	"T0410":     "convert it with $string(…) or $number(…), or test it with $type(…) before",
	"T0412":     "an item of another type is among them: convert with $number(…) or $string(…), or filter the array before",
	"D1002":     "convert with $number(…)",
	"D3030":     "test the text before it is converted, as in $match(x, /^[0-9.]+$/) ? $number(x) : 0",
	"T2003":     "convert with $number(…)",
	"T2004":     "convert with $number(…)",
	"T1003":     "convert the key with $string(…)",
	"T2009":     "convert one side with $number(…) or $string(…)",
	"T2010":     "only numbers and strings can be compared with <, <=, > and >=; use $exists(…) to test whether something is there",
	"U1001":     "give the recursion an end, or put the recursive call last, where it takes no stack",
	"D1009":     "merge the objects with $merge, or use each key once",
	"not-utf-8": "bytes that are not text stay as base64: pass the text on as it is",
	"D2014":     "use a smaller range",
}
