package jsonata

import "slices"

// name compiles the field of a name.
func (c *compiler) name(key string) code {
	return func(e *Evaluator, _ *frame, in any) any {
		switch w := in.(type) {
		case *Object:
			if i := w.find(key); i >= 0 {
				return w.vals[i]
			}
		case []any:
			return e.lookup(w, key)
		}
		return nil
	}
}

// keptName is the field of a name that is written with []: of an array it is an array.
func keptName(key string) code {
	return func(e *Evaluator, _ *frame, in any) any {
		switch w := in.(type) {
		case *Object:
			found, _ := w.Get(key)
			return found
		case []any:
			return collapseItems(e.lookupInto(nil, w, key, 0), true)
		}
		return nil
	}
}

// lookup is the field of every object in an array, and in the arrays in it.
func (e *Evaluator) lookup(items []any, key string) any {
	return collapseItems(e.lookupInto(nil, items, key, 0), false)
}

func (e *Evaluator) lookupInto(found, items []any, key string, depth int) []any {
	e.deep(depth)
	for _, item := range items {
		e.step()
		switch w := item.(type) {
		case *Object:
			i := w.find(key)
			if i < 0 || w.vals[i] == nil {
				continue
			}
			if list, ok := w.vals[i].([]any); ok {
				e.allocItems(len(list))
				found = append(found, list...)
			} else {
				found = append(found, w.vals[i])
			}
		case []any:
			found = e.lookupInto(found, w, key, depth+1)
		}
	}
	return found
}

// names compiles a path of nothing but names, or of a variable and names.
func (c *compiler) names(n *Node) code {
	steps := n.Args
	var root code
	if steps[0].Kind == KindVariable {
		root, steps = c.variable(steps[0]), steps[1:]
	}
	switch {
	case root != nil && len(steps) == 1:
		key := steps[0].Text
		return func(e *Evaluator, f *frame, in any) any {
			e.step()
			v := root(e, f, in)
			if o, ok := v.(*Object); ok {
				if i := o.find(key); i >= 0 {
					return last(o.vals[i])
				}
				return nil
			}
			return follow(e, v, steps)
		}
	case root != nil:
		cost := nodeCost(n)
		return func(e *Evaluator, f *frame, in any) any {
			e.steps(cost)
			return follow(e, root(e, f, in), steps)
		}
	case len(steps) == 1:
		key := steps[0].Text
		return func(e *Evaluator, _ *frame, in any) any {
			e.step()
			if o, ok := in.(*Object); ok {
				if i := o.find(key); i >= 0 {
					return last(o.vals[i])
				}
				return nil
			}
			if items, ok := in.([]any); ok {
				return followAll(e, items, steps)
			}
			return nil
		}
	}
	cost := nodeCost(n)
	return func(e *Evaluator, _ *frame, in any) any {
		e.steps(cost)
		if items, ok := in.([]any); ok {
			return followAll(e, items, steps)
		}
		return follow(e, in, steps)
	}
}

// last is the only value that a path has found: a sequence in it is made anew.
func last(v any) any {
	if list, ok := v.([]any); ok && len(list) <= 1 && isSequence(list) {
		return collapseItems(append([]any(nil), list...), false)
	}
	return v
}

// follow reads the field that each step names, from the value of a variable or a step on.
func follow(e *Evaluator, v any, steps []*Node) any {
	for i, s := range steps {
		switch w := v.(type) {
		case *Object:
			at := w.find(s.Text)
			if at < 0 {
				return nil
			}
			v = w.vals[at]
		case []any:
			if readMark(w) == consArray {
				w = []any{w}
			}
			return followAll(e, w, steps[i:])
		default:
			return nil
		}
	}
	return last(v)
}

// followAll reads the field that each step names, from each of items on.
func followAll(e *Evaluator, items []any, steps []*Node) any {
	end := len(steps) - 1
	for _, s := range steps[:end] {
		if items = e.fields(items, s.Text); len(items) == 0 {
			return nil
		}
	}
	single, found := e.collect(items, steps[end].Text)
	if single != nil {
		return last(single)
	}
	return collapseItems(found, false)
}

// fields returns a field of each of items, as the items of a step that another follows.
func (e *Evaluator) fields(items []any, key string) []any {
	single, found := e.collect(items, key)
	switch list, ok := single.([]any); {
	case ok:
		return e.sequence(list, false)
	case single != nil:
		return []any{single, sequence}[:1]
	}
	return found
}

// collect reads a field of each of items: single is the value where only one has it, else
// found is the sequence of all, which is empty if none has it.
func (e *Evaluator) collect(items []any, key string) (single any, found []any) {
	n, counted := 0, 0 // what is found, and items of it whose memory is counted
	for _, item := range items {
		e.step()
		var v any
		switch w := item.(type) {
		case *Object:
			if at := w.find(key); at >= 0 {
				v = w.vals[at]
			}
		case []any:
			v = e.lookup(w, key)
		}
		if v == nil {
			continue
		}
		switch n++; n {
		case 1:
			single = v
			continue
		case 2:
			counted = len(items)
			e.allocItems(counted)
			found = spread(make([]any, 0, counted+1), single)
			single = nil
		}
		if found = spread(found, v); len(found) > counted {
			e.alloc(16 * (len(found) - counted))
			counted = len(found)
		}
	}
	if n < 2 {
		return single, emptySequence
	}
	return nil, marked(found, sequence)
}

