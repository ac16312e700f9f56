package expr

import "encoding/json"

// read evaluates a term of which an operator reads all items, and counts them.
func (r *ruleRun) read(t term, at place) (any, error) {
	v, err := r.eval(t, at)
	if items, ok := v.([]any); ok && err == nil {
		err = r.count(items, 0)
	}
	return v, err
}

func (r *ruleRun) count(items []any, depth int) error {
	work := len(items)
	for _, item := range items {
		work += workOf(item)
	}
	if err := r.scope.evaluator.Check(work); err != nil || depth == maxDepth {
		return err
	}
	for _, item := range items {
		if nested, ok := item.([]any); ok {
			if err := r.count(nested, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// workOf returns the steps that it takes to read a long text or number.
func workOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) >> 6
	case json.Number:
		return len(v) >> 8 << 4
	}
	return 0
}
