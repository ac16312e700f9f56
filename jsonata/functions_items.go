package jsonata

import (
	"encoding/json"
	"slices"
)

func callAppend(e *Evaluator, args []any) any {
	if n := len(listItems(args[0])) + len(listItems(args[1])); n > e.limits.MaxItems {
		e.stop(tooMany("the result of $append", e.limits.MaxItems))
	}
	return e.append(args[0], args[1])
}

func callCount(_ *Evaluator, args []any) any { return boxInt(len(listItems(args[0]))) }

func callExists(_ *Evaluator, args []any) any { return args[0] != nil }

func callBoolean(e *Evaluator, args []any) any {
	v := args[0]
	for { // an array of one item counts as the item, which may be undefined
		one, ok := v.([]any)
		if !ok || len(one) != 1 {
			break
		}
		e.step()
		v = one[0]
	}
	if v == nil {
		return nil
	}
	return e.truthAt(v, 0)
}

func callNot(e *Evaluator, args []any) any {
	return !e.truthAt(args[0], 0)
}

func callTypeName(e *Evaluator, args []any) any {
	switch x, ok := args[0].(float64); {
	case ok && x != x:
		return "object" // as in jsonata-js, where NaN is nothing else
	case ok && x-x != 0:
		e.bad(0, "D1001", "a number is out of range")
	}
	return Type(args[0])
}

// callClone is $clone(value). As in jsonata-js, numbers have the digits that $string writes.
func callClone(e *Evaluator, args []any) any { return e.deepCopy(unwrap(args[0]), 0) }

func callReverse(e *Evaluator, args []any) any {
	list, ok := args[0].([]any)
	if !ok || len(list) <= 1 {
		return args[0]
	}
	e.makes("$reverse", len(list))
	out := slices.Clone(list)
	slices.Reverse(out)
	return out
}

// makes counts the memory of an array of n items that a function makes, and ends the
// evaluation if they are too many. It is called before the array is made.
func (e *Evaluator) makes(name string, n int) {
	if n > e.limits.MaxItems {
		e.stop(tooMany("the result of "+name, e.limits.MaxItems))
	}
	e.allocItems(n)
}

// grows counts a further item of an array that has n, as makes does.
func (e *Evaluator) grows(name string, n int) {
	if n >= e.limits.MaxItems {
		e.stop(tooMany("the result of "+name, e.limits.MaxItems))
	}
	e.alloc(16)
}

// callZip is $zip(array, …).
func callZip(e *Evaluator, args []any) any {
	n := -1
	for _, arg := range args {
		if k := len(listItems(arg)); n < 0 || k < n {
			n = k
		}
	}
	n = max(n, 0)
	if n*len(args) > e.limits.MaxItems {
		e.stop(tooMany("the result of $zip", e.limits.MaxItems))
	}
	e.alloc(n * (40 + 16*len(args)))
	out := make([]any, n)
	for i := range out {
		e.steps(1 + len(args)>>2)
		row := make([]any, len(args))
		for j, arg := range args {
			row[j] = listItems(arg)[i]
		}
		out[i] = row
	}
	return out
}

// callFlatten is $flatten(array, depth?).
func callFlatten(e *Evaluator, args []any) any {
	depth := maxValueDepth
	if args[1] != nil {
		n, ok := e.integer(args[1])
		if !ok {
			e.bad(1, "T0410", "the second argument of $flatten is how deep to flatten, a whole number; got %s", describe(args[1]))
		}
		if n >= 0 {
			depth = min(n, depth)
		}
	}
	var out []any
	var walk func(items []any, depth int)
	walk = func(items []any, depth int) {
		for _, item := range items {
			e.step()
			if nested, ok := item.([]any); ok && depth > 0 {
				walk(nested, depth-1)
				continue
			}
			e.grows("$flatten", len(out))
			out = append(out, item)
		}
	}
	e.allocItems(0)
	walk(listItems(args[0]), depth)
	return gathered(out)
}

// callDistinct is $distinct(array), in linear time.
func callDistinct(e *Evaluator, args []any) any {
	items, ok := args[0].([]any)
	if !ok || len(items) <= 1 {
		return args[0]
	}
	seen := values{keyer: keyer{e: e}}
	var out []any
	for _, item := range items {
		if bytes, first := seen.add(item); first {
			e.steps(newValueSteps)
			e.alloc(64 + bytes)
			e.grows("$distinct", len(out))
			out = append(out, item)
		}
	}
	if isSequence(items) {
		return marked(gathered(out), sequence)
	}
	return gathered(out)
}

// callSort is $sort(array, function?).
func callSort(e *Evaluator, args []any) any {
	list := listItems(args[0])
	if len(list) <= 1 {
		return args[0]
	}
	e.makes("$sort", len(list))
	e.allocItems(len(list))
	items, space := slices.Clone(list), make([]any, len(list))
	return e.sorted(items, space, args[1])
}

// sorted sorts the items of $sort.
func (e *Evaluator) sorted(items, space []any, by any) any {
	if fn, ok := by.(*Function); ok {
		node := e.call.node
		return mergeSort(e, items, space, func(a, b *any) bool {
			after := e.invoke(fn, node, *a, *b)
			if n, ok := after.(json.Number); ok {
				e.stepsOfDigits(n)
			}
			return Truthy(after) // as JavaScript tests it
		})
	}
	types := valueKind(items[0])
	for _, item := range items {
		types |= valueKind(item)
	}
	switch types {
	case typeNumber:
		return mergeSort(e, items, space, func(a, b *any) bool {
			x, _ := e.number(*a)
			y, _ := e.number(*b)
			return x > y || x == y && e.orderOfDigits(*a, *b) > 0
		})
	case typeString:
		return mergeSort(e, items, space, func(a, b *any) bool {
			return e.compareTexts((*a).(string), (*b).(string)) > 0
		})
	}
	e.bad(0, "D3070", "$sort without a function takes only numbers or only strings")
	return nil
}
