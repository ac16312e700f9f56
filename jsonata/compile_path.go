package jsonata

import "slices"

// A path is a compiled path.
type path struct {
	steps  []step
	first  bool // the first step is evaluated once, also over an array
	begins bool // the first step is a variable, so that the path is not relative
	keep   bool
	wrap   bool // a step is written with []
	kept   bool // and it is not a sort
	sorts  int  // after the first step, which leave a value unchanged that is not an array
	tuples bool // a step or the grouping is compiled for tuples
	stream bool // its tuples go on into the path around it
	group  *grouping
	shown  *grouping // of tuples as objects
}

// isNamePath reports whether n only names fields, of the current item or of a variable.
func isNamePath(n *Node) bool {
	if n.Kind != KindPath || n.Group != nil || n.KeepArray || n.tuple {
		return false
	}
	for i, s := range n.Args {
		root := i == 0 && s.Kind == KindVariable
		if s.Kind != KindName && !root || len(s.Stages) > 0 || s.Group != nil || s.Focus != nil || s.Index != nil || s.KeepArray || s.tuple {
			return false
		}
	}
	return true
}

// path compiles a path.
func (c *compiler) path(n *Node) code {
	c.tail = false
	if isNamePath(n) {
		return c.names(n)
	}
	joined := dotted(n) > 1
	first := joined && writesOut(n.Args[0])
	if !first && !n.tuple && !n.KeepArray && !slices.ContainsFunc(n.Args, func(s *Node) bool { return s.KeepArray || isTuple(s) }) {
		return c.walk(n)
	}
	p := &path{first: first, keep: n.KeepArray, stream: n.tuple, begins: n.Args[0].Kind == KindVariable}
	for _, s := range n.Args {
		p.wrap = p.wrap || s.KeepArray
		p.kept = p.kept || s.KeepArray && s.Kind != KindSort
	}
	outer := c.scope
	streams := false
	p.steps = make([]step, len(n.Args))
	for i, s := range n.Args {
		if streams && s.Kind == KindSort {
			c.tupleSort(&p.steps[i], s, outer)
			continue
		}
		if !streams && isTuple(s) {
			streams = true
			c.scope = c.tupleScope(n)
		}
		c.step(&p.steps[i], s, i == 0, joined)
		p.steps[i].tuple = streams
	}
	for p.sorts < len(p.steps)-2 && p.steps[1+p.sorts].passes() {
		p.sorts++
	}
	if p.tuples = streams; n.Group != nil {
		p.group = c.grouping(n.Group)
	}
	c.scope = outer
	if p.steps[len(p.steps)-1].shown != nil && n.Group != nil {
		p.shown = c.grouping(n.Group)
	}
	return p.run
}

// dotted counts the steps of a path that dots join.
func dotted(n *Node) (steps int) {
	for _, s := range n.Args {
		if s.Kind != KindSort {
			steps++
		}
	}
	return steps
}

// isTuple reports whether a step needs the tuples of a stream.
func isTuple(s *Node) bool {
	return s.tuple || s.Binds()
}

// numbered reports whether a step binds positions.
func numbered(s *Node) bool {
	return s.Index != nil || slices.ContainsFunc(s.Stages, func(stage *Node) bool { return stage.Kind == KindIndex })
}

// Binds reports whether a step of a path binds a variable to items or positions.
func (n *Node) Binds() bool { return n.Focus != nil || numbered(n) }

// writesOut reports whether a first step is an array that is written out.
func writesOut(n *Node) bool {
	switch n.Kind {
	case KindArray:
		return true
	case KindBlock:
		for _, arg := range n.Args {
			if arg.Kind == KindPath && dotted(arg) > 1 && writesOut(arg.Args[0]) {
				return true
			}
		}
	}
	return false
}

