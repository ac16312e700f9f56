package expr

import (
	"math"
)

// checkEvery is how many items are made between two looks at the limits.
const checkEvery = 512

// longestRange is how many items one range may have, as in jsonata-js.
const longestRange = 10_000_000

// rangeItems implements a..b: all ranges of an evaluation share one allowance, and
// the making of each can be interrupted.
func rangeItems(args []any, _ any, f frame) (any, error) {
	from, err := rangeEnd(args[0], "T2003", "from")
	if err != nil {
		return nil, err
	}
	to, err := rangeEnd(args[1], "T2004", "to")
	if err != nil || args[0] == nil || args[1] == nil || from > to {
		return nil, err
	}
	if to-from >= longestRange {
		return nil, fail("D2014", "a range has at most %d items; this one is from %s to %s", longestRange, describeValue(args[0]), describeValue(args[1]))
	}
	n := int(to-from) + 1
	g := guardOf(f)
	if g.ranged += n; g.ranged > g.limits.MaxRange {
		return nil, g.stop(rangesTooLong(g.limits.MaxRange))
	}
	if n > watchItems {
		if err := g.watch(); err != nil {
			return nil, g.stop(err)
		}
	}
	items := make([]any, n)
	for i := range items {
		if i%checkEvery == 0 {
			if err := g.check(); err != nil {
				return nil, err
			}
		}
		items[i] = from + float64(i)
	}
	return items, nil
}

// wholeSpan is what an array becomes that is one range and no more: no copy is
// made of it.
func wholeSpan(args []any, focus any, f frame) (any, error) {
	v, err := rangeItems(args, focus, f)
	if v == nil && err == nil {
		return []any{}, nil
	}
	return v, err
}

// rangeEnd returns the number that a range is to begin or end with, or 0 for
// undefined.
func rangeEnd(v any, code, side string) (float64, error) {
	if v == nil {
		return 0, nil
	}
	n, ok := number(v)
	if !ok || n != math.Trunc(n) {
		return 0, fail(code, "what a range goes %s must be a whole number, got %s", side, describeValue(v))
	}
	return n, nil
}
