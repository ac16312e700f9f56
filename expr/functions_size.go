package expr

import (
	"reflect"
	"strings"
	"unsafe"
)

// concat is what the & operator becomes.
func concat(args []any, _ any, f frame) (any, error) {
	g := guardOf(f)
	if len(args) == 2 {
		a, ok := args[0].(string)
		b, ok2 := args[1].(string)
		if ok && ok2 {
			if err := g.text("concat", len(a)+len(b)); err != nil {
				return nil, err
			}
			return a + b, nil
		}
	}
	var b strings.Builder
	for _, v := range args {
		if v == nil {
			continue
		}
		text, err := textOf(g, v, "")
		if err != nil {
			return nil, err
		}
		if err := g.text("concat", b.Len()+len(text)); err != nil {
			return nil, err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// boundedValue returns its argument, or fails when that is too large to become part
// of another value.
func boundedValue(args []any, _ any, f frame) (any, error) {
	v := first(args)
	g := guardOf(f)
	if _, err := g.measure(v, 0); err != nil {
		return nil, g.stop(err)
	}
	if _, ok := natives().items(v); ok {
		// A call collapses the sequence it returns; the operand was none.
		return natives().values([]any{v}), nil
	}
	return v, nil
}

// part returns its argument, or fails when that has too many items to be copied into
// an array.
func part(args []any, _ any, f frame) (any, error) {
	v := first(args)
	items, ok := v.([]any)
	sequence := false
	if !ok {
		switch v.(type) {
		case nil, string, bool, float64, Object:
			return v, nil
		}
		items, sequence = natives().items(v)
	}
	if len(items) > watchItems {
		if err := guardOf(f).copies(len(items)); err != nil {
			return nil, err
		}
	}
	if sequence {
		return natives().values([]any{v}), nil // see boundedValue
	}
	return v, nil
}

// boundedPartValue is boundedValue and part.
func boundedPartValue(args []any, focus any, f frame) (any, error) {
	if _, err := part(args, focus, f); err != nil {
		return nil, err
	}
	return boundedValue(args, focus, f)
}

// copies counts n items that are copied into an array.
func (g *guard) copies(n int) error {
	if n > g.limits.MaxItems {
		return g.stop(tooMany("an array that becomes part of another", g.limits.MaxItems))
	}
	if g.ranged += n; g.ranged > g.limits.MaxRange {
		return g.stop(tooMany("what becomes part of arrays", g.limits.MaxRange))
	}
	if err := g.watch(); err != nil {
		return g.stop(err)
	}
	return g.check()
}

// kept is what [] after a predicate becomes: what is left, as an array.
func kept(args []any, _ any, _ frame) (any, error) {
	switch v := first(args).(type) {
	case nil, []any:
		return v, nil
	default:
		if items, ok := natives().items(v); ok {
			if len(items) == 0 {
				return nil, nil
			}
			return items, nil
		}
		return []any{v}, nil
	}
}

// maxValueNodes is how many values a value may consist of, each counted as
// often as it occurs.
const maxValueNodes = 4_000_000

// An extent is the size of a value as a tree.
type extent struct{ nodes, depth int }

// A measured is a composite value whose extent is known. It holds the value so
// that its address stays its own.
type measured struct {
	at    unsafe.Pointer
	n     int
	value any
	extent
}

// measure returns the extent of v. The last few it measured it remembers, as a
// recursive function passes the same values on and on.
func (g *guard) measure(v any, depth int) (extent, error) {
	if depth > maxValueDepth {
		return extent{}, tooDeep()
	}
	var at unsafe.Pointer
	var n int
	switch w := v.(type) {
	case nil, string, bool, float64:
		return extent{1, 0}, nil
	case []any:
		at, n = unsafe.Pointer(unsafe.SliceData(w)), len(w)
	case Object:
		at, n = reflect.ValueOf(v).UnsafePointer(), w.Len()
	default:
		items, ok := natives().items(v)
		if !ok {
			return extent{1, 0}, nil
		}
		v, at, n = items, unsafe.Pointer(unsafe.SliceData(items)), len(items)
	}
	if n == 0 {
		return extent{1, 1}, nil
	}
	if n > watchItems {
		if err := g.check(); err != nil {
			return extent{}, err
		}
	}
	if g.known == nil {
		g.known = new([64]measured)
	}
	slot := &g.known[(uintptr(at)>>4^uintptr(at)>>10)%uintptr(len(g.known))]
	if slot.at == at && slot.n == n {
		return slot.extent, nil
	}
	total := extent{1, 0}
	add := func(child any) error {
		e, err := g.measure(child, depth+1)
		total.nodes += e.nodes
		total.depth = max(total.depth, e.depth)
		if err == nil && total.nodes > maxValueNodes {
			err = tooMany("a value, with all that is in it,", maxValueNodes)
		}
		return err
	}
	if w, ok := v.([]any); ok {
		for _, child := range w {
			if err := add(child); err != nil {
				return total, err
			}
		}
	} else {
		w := v.(Object)
		for _, k := range w.Keys() {
			child, _ := w.Get(k)
			if err := add(child); err != nil {
				return total, err
			}
		}
	}
	if total.depth++; total.depth > maxValueDepth {
		return total, tooDeep()
	}
	*slot = measured{at, n, v, total}
	return total, nil
}