// run evaluates a path.
func (p *path) run(e *Evaluator, f *frame, in any) any {
	e.step()
	var one [1]any
	items, ok := in.([]any)
	if !ok || p.begins {
		one[0] = in
		items = one[:]
	}
	var stream *tuples
	for i := range p.steps {
		s := &p.steps[i]
		switch {
		case i == 0 && p.first:
			whole := in
			if !ok {
				e.allocItems(1)
				whole = []any{in, sequence}[:1]
			}
			found := s.run(e, p.frame(f, s.tuple), whole)
			p.begun(e, s, found)
			switch {
			case found == "" && p.group == nil && !s.tuple:
				return found // as in jsonata-js, where its length ends the path
			case s.focus == "":
				items = p.once(found)
			}
		case s.tuple:
			stream = s.stream(e, f, items, stream)
			continue
		default:
			items = s.over(e, f, items, i == len(p.steps)-1)
		}
		if !s.tuple && len(items) == 0 {
			break
		}
	}
	return p.result(e, f, items, stream)
}

// frame is the frame of what is compiled for tuples without one.
func (p *path) frame(f *frame, tuples bool) *frame {
	if tuples {
		return &frame{outer: f, tuple: &tuple{}}
	}
	return f
}

// begun fails where the array that a path begins with, and that predicates have made another
// value, cannot be followed by the rest of the path.
func (p *path) begun(e *Evaluator, s *step, found any) {
	kept := p.kept
	next := &p.steps[1+p.sorts]
	follows := s.tuple || next.tuple && next.sort == nil // by a stream of tuples
	stops, empty := follows, found == nil || found == "" || IsNull(found)
	if _, ok := found.([]any); ok {
		return
	}
	if empty {
		stops = s.tuple || kept || IsNull(found)
	}
	if stops && s.focus == "" {
		e.fail(s.node, "not-an-array", "the array that the path begins with is %s after its predicates", describe(found))
	}
}

// passes reports whether a step is a sort that leaves a value unchanged if it is not an array.
func (s *step) passes() bool { return s.sort != nil && !s.tuple && len(s.stages) == 0 }

// once returns the items that a first step that is evaluated once hands on. As in
// jsonata-js, what a predicate of it has made a single value has no items, but a text has its
// characters; after a sort with a predicate, the value is an item itself.
func (p *path) once(v any) []any {
	if items, ok := v.([]any); ok || v == nil {
		return items
	}
	if next := &p.steps[1+p.sorts]; next.sort != nil && !next.tuple && len(next.stages) > 0 {
		return []any{v, sequence}[:1]
	}
	s, _ := v.(string)
	var chars []any
	for _, c := range s {
		chars = append(chars, any(string(c)))
	}
	return chars
}

// result is the value of a path that has found items, or a stream.
func (p *path) result(e *Evaluator, f *frame, items []any, stream *tuples) any {
	if stream != nil {
		switch {
		case p.group != nil && stream.shown:
			return p.shown.of(e, f, stream.objects(e))
		case p.group != nil:
			return p.group.ofTuples(e, f, stream)
		}
		if p.stream {
			return stream
		}
		items = marked(stream.items(e), sequence)
	}
	if p.wrap && readMark(items) == consArray {
		items = marked([]any{items}, sequence)
	}
	if p.group != nil {
		return p.group.of(e, p.frame(f, p.tuples), items)
	}
	if items == nil {
		return nil
	}
	return collapse(items, p.keep)
}

// A step is one compiled step of a path.
type step struct {
	node   *Node
	run    code
	stages []stage
	sort   *sorting
	cons   bool     // an array that is written out
	tuple  bool     // from here on, the path is a stream of tuples
	shown  *sorting // of tuples as objects, which follows another sort
	focus  string
	index  string
	parent string // under which "%" finds the item that the step was taken from
}

// A stage of a step filters what the step finds, or numbers it.
type stage struct {
	filter *filter
	shown  *filter // of tuples as objects
	index  string
}

