package jsonata

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
