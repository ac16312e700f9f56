package expr

import (
	"math/rand/v2"
	"slices"
	"sync"
)

// The functions that answer differently each time, and can be frozen.

// now is $now(picture?, timezone?).
func now(args []any, focus any, f frame) (any, error) {
	ms := float64(guardOf(f).scope.clock().UnixMilli())
	return pictured("fromMillis")(append([]any{ms}, args...), focus, f)
}

// millis is $millis().
func millis(_ []any, _ any, f frame) (any, error) {
	return float64(guardOf(f).scope.clock().UnixMilli()), nil
}

// random is $random(), at least 0 and less than 1.
func random(_ []any, _ any, f frame) (any, error) {
	if r := guardOf(f).scope.draw(); r != nil {
		return r.Float64(), nil
	}
	return rand.Float64(), nil
}

// shuffle is $shuffle(array).
func shuffle(args []any, _ any, f frame) (any, error) {
	if len(args) == 0 || args[0] == nil {
		return nil, nil
	}
	items := slices.Clone(asItems(args[0]))
	swap := func(i, j int) { items[i], items[j] = items[j], items[i] }
	if r := guardOf(f).scope.draw(); r != nil {
		r.Shuffle(len(items), swap)
	} else {
		rand.Shuffle(len(items), swap)
	}
	return items, nil
}

// original returns gnata's own function of a name.
func original(name string) function {
	find := sync.OnceValue(func() function { return natives().original(name) })
	return func(args []any, focus any, f frame) (any, error) { return find()(args, focus, f) }
}
