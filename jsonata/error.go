package jsonata

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
)

// An Error is what is wrong with an expression, placed by byte offsets
// [Start, End) into its source text. For a JSON Logic rule, Pointer is the JSON
// Pointer of the offending value within the rule and the offsets are within
// that value when it is a string.
type Error struct {
	Code string // kebab slug, such as "syntax", "unknown-function", "too-long", "timeout"
	// Reference is the code that jsonata-js has for it, where that is another than Code:
	// "S0202" for a bracket that is not closed.
	Reference string
	Message   string // one lower-case sentence, no final period
	Hint      string // what to do, or ""
	Start     int
	End       int
	// CallStart and CallEnd enclose the call that the error happened in, at run time;
	// both are 0 outside of one.
	CallStart, CallEnd int

	Pointer string
	Edits   []diag.TextEdit // a mechanical repair, if one is known
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Position returns the 1-based line and column of the place in its source, columns
// counted in characters.
func (e *Error) Position(src string) (line, column int) {
	return position(src, e.Start)
}

// position returns the 1-based line and column of a byte offset, columns counted in
// characters.
func position(src string, offset int) (line, column int) {
	before := src[:min(max(offset, 0), len(src))]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

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
		if copied.Start == 0 && copied.End == 0 { // it is about all of the expression
			copied.End = len(x.ast.Source)
		}
		*err = &copied
		return
	}
	*err = broken(x, p)
}

// codeBroken is the code of a mistake of ours, which ends the expression, not the program.
const codeBroken = "evaluation"

func broken(x *Expr, p any) *Error {
	return &Error{Code: codeBroken, Message: fmt.Sprint("the expression cannot be evaluated: ", p), End: len(x.ast.Source)}
}
