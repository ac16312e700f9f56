package expr

// The operators over the elements of an array. Inside them var reads the
// element; inside reduce it reads {current, accumulator}.

// elements evaluates the first argument; what is not an array has none. body is
// the second argument.
func (r *ruleRun) elements(args []term, at place) (items []any, body term, err error) {
	body = literal(null)
	if len(args) > 1 {
		body = args[1]
	}
	if len(args) == 0 {
		return nil, body, nil
	}
	v, err := r.eval(args[0], at)
	items, _ = v.([]any)
	return items, body, err
}

// overEach makes an operator over the elements of its first argument. body evaluates its second
// argument for an element.
func overEach(f func(r *ruleRun, items []any, body func(item any) (any, error)) (any, error)) operator {
	return func(args []term) term {
		return func(r *ruleRun, at place) (any, error) {
			items, body, err := r.elements(args, at)
			if err != nil {
				return nil, err
			}
			return f(r, items, func(item any) (any, error) { return r.eval(body, place{item, true}) })
		}
	}
}

func mapEach(r *ruleRun, items []any, body func(any) (any, error)) (v any, err error) {
	out := make([]any, len(items))
	for i, item := range items {
		if out[i], err = body(item); err != nil {
			return nil, err
		}
	}
	return out, r.allocItems(len(out))
}

func filterEach(r *ruleRun, items []any, body func(any) (any, error)) (any, error) {
	out := []any{}
	for _, item := range items {
		v, err := body(item)
		if err != nil {
			return nil, err
		}
		if logicTruthy(v) {
			out = append(out, item)
		}
	}
	return out, r.allocItems(len(out))
}

func reduceEach(args []term) term {
	return func(r *ruleRun, at place) (any, error) {
		items, body, err := r.elements(args, at)
		if err != nil {
			return nil, err
		}
		acc := null
		if len(args) > 2 {
			if acc, err = r.eval(args[2], at); err != nil {
				return nil, err
			}
		}
		for _, item := range items {
			o := NewObject()
			o.Set("current", item)
			o.Set("accumulator", acc)
			if acc, err = r.eval(body, place{o, true}); err != nil {
				return nil, err
			}
		}
		return acc, nil
	}
}

// quantify makes all, some and none: the answer for no elements, the truth of
// an element that decides, and the answer then.
func quantify(none, decides, then bool) operator {
	return overEach(func(_ *ruleRun, items []any, body func(any) (any, error)) (any, error) {
		for _, item := range items {
			v, err := body(item)
			if err != nil {
				return nil, err
			}
			if logicTruthy(v) == decides {
				return then, nil
			}
		}
		if len(items) == 0 {
			return none, nil
		}
		return !then, nil
	})
}
