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
	work := 1 + len(items)>>3 // small items are read in some nanoseconds
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

// allocItems counts the memory of an array of n items.
func (r *ruleRun) allocItems(n int) error { return r.scope.evaluator.Alloc(24 + 16*n) }

// workOf returns the steps that it takes to read a long text or number.
func workOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) >> 8
	case json.Number:
		if len(v) > 20 {
			return 64 + len(v)>>4
		}
	}
	return 0
}
