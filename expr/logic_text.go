package expr

import (
	"math"
	"strings"
	"unicode/utf16"
)

// The operators that make text.

func cat(args []term) term {
	return func(r *ruleRun, at place) (any, error) {
		var b strings.Builder
		for _, t := range args {
			v, err := r.read(t, at)
			if err != nil {
				return nil, err
			}
			text := toText(v)
			if v == nil || IsNull(v) {
				text = ""
			}
			if err := r.scope.evaluator.Room("the result of cat", b.Len()+len(text)); err != nil {
				return nil, err
			}
			b.WriteString(text)
		}
		return b.String(), r.scope.evaluator.Alloc(b.Len())
	}
}

// substr counts UTF-16 units, as JavaScript does.
func substr(args []term) term {
	return func(r *ruleRun, at place) (any, error) {
		v, err := r.all(args, at, (*ruleRun).read)
		if err != nil {
			return nil, err
		}
		v = append(v, nil, nil, nil)
		text := toText(v[0])
		if err := r.scope.evaluator.Check(len(text) >> 4); err != nil {
			return nil, err
		}
		part := unitsOf(text, v[1], v[2])
		return part, r.scope.evaluator.Alloc(len(part))
	}
}

// unitsOf returns a part of a text, in UTF-16 units.
func unitsOf(text string, from, length any) string {
	units := utf16.Encode([]rune(text))
	start := clampIndex(toNumber(from))
	if start < 0 {
		start = max(0, len(units)+start)
	}
	units = units[min(start, len(units)):]
	if length != nil {
		if n := clampIndex(toNumber(length)); n < 0 {
			units = units[:max(0, len(units)+n)]
		} else {
			units = units[:min(n, len(units))]
		}
	}
	return string(utf16.Decode(units))
}

// clampIndex is a number as an index, NaN as 0.
func clampIndex(f float64) int {
	if math.IsNaN(f) {
		return 0
	}
	return int(min(max(f, -1<<31), 1<<31))
}