// step compiles a step of a path into st.
func (c *compiler) step(st *step, s *Node, first, dotted bool) {
	st.node = s
	if s.Focus != nil {
		st.focus = s.Focus.Text
	}
	if s.Index != nil {
		st.index = s.Index.Text
	}
	if s.sought {
		st.parent = parentName(s)
	}
	stages := s.Stages
	switch {
	case s.Kind == KindSort:
		st.sort = c.sorting(s)
	case s.Kind == KindArray && dotted:
		st.cons = true
		st.run = c.array(s, true)
	case s.Kind == KindName && s.KeepArray:
		st.run = keptName(s.Text)
	default:
		st.run = c.bare(s, false)
	}
	if first && len(stages) > 0 && (s.Kind != KindName || c.isQuoted(s)) && s.Kind != KindSort && !numbered(s) {
		st.run, stages = c.predicates(s, st.run), nil
	}
	if s.Group != nil {
		st.run = c.grouped(s.Group, st.run)
	}
	if st.run != nil {
		st.run = c.done(s.Kind, len(s.Stages) > len(stages), s.KeepArray, st.run)
	}
	if len(stages) > 0 {
		st.stages = make([]stage, 0, len(stages))
	}
	for _, qualifier := range stages {
		if qualifier.Kind == KindIndex {
			st.stages = append(st.stages, stage{index: qualifier.Text})
			continue
		}
		st.stages = append(st.stages, stage{filter: c.filter(qualifier)})
	}
}

// isQuoted reports whether a name is written as a string.
func (c *compiler) isQuoted(s *Node) bool { return c.src[s.Start] == '"' || c.src[s.Start] == '\'' }

// over evaluates a step for each item and makes one sequence of what it finds.
func (s *step) over(e *Evaluator, f *frame, items []any, last bool) []any {
	if s.sort != nil {
		sorted := s.sort.items(e, f, items)
		for _, stage := range s.stages {
			sorted = stage.filter.items(e, f, sorted)
		}
		return sorted
	}
	var single any
	var found []any
	n, counted := 0, 0 // what is found, and items of it whose memory is counted
	for _, item := range items {
		e.step()
		v := s.value(e, f, item)
		if v == nil {
			continue
		}
		if n++; n == 1 {
			single = v
			continue
		}
		if n == 2 {
			counted = len(items)
			e.allocItems(counted)
			found = spread(make([]any, 0, counted+1), single)
		}
		if found = spread(found, v); len(found) > counted {
			e.alloc(16 * (len(found) - counted))
			counted = len(found)
		}
	}
	if n == 1 {
		if list, ok := single.([]any); ok {
			return e.sequence(list, last)
		}
		e.allocItems(1)
		return []any{single, sequence}[:1]
	}
	return marked(found, sequence)
}

// value evaluates a step for one item.
func (s *step) value(e *Evaluator, f *frame, item any) any {
	if len(s.stages) == 0 {
		return s.run(e, f, item)
	}
	v, items, many := s.find(e, f, item)
	if many {
		return items
	}
	return v
}

// find evaluates a step for one item. It returns v where many is false, else items.
func (s *step) find(e *Evaluator, f *frame, item any) (v any, items []any, many bool) {
	v = s.run(e, f, item)
	items, many = v.([]any)
	for i := range s.stages {
		p := s.stages[i].filter
		if p.number != nil {
			if v, items = p.nth(e, v, items, many); v != nil {
				many = false
				continue
			}
		} else {
			if !many {
				items = []any{v}
			}
			items = p.items(e, f, items)
		}
		many = true
	}
	return v, items, many
}

// sequence returns the items for the next step of a path when a step has found one array. An
// array that is written out as a step stays one item. If the step is the last one, a plain
// array is the result.
func (e *Evaluator) sequence(list []any, last bool) []any {
	switch m := readMark(list); {
	case m == sequence, last && !isSequence(list):
		return list
	case m == consArray:
		e.allocItems(1)
		return []any{list, sequence}[:1]
	case !last && len(list) == 0:
		return emptySequence
	case !last && len(list) == 1:
		return []any{list[0], sequence}[:1]
	case !last:
		return list
	}
	e.allocItems(len(list))
	return marked(append(make([]any, 0, len(list)+1), list...), sequence)
}
