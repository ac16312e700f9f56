package jsonata

// namesAfter are the steps after the first one, if they only name fields and there is no
// stream.
func namesAfter(n *Node) []string {
	if first := n.Args[0]; n.Group != nil || n.KeepArray || first.Kind == KindSort || isTuple(first) || n.tuple {
		return nil
	}
	for _, s := range n.Args[1:] {
		if s.Kind != KindName || len(s.Stages) > 0 || s.Group != nil || s.KeepArray || isTuple(s) {
			return nil
		}
	}
	keys := make([]string, 0, len(n.Args)-1)
	for _, s := range n.Args[1:] {
		keys = append(keys, s.Text)
	}
	return keys
}

// valuePath compiles a path whose first step is evaluated once, where the input is not
// an array, and followed by names.
func (c *compiler) valuePath(p *path, n *Node, keys []string) code {
	p.steps = make([]step, 1)
	c.step(&p.steps[0], n.Args[0], true, len(n.Args) > 1)
	if first := &p.steps[0]; len(first.stages) > 0 {
		return func(e *Evaluator, f *frame, in any) any {
			items := p.found(e, f, in, len(keys) == 0)
			if len(keys) == 0 {
				return collapse(items, false)
			}
			return follow(e, items, keys)
		}
	}
	return func(e *Evaluator, f *frame, in any) any {
		if _, ok := in.([]any); ok && !p.begins {
			items := p.found(e, f, in, len(keys) == 0)
			if len(keys) == 0 {
				return collapse(items, false)
			}
			return follow(e, items, keys)
		}
		e.step()
		return follow(e, p.steps[0].run(e, f, in), keys)
	}
}

// found is what the first step finds.
func (p *path) found(e *Evaluator, f *frame, in any, last bool) []any {
	e.step()
	var one [1]any
	items, ok := in.([]any)
	if !ok || p.begins {
		one[0] = in
		items = one[:]
	}
	return p.steps[0].over(e, f, items, last)
}