// wildcard is "*": the values of an object, those of arrays one by one. As in
// jsonata-js, where one of them is an array, so is the result.
func wildcard(e *Evaluator, _ *frame, in any) any {
	e.step()
	var vals []any
	switch w := unwrap(in).(type) {
	case *Object:
		vals = w.vals
	case []any:
		vals = w
	}
	found, plain := []any{}, false
	for _, v := range vals {
		if _, ok := v.([]any); ok {
			plain = true
		}
		found = e.flattenInto(found, v, 0)
	}
	e.allocItems(len(found))
	if plain {
		return slices.Clip(found)
	}
	return marked(found, sequence)
}

// flattenInto appends a value, or all that is in an array.
func (e *Evaluator) flattenInto(found []any, v any, depth int) []any {
	e.deep(depth)
	e.step()
	list, ok := v.([]any)
	if !ok {
		return append(found, v)
	}
	for _, item := range list {
		found = e.flattenInto(found, item, depth+1)
	}
	return found
}

// descendants is "**": a value and all that is in it.
func descendants(e *Evaluator, _ *frame, in any) any {
	if in == nil {
		return nil
	}
	found := e.descend(nil, in, 0)
	e.allocItems(len(found))
	if len(found) == 1 {
		return found[0]
	}
	return marked(found, sequence)
}

func (e *Evaluator) descend(found []any, v any, depth int) []any {
	e.deep(depth)
	e.step()
	switch w := v.(type) {
	case []any:
		for _, item := range w {
			found = e.descend(found, item, depth+1)
		}
		return found
	case *Object:
		found = append(found, v)
		for _, item := range w.vals {
			found = e.descend(found, item, depth+1)
		}
		return found
	}
	return append(found, v)
}

// A walk is a compiled path without tuples and "[]". Fields at its beginning and its end
// are read directly, without a compiled step.
type walk struct {
	cost   int     // how many steps an evaluation counts
	root   code    // the variable that it begins with, or nil
	before []*Node // the fields that it reads first
	steps  []step
	after  []*Node // the fields that it reads last
	group  *grouping
}

// walk compiles a path.
func (c *compiler) walk(n *Node) code {
	w := &walk{}
	args, joined := n.Args, dotted(n) > 1
	if args[0].Kind == KindVariable {
		var root step
		c.step(&root, args[0], true, joined)
		w.root, args = root.run, args[1:]
	}
	from, to := 0, len(args)
	for from < to-1 && isField(args[from]) {
		from++
	}
	for to > from && isField(args[to-1]) && n.Group == nil {
		to--
	}
	w.before, w.after = args[:from], args[to:]
	if from < to {
		w.steps = make([]step, to-from)
	}
	w.cost = nodeCost(n) + len(w.steps)
	for i, s := range args[from:to] {
		c.step(&w.steps[i], s, s == n.Args[0], joined)
	}
	if n.Group != nil {
		w.group = c.grouping(n.Group)
	}
	if w.root == nil && from == 0 && to == 1 && w.group == nil && len(w.steps[0].stages) == 0 {
		return w.fieldsOfValue(w.steps[0].run)
	}
	return w.run
}

// nodeCost returns how many steps an evaluation of a path counts: a read of a field is a part of
// one.
func nodeCost(n *Node) int { return 1 + len(n.Args)/8 }

// fieldsOfValue compiles a path of one step, such as a call, and of fields of its value.
func (w *walk) fieldsOfValue(value code) code {
	return func(e *Evaluator, f *frame, in any) any {
		if _, many := in.([]any); many {
			return w.run(e, f, in)
		}
		e.steps(w.cost)
		return follow(e, value(e, f, in), w.after)
	}
}

// isField reports whether a step only reads a field.
func isField(s *Node) bool { return s.Bare(KindName) }

// run evaluates a path. The current value is v where many is false, else items.
func (w *walk) run(e *Evaluator, f *frame, in any) any {
	e.steps(w.cost)
	v := in
	if w.root != nil {
		if v = w.root(e, f, in); v == nil {
			return w.nothing(e, f)
		}
	}
	items, many := v.([]any)
	if many && w.root != nil {
		items = e.sequence(items, false)
	}
	if many && len(items) == 0 {
		return w.nothing(e, f)
	}
	for _, field := range w.before {
		if many {
			items = e.fields(items, field.Text)
			continue
		}
		o, ok := v.(*Object)
		if !ok {
			return w.nothing(e, f)
		}
		if v, _ = o.Get(field.Text); v == nil {
			return w.nothing(e, f)
		}
		if items, many = v.([]any); many {
			items = e.sequence(items, false)
		}
	}
	for i := range w.steps {
		s, last := &w.steps[i], i == len(w.steps)-1 && len(w.after) == 0
		if !many && s.sort == nil {
			if v, items, many = s.find(e, f, v); many {
				items = e.sequence(items, last)
			} else if v == nil {
				return w.nothing(e, f)
			}
			continue
		}
		if !many {
			items, many = []any{v, sequence}[:1], true
		}
		if len(items) == 0 {
			break
		}
		items = s.over(e, f, items, last)
	}
	switch {
	case w.group != nil && many:
		return w.group.of(e, f, items)
	case w.group != nil:
		return w.group.of(e, f, []any{v})
	case many && (len(items) == 0 || len(w.after) == 0): // an empty array ends a path
		return collapse(items, false)
	case many:
		return followAll(e, items, w.after)
	}
	return follow(e, v, w.after)
}

// nothing is the value of a path that finds nothing.
func (w *walk) nothing(e *Evaluator, f *frame) any {
	if w.group != nil {
		return w.group.of(e, f, nil)
	}
	return nil
}
