package expr

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// Errors of evaluation that are ours. Their codes are kebab slugs; errors of
// JSONata's own keep JSONata's code, such as T2001 or D3137.

func timedOut(limit time.Duration) *jsonata.Error {
	return &jsonata.Error{
		Code:    "timeout",
		Message: fmt.Sprintf("the expression took longer than %v", limit),
		Hint:    "look for endless recursion, or for a range or filter inside another one over large data",
	}
}

func outOfMemory(limit int64) *jsonata.Error {
	return &jsonata.Error{
		Code:    "too-much-memory",
		Message: "the expression took more than " + diag.Bytes(limit) + " of memory",
		Hint:    "keep less at once: filter before mapping, and avoid ranges and strings that grow with every step",
	}
}

func tooBig(what string, limit int) *jsonata.Error {
	return &jsonata.Error{
		Code:    "too-big",
		Message: what + " is longer than " + diag.Bytes(int64(limit)),
		Hint:    "select the part that is needed before joining or repeating text",
	}
}

func tooMany(what string, limit int) *jsonata.Error {
	return &jsonata.Error{
		Code:    "too-big",
		Message: fmt.Sprintf("%s has more than %d items", what, limit),
		Hint:    "filter before combining",
	}
}

func rangesTooLong(limit int) *jsonata.Error {
	return &jsonata.Error{
		Code:    "too-big",
		Message: fmt.Sprintf("the ranges of the expression have more than %d items in all", limit),
		Hint:    "make a range once and keep it in a variable, or use smaller ones",
	}
}

func tooDeep() *jsonata.Error {
	return &jsonata.Error{
		Code:    "too-deep",
		Message: fmt.Sprintf("the value is nested deeper than %d", maxValueDepth),
		Hint:    "a function that wraps its own result in each step may have no end",
	}
}

func notFinite() *jsonata.Error {
	return &jsonata.Error{
		Code:    "not-a-number",
		Message: "the result contains a number that is not finite",
		Hint:    `a division by zero gives one; test the divisor first: b = 0 ? null : a / b`,
	}
}

func notAValue() *jsonata.Error {
	return &jsonata.Error{
		Code:    "function-result",
		Message: "the result is or contains a function, which is not a value",
		Hint:    "call the function, with parentheses and its arguments: $now(), not $now",
	}
}

// bare are JSONata's words for the codes that gnata gives without any.
var bare = map[string]string{
	"D1001": "a number is out of range",
	"D1009": "two keys of the object are the same",
	"D3001": "a number that is not finite cannot become a string",
	"T0410": "an argument does not match what the function takes",
	"T0412": "an argument must be an array of one type",
	"T1003": "a key of an object must be a string",
	"T1006": "the called value is not a function",
	"T2001": "the operands of an arithmetic operator must be numbers",
	"U1001": "the expression calls itself too often",
	"S0201": "syntax error",
	"S0202": "syntax error: something else was expected here",
	"S0203": "the expression ends too early",
	"S0211": "something is missing before or after an operator",
	"S0213": "a literal cannot be a step of a path",
}

var hints = map[string]string{
	"T1005": "write the $ before the name of a function: $sum(…)",
	"T1006": "check the spelling of the function's name after the $",
	"T2001": "convert with $number(…), or join text with & instead of +",
	"T2002": "convert with $number(…), or give a default: (value ? value : 0)",
	"T0410": "convert it with $string(…) or $number(…), or test it with $type(…) before",
	"T0412": "an item of another type is among them: convert with $number(…) or $string(…), or filter the array before",
	"D3030": "test the text before it is converted, as in $match(x, /^[0-9.]+$/) ? $number(x) : 0",
	"T2003": "convert with $number(…)",
	"T2004": "convert with $number(…)",
	"T1003": "convert the key with $string(…)",
	"T2009": "convert one side with $number(…) or $string(…)",
	"T2010": "only numbers and strings can be compared with <, <=, > and >=; use $exists(…) to test whether something is there",
	"U1001": "give the recursion an end, or put the recursive call last, where it takes no stack",
	"D1009": "merge the objects with $merge, or use each key once",
	"D2014": "use a smaller range",
}

var (
	coded  = regexp.MustCompile(`^([A-Z]\d{4})(?:: )?`)
	goType = regexp.MustCompile(`\*?(?:evaluator\.|json\.|map\[string\]|\[\])[A-Za-z]+(?:\s?\{\})?|\bfloat64\b|\binterface \{\}`)
)

// bareType finds Go's names of types that are words as well.
var bareType = regexp.MustCompile(`(got |function: )(string|bool)$`)

// explain turns an error of gnata into one an author can read. The place is the
// whole expression: gnata does not say more. A message can have a text that the
// expression made, so its length is bounded.
func explain(err error, src string) *jsonata.Error {
	e := worded(err, src)
	e.Message = diag.Brief(e.Message)
	return e
}

func worded(err error, src string) *jsonata.Error {
	if ours, ok := errors.AsType[*jsonata.Error](err); ok {
		e := *ours
		if e.Start == 0 && e.End == 0 {
			e.End = len(src)
		}
		return &e
	}
	text := err.Error()
	e := &jsonata.Error{Code: "evaluation", Message: text, End: len(src)}
	if m := coded.FindStringSubmatch(text); m != nil {
		e.Code, e.Message = m[1], strings.TrimPrefix(text, m[0])
		if e.Message == "" {
			e.Message = bare[e.Code]
		}
		if e.Message == "" {
			e.Message = "the expression failed with JSONata's error " + e.Code
		}
		e.Hint = hints[e.Code]
	}
	if e.Code == "D3137" || e.Code == "D3141" {
		return e // the author's own words, or a regular expression's
	}
	e.Message = goType.ReplaceAllStringFunc(e.Message, typeName)
	e.Message = bareType.ReplaceAllString(e.Message, "${1}a $2")
	return e
}

// typeName is the author's word for a Go type in a message of gnata's.
func typeName(t string) string {
	switch {
	case strings.HasSuffix(t, "jsonNullType"):
		return "null"
	case t == "float64" || strings.HasSuffix(t, "Number"):
		return "a number"
	case strings.HasPrefix(t, "[]") || strings.HasSuffix(t, "Sequence"):
		return "an array"
	case strings.HasPrefix(t, "map") || strings.HasSuffix(t, "OrderedMap"):
		return "an object"
	case strings.HasPrefix(t, "*evaluator.") || strings.HasPrefix(t, "evaluator."):
		return "a function"
	}
	return t
}
