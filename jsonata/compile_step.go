package jsonata

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

// sequence returns the items that a path goes on with where a step has found one array: an
// array that is written out as a step stays one item. last says that no step follows; a plain
// array is the result as it is then.
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
