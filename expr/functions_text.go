package expr

import (
	"encoding/json"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// maxPicture is the length of a picture of a number or date.
const maxPicture = 1000

// pictured is gnata's function of a name, whose strings may only be as long as
// pictures and what they show are.
func pictured(name string) function {
	call := original(name)
	return func(args []any, focus any, f frame) (any, error) {
		for _, a := range args {
			if s, ok := a.(string); ok && len(s) > maxPicture {
				return nil, guardOf(f).stop(tooBig("an argument of $"+name, maxPicture))
			}
		}
		if n := pictureSize(name, args); n > 0 {
			if err := guardOf(f).text(name, n); err != nil {
				return nil, err
			}
		}
		return call(args, focus, f)
	}
}

// bounded is gnata's function of a name, whose result can be growth times as
// long as its argument.
func bounded(name string, growth int) function {
	call := original(name)
	return func(args []any, focus any, f frame) (any, error) {
		for _, a := range args {
			if s, ok := a.(string); ok {
				if err := guardOf(f).text(name, growth*len(s)); err != nil {
					return nil, err
				}
			}
		}
		return call(args, focus, f)
	}
}

// stringOf is $string(value, prettify?).
func stringOf(args []any, focus any, f frame) (any, error) {
	v := focus
	if len(args) > 0 {
		v = args[0]
	}
	indent := ""
	switch {
	case len(args) > 2:
		return nil, fail("T0410", "$string takes at most two arguments, got %d", len(args))
	case len(args) == 2 && args[1] != nil:
		pretty, ok := args[1].(bool)
		if !ok {
			return nil, fail("T0410", "the second argument of $string says whether to indent, true or false; got %s", describeValue(args[1]))
		}
		if pretty {
			indent = "  "
		}
	}
	if v == nil || len(args) == 0 && isFunction(v) {
		return nil, nil
	}
	return textOf(guardOf(f), v, indent)
}

// textOf is v as & and $string write it: JSON, but a string is itself and a
// function is empty.
func textOf(g *guard, v any, indent string) (string, error) {
	switch w := v.(type) {
	case nil:
		return "", nil
	case string:
		return w, nil
	case float64:
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return "", fail("D3001", "a number that is not finite cannot become a string")
		}
		return formatNumber(w), nil
	case json.Number:
		return numberText(w), nil
	}
	if isFunction(v) {
		return "", nil
	}
	e := encoder{limit: g.limits.MaxResult, guard: g, loose: true, exact: true, indent: indent}
	if err := e.value(v, 0); err != nil {
		return "", g.stop(err)
	}
	return string(e.buf), nil
}

// numberText is a number that came as JSON: as it came, but without an
// exponent where JavaScript writes none.
func numberText(n json.Number) string {
	if f, err := n.Float64(); err == nil && strings.ContainsAny(string(n), "eE") {
		return formatNumber(f)
	}
	return string(n)
}

// formatBase is $formatBase(number, radix?). It rounds half to even, as $round does.
func formatBase(args []any, focus any, f frame) (any, error) {
	if n, ok := number(first(args)); ok {
		args = append([]any{math.RoundToEven(n)}, args[1:]...)
	}
	return originalFormatBase(args, focus, f)
}

var originalFormatBase = original("formatBase")

// join is $join(array, separator?).
func join(args []any, focus any, f frame) (any, error) {
	if len(args) > 0 {
		sep := ""
		if len(args) > 1 {
			sep, _ = args[1].(string)
		}
		items := asItems(args[0])
		n := len(sep) * len(items)
		for _, item := range items {
			s, _ := item.(string)
			n += len(s)
		}
		if err := guardOf(f).text("join", n); err != nil {
			return nil, err
		}
	}
	return originalJoin(args, focus, f)
}

var originalJoin = original("join")

// pad is $pad(string, width, characters?).
func pad(args []any, focus any, f frame) (any, error) {
	if len(args) < 2 || args[0] == nil {
		return originalPad(args, focus, f)
	}
	s, ok := args[0].(string)
	width, ok2 := number(args[1])
	if !ok || !ok2 {
		return originalPad(args, focus, f)
	}
	fill := " "
	if len(args) > 2 && args[2] != nil {
		c, ok := args[2].(string)
		if !ok {
			return originalPad(args, focus, f)
		}
		if c != "" {
			fill = c
		}
	}
	missing := math.Abs(width) - float64(utf8.RuneCountInString(s))
	if missing <= 0 {
		return s, nil
	}
	if err := guardOf(f).text("pad", int(min(missing, math.MaxInt32))*utf8.UTFMax); err != nil {
		return nil, err
	}
	runes := []rune(fill)
	var b strings.Builder
	for i := range int(missing) {
		b.WriteRune(runes[i%len(runes)])
	}
	if width > 0 {
		return s + b.String(), nil
	}
	return b.String() + s, nil
}

var originalPad = original("pad")

// evalText is $eval(expression, context?).
func evalText(args []any, focus any, f frame) (any, error) {
	if len(args) > 0 {
		if src, ok := args[0].(string); ok {
			g := guardOf(f)
			if err := jsonata.CheckSource(src, g.limits.MaxBytes); err != nil {
				return nil, g.stop(&jsonata.Error{Code: err.Code, Message: "in $eval: " + err.Message, Hint: err.Hint})
			}
			if err := g.spend(len(src)); err != nil {
				return nil, err
			}
			tree, fault := jsonata.Parse(src)
			if fault != nil {
				return nil, fail("D3120", "in $eval: %s", fault.Message)
			}
			text, fault := rewrite(tree, true)
			if fault != nil {
				return nil, fault
			}
			args = append([]any{text}, args[1:]...)
		}
	}
	return originalEval(args, focus, f)
}

var originalEval = original("eval")
