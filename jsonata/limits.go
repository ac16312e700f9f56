package jsonata

import (
	"cmp"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Limits bound what one evaluation may cost. A zero field is its default.
type Limits struct {
	MaxSteps  int           // what is evaluated, called, compared and made, functions more for more work; 10,000,000
	MaxMemory int           // bytes of all values that are made, also of those that are dropped again; 256 MiB
	MaxCalls  int           // nested calls of functions, those at the end of a function aside; 20,000
	MaxBytes  int           // length of an expression that $eval compiles; 64 KiB
	MaxItems  int           // items of an array that a function makes; 2,000,000
	MaxRange  int           // items of all ranges that an evaluation makes; 10,000,000
	MaxResult int           // bytes of a string in the making, and of a result as JSON; 32 MiB
	Timeout   time.Duration // wall time, for a machine that is much slower than expected; 20 s, negative is without
}

const (
	// MaxSource is the largest expression, in bytes, unless Limits say otherwise.
	MaxSource = 64 << 10
	// DefaultMemory is how many bytes of values an evaluation makes unless Limits say otherwise.
	DefaultMemory = 256 << 20
	// DefaultTimeout is the wall time of an evaluation unless Limits say otherwise.
	DefaultTimeout = 20 * time.Second
	// maxLevels bounds the nesting of expressions in all calls, and so the stack.
	maxLevels = 400_000
	// longestRange is how many items one range may have, as in jsonata-js.
	longestRange = 10_000_000
	// maxValueDepth is how deep arrays and objects may nest in a value.
	maxValueDepth = 500
)

func (l Limits) withDefaults() Limits {
	l.MaxSteps = cmp.Or(l.MaxSteps, 10_000_000)
	l.MaxMemory = cmp.Or(l.MaxMemory, DefaultMemory)
	l.MaxCalls = cmp.Or(l.MaxCalls, 20_000)
	l.MaxBytes = cmp.Or(l.MaxBytes, MaxSource)
	l.MaxItems = cmp.Or(l.MaxItems, 2_000_000)
	l.MaxRange = cmp.Or(l.MaxRange, longestRange)
	l.MaxResult = cmp.Or(l.MaxResult, 32<<20)
	l.Timeout = cmp.Or(l.Timeout, DefaultTimeout)
	return l
}

func tooManySteps(limit int) *Error {
	return &Error{
		Code: "too-much-work", Message: fmt.Sprintf("the expression took more than %d steps", limit),
		Hint: "look for endless recursion, or for a range or filter inside another one over large data",
	}
}

func timedOut(limit time.Duration) *Error {
	return &Error{
		Code: "timeout", Message: fmt.Sprintf("the expression took longer than %v", limit),
		Hint: "look for endless recursion, or for a range or filter inside another one over large data",
	}
}

func outOfMemory(limit int64) *Error {
	return &Error{
		Code: diag.CodeTooMuchMemory, Message: "the expression took more than " + diag.Bytes(limit) + " of memory",
		Hint: "keep less at once: filter before mapping, and avoid ranges and strings that grow with every step",
	}
}

func tooBig(what string, limit int) *Error {
	return &Error{
		Code: "too-big", Message: what + " is longer than " + diag.Bytes(int64(limit)),
		Hint: "select the part that is needed before joining or repeating text",
	}
}

func tooMany(what string, limit int) *Error {
	return &Error{Code: "too-big", Message: fmt.Sprintf("%s has more than %d items", what, limit), Hint: "filter before combining"}
}

func rangesTooLong(limit int) *Error {
	return &Error{
		Code: "too-big", Message: fmt.Sprintf("the ranges of the expression have more than %d items in all", limit),
		Hint: "make a range once and keep it in a variable, or use smaller ones",
	}
}

func tooDeep() *Error {
	return &Error{
		Code: "too-deep", Message: fmt.Sprintf("the value is nested deeper than %d", maxValueDepth),
		Hint: "a function that wraps its own result in each step may have no end",
	}
}

// deep ends the evaluation for a value that nests deeper than a value may.
func (e *Evaluator) deep(depth int) {
	if depth > maxValueDepth {
		e.tooDeep()
	}
}

func (e *Evaluator) tooDeep() { e.stop(tooDeep()) }

func notFinite() *Error {
	return &Error{
		Code: "not-a-number", Message: "the result contains a number that is not finite",
		Hint: `a division by zero gives one; test the divisor first: b = 0 ? null : a / b`,
	}
}

// notFinite is the error for such a result, placed where the last such number came up.
func (e *Evaluator) notFinite() *Error {
	fault := notFinite()
	if e.infinite != nil {
		fault.Start, fault.End = e.infinite.Start, e.infinite.End
	}
	return fault
}

func notAValue() *Error {
	return &Error{
		Code: "function-result", Message: "the result is or contains a function, which is not a value",
		Hint: "call the function, with parentheses and its arguments: $now(), not $now",
	}
}
