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

// value returns v, or the value of v if the evaluator left a sequence or a
// map without order in it. Only values that the expression made can need that, so
// changing them in place changes nothing that is shared.
func (c *checker) value(v any) (Value, error) {
	if c.leaf(v) {
		return v, c.within(1)
	}
	v, _, err := c.whole(v, 0)
	return v, err
}

// whole is value for what is not a leaf; it also reports whether the answer is
// another than v.
func (c *checker) whole(v any, depth int) (w any, other bool, err error) {
	if depth > maxValueDepth {
		return nil, false, tooDeep()
	}
	switch w := v.(type) {
	case []any:
		return v, false, c.array(w, depth)
	case Object:
		return v, false, c.object(w, depth)
	case float64:
		return nil, false, notFinite()
	case map[string]any:
		if isRegex(w) {
			return nil, false, notAValue()
		}
		o := NewObject()
		for _, k := range slices.Sorted(maps.Keys(w)) {
			o.Set(k, w[k])
		}
		return o, true, c.object(o, depth)
	}
	if items, ok := natives().items(v); ok {
		w := collapse(items)
		if c.leaf(w) {
			return w, true, c.within(1)
		}
		w, _, err := c.whole(w, depth)
		return w, true, err
	}
	return nil, false, notAValue()
}

// leaf counts v if it is a value that holds no others, and as it should be.
func (c *checker) leaf(v any) bool {
	switch w := v.(type) {
	case string:
		c.bytes += len(w) + len(`""`)
	case json.Number:
		c.bytes += len(w)
	case float64:
		if w-w != 0 { // NaN and infinities
			return false
		}
		if w >= 1e3 {
			c.bytes += len("1000")
		}
		c.bytes++
	case nil, bool:
		c.bytes++
	default:
		if !IsNull(v) {
			return false
		}
		c.bytes++
	}
	return true
}

// within reports an error when n more values are too much, in size or in time.
func (c *checker) within(n int) error {
	if c.seen += n; c.seen >= 1024 {
		c.seen = 0
		if err := c.guard.check(); err != nil {
			return err
		}
	}
	if c.bytes > c.guard.limits.MaxResult {
		return tooBig("the result", c.guard.limits.MaxResult)
	}
	return nil
}

func (c *checker) array(items []any, depth int) error {
	c.bytes++
	for i := len(items) - 1; i >= 0; i-- { // what was made last is still in the processor's cache
		item := items[i]
		if c.leaf(item) {
			if i%256 == 0 {
				if err := c.within(256); err != nil {
					return err
				}
			}
			continue
		}
		v, other, err := c.whole(item, depth+1)
		if err != nil {
			return err
		}
		if other {
			items[i] = v
		}
	}
	return c.within(1)
}

func (c *checker) object(o Object, depth int) error {
	c.bytes++
	keys := o.Keys()
	for i, k := range keys {
		c.bytes += len(k) + len(`"":`)
		item, _ := o.Get(k)
		if c.leaf(item) {
			if i%256 == 255 {
				if err := c.within(256); err != nil {
					return err
				}
			}
			continue
		}
		v, other, err := c.whole(item, depth+1)
		if err != nil {
			return err
		}
		if other {
			o.Set(k, v)
		}
	}
	return c.within(1)
}
