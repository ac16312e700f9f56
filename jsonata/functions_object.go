package jsonata

import "slices"

func callKeys(e *Evaluator, args []any) any {
	var found []any
	switch v := args[0].(type) {
	case *Object:
		found = make([]any, 0, len(v.keys)+1)
		for _, key := range v.keys {
			found = append(found, any(key))
		}
	case []any:
		seen := map[string]bool{}
		e.keysInto(seen, &found, v, 0)
	}
	e.allocItems(len(found))
	e.steps(len(found) >> 2)
	return marked(found, sequence)
}

func (e *Evaluator) keysInto(seen map[string]bool, found *[]any, items []any, depth int) {
	e.deep(depth)
	for _, item := range items {
		e.step()
		switch v := item.(type) {
		case []any:
			e.keysInto(seen, found, v, depth+1)
		case *Object:
			for _, key := range v.keys {
				if e.step(); !seen[key] {
					seen[key] = true
					*found = append(*found, any(key))
				}
			}
		}
	}
}

func callLookup(e *Evaluator, args []any) any {
	key, ok := args[1].(string)
	if !ok {
		return nil
	}
	switch v := args[0].(type) {
	case *Object:
		found, _ := v.Get(key)
		return found
	case []any:
		found := e.lookupInto(nil, v, key, 0)
		e.allocItems(len(found))
		return marked(found, sequence)
	}
	return nil
}

func callMerge(e *Evaluator, args []any) any {
	out := NewObject().built()
	for _, item := range listItems(args[0]) {
		o, ok := item.(*Object)
		if !ok {
			continue
		}
		for i, key := range o.keys {
			e.step()
			e.alloc(48)
			out.Set(key, o.vals[i])
		}
	}
	return out
}

func callSpread(e *Evaluator, args []any) any {
	switch v := args[0].(type) {
	case *Object:
		return marked(e.spreadInto(nil, v, 0), sequence)
	case []any: // no sequence, unless there is nothing in it
		found := e.spreadInto([]any{}, v, 0)
		if slices.ContainsFunc(v, func(item any) bool { return item != nil }) {
			return found
		}
		return emptySequence
	}
	return args[0]
}

func (e *Evaluator) spreadInto(found []any, v any, depth int) []any {
	e.deep(depth)
	switch w := v.(type) {
	case nil: // in an array
	case []any:
		for _, item := range w {
			e.step()
			found = e.spreadInto(found, item, depth+1)
		}
	case *Object:
		for i := range w.keys {
			e.step()
			e.alloc(112)
			found = append(found, any(objectFrom(w.keys[i:i+1], []any{w.vals[i]}, &builtMark)))
		}
	default:
		found = append(found, v)
	}
	return found
}

// pairs calls a function for each pair of an object.
func (e *Evaluator) pairs(v any, f func(key string, value any)) {
	if list, ok := v.([]any); ok {
		for i, item := range list {
			f(string(appendFloat(nil, float64(i))), item)
		}
		return
	}
	o, ok := v.(*Object)
	if !ok {
		return
	}
	for i, key := range o.keys {
		f(key, o.vals[i])
	}
}

func callEach(e *Evaluator, args []any) any {
	fn, _ := args[1].(*Function)
	var found []any
	o := args[0]
	e.pairs(o, func(key string, value any) {
		if v := e.give(fn, value, key, o); v != nil {
			found = append(found, v)
		}
	})
	e.allocItems(len(found))
	return marked(found, sequence)
}

func callSift(e *Evaluator, args []any) any {
	fn, ok := args[1].(*Function)
	if o, isObject := args[0].(*Object); !ok && isObject && o.Len() > 0 {
		e.bad(1, "T0410", "$sift: argument 2 must be a function, got %s", describe(args[1]))
	}
	out := NewObject().built()
	o := args[0]
	e.pairs(o, func(key string, value any) {
		if e.truthAt(e.give(fn, value, key, o), 0) {
			e.alloc(48)
			out.Set(key, value)
		}
	})
	if out.Len() == 0 {
		return nil
	}
	return out
}

// give calls a function with a value, and with what it is of if it takes more.
func (e *Evaluator) give(fn *Function, value, at, all any) any {
	base := len(e.stack)
	e.stack = append(e.stack, value)
	if fn.arity >= 2 {
		e.stack = append(e.stack, at)
	}
	if fn.arity >= 3 {
		e.stack = append(e.stack, all)
	}
	return e.invokeStack(fn, e.call.node, null{}, base)
}

func callMap(e *Evaluator, args []any) any {
	list, fn := listItems(args[0]), args[1].(*Function)
	e.makes("$map", len(list))
	out := make([]any, 0, len(list)+1)
	all := args[0]
	for i, item := range list {
		if v := e.give(fn, item, boxInt(i), all); v != nil {
			out = append(out, v)
		}
	}
	return marked(out, sequence)
}

func callFilter(e *Evaluator, args []any) any {
	list, fn := listItems(args[0]), args[1].(*Function)
	var out []any
	all := args[0]
	e.allocItems(0)
	for i, item := range list {
		if e.truthAt(e.give(fn, item, boxInt(i), all), 0) {
			e.grows("$filter", len(out))
			out = append(out, item)
		}
	}
	return marked(out, sequence)
}

func callSingle(e *Evaluator, args []any) any {
	fn, _ := args[1].(*Function)
	var found any
	seen := false
	all := args[0]
	for i, item := range listItems(args[0]) {
		e.step()
		if fn != nil && !e.truthAt(e.give(fn, item, boxInt(i), all), 0) {
			continue
		}
		if seen {
			e.bad(0, "D3138", "$single found more than one item")
		}
		found, seen = item, true
	}
	if !seen {
		e.bad(0, "D3139", "$single found no item")
	}
	return found
}

func callReduce(e *Evaluator, args []any) any {
	list, fn := listItems(args[0]), args[1].(*Function)
	if fn.arity < 2 {
		e.bad(1, "D3050", "the function given to $reduce must take at least two arguments")
	}
	result, from := args[2], 0
	if result == nil && len(list) > 0 {
		result, from = list[0], 1
	}
	all := args[0]
	for i := from; i < len(list); i++ {
		base := len(e.stack)
		e.stack = append(e.stack, result, list[i])
		if fn.arity >= 3 {
			e.stack = append(e.stack, boxInt(i))
		}
		if fn.arity >= 4 {
			e.stack = append(e.stack, all)
		}
		result = e.invokeStack(fn, e.call.node, null{}, base)
	}
	return result
}

func callError(e *Evaluator, args []any) any {
	message, _ := args[0].(string)
	if message == "" {
		message = "$error() was called"
	}
	panic(e.about(e.fault(e.call.node, "D3137", message)))
}

func callAssert(e *Evaluator, args []any) any {
	if holds, _ := args[0].(bool); !holds {
		message, _ := args[1].(string)
		if message == "" {
			message = "$assert() failed"
		}
		panic(e.about(e.fault(e.argument(0), "D3141", message)))
	}
	return nil
}
