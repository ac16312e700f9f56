package jsonata

import (
	"slices"
	"strings"
)

// In jsonata-js, "[]" leaves a property in the array that it finds, which may be a part of
// the input, and "*", $each and $sift find it there. Here arrays are shared and do not
// change: the evaluation knows by their place in memory which of them have it.

// showsProperties reports whether an expression may find the properties of an array.
func showsProperties(src string) bool {
	return strings.IndexByte(src, '*') >= 0 || strings.Contains(src, "each") || strings.Contains(src, "sift") || strings.Contains(src, "eval")
}

// noting notes the sequences that "[]" finds.
func noting(run code) code {
	return func(e *Evaluator, f *frame, in any) any {
		v := run(e, f, in)
		if list, ok := v.([]any); ok && len(list) > 1 && isSequence(list) {
			e.keep(list)
		}
		return v
	}
}

// keep notes that "[]" has found an array.
func (e *Evaluator) keep(items []any) {
	if cap(items) == 0 || markOf(items) == keptSequence {
		return
	}
	if e.kept == nil {
		e.kept = map[*any]struct{}{}
	}
	e.alloc(48)
	e.kept[&items[:1][0]] = struct{}{}
}

// properties are what an array has besides its items in jsonata-js.
func (e *Evaluator) properties(items []any) []string {
	mark := markOf(items)
	names := mark.properties()
	if len(e.kept) == 0 || cap(items) == 0 || mark == keptSequence {
		return names
	}
	if _, ok := e.kept[&items[:1][0]]; ok {
		names = append(slices.Clip(names), "keepSingleton")
	}
	return names
}
