package expr

import (
	"encoding/json"
	"maps"
	"slices"
)

// A checker makes sure that a result is a JSON value within the limits.
type checker struct {
	guard *guard
	bytes int // it is at least so long as JSON
	seen  int
}

// value returns v, or what v stands for when the evaluator left a sequence or a
// map without order in it. Only values that the expression made can need that,
// so changing them in place changes nothing that is shared.
func (c *checker) value(v any, depth int) (any, error) {
	if depth > maxValueDepth {
		return nil, tooDeep()
	}
	if c.seen++; c.seen%1024 == 0 {
		if err := c.guard.check(); err != nil {
			return nil, err
		}
	}
	c.bytes++
	switch w := v.(type) {
	case nil, bool:
	case string:
		c.bytes += len(w) + len(`"`)
	case json.Number:
		c.bytes += len(w)
	case float64:
		if w-w != 0 { // NaN and infinities
			return nil, notFinite()
		}
		if w >= 1e3 {
			c.bytes += len("1000")
		}
	case []any:
		return v, c.array(w, depth)
	case Object:
		return v, c.object(w, depth)
	case map[string]any:
		if isRegex(w) {
			return nil, notAValue()
		}
		o := NewObject()
		for _, k := range slices.Sorted(maps.Keys(w)) {
			o.Set(k, w[k])
		}
		return o, c.object(o, depth)
	default:
		if IsNull(v) {
			break
		}
		if items, ok := natives().items(v); ok {
			return c.value(collapse(items), depth)
		}
		return nil, notAValue()
	}
	if c.bytes > c.guard.limits.MaxResult {
		return nil, tooBig("the result", c.guard.limits.MaxResult)
	}
	return v, nil
}

func (c *checker) array(items []any, depth int) error {
	for i, item := range slices.Backward(items) { // what was made last is still in the processor's cache
		v, err := c.value(item, depth+1)
		if err != nil {
			return err
		}
		if replaced(item) {
			items[i] = v
		}
	}
	return nil
}

func (c *checker) object(o Object, depth int) error {
	for _, k := range o.Keys() {
		c.bytes += len(k) + len(`"":`)
		item, _ := o.Get(k)
		v, err := c.value(item, depth+1)
		if err != nil {
			return err
		}
		if replaced(item) {
			o.Set(k, v)
		}
	}
	return nil
}

// replaced reports whether value answers v with something else.
func replaced(v any) bool {
	switch v.(type) {
	case nil, bool, string, json.Number, float64, []any, Object:
		return false
	case map[string]any:
		return true
	}
	return !IsNull(v)
}
