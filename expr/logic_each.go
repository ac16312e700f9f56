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

func mapEach(args []term) term {
	return func(r *ruleRun, at place) (any, error) {
		items, body, err := r.elements(args, at)
		if err != nil {
			return nil, err
		}
		out := make([]any, len(items))
		for i, item := range items {
			if out[i], err = r.eval(body, place{item, true}); err != nil {
				return nil, err
			}
		}
		return out, r.allocItems(len(out))
	}
}

func filterEach(args []term) term {
	return func(r *ruleRun, at place) (any, error) {
		items, body, err := r.elements(args, at)
		if err != nil {
			return nil, err
		}
		out := []any{}
		for _, item := range items {
			v, err := r.eval(body, place{item, true})
			if err != nil {
				return nil, err
			}
			if logicTruthy(v) {
				out = append(out, item)
			}
		}
		return out, r.allocItems(len(out))
	}
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
	return func(args []term) term {
		return func(r *ruleRun, at place) (any, error) {
			items, body, err := r.elements(args, at)
			if err != nil {
				return nil, err
			}
			for _, item := range items {
				v, err := r.eval(body, place{item, true})
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
		}
	}
}
