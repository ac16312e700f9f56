package jsonata

import (
	"encoding/json"
	"slices"
)

// A checker makes sure that a result is a JSON value within the limits.
type checker struct {
	e     *Evaluator
	bytes int // it is at least so long as JSON
}

// value returns v, in which no function, no number that is not finite and no mark of
// an array is left.
func (c *checker) value(v any) any {
	if list, ok := v.([]any); ok {
		if readMark(list) != plainArray {
			v = slices.Clip(list)
		}
		c.items(list, 1)
	} else {
		c.item(v, 0)
	}
	return v
}

func (c *checker) items(items []any, depth int) {
	c.e.deep(depth)
	c.bytes += 2
	for i, item := range items {
		switch w := item.(type) {
		case nil:
			c.bytes += 5
		case []any:
			if readMark(w) != plainArray {
				items[i] = slices.Clip(w)
			}
			c.items(w, depth+1)
		default:
			c.item(item, depth)
		}
	}
	c.within(len(items))
}

// item checks what is not an array.
func (c *checker) item(v any, depth int) {
	switch w := v.(type) {
	case string:
		c.bytes += len(w) + len(`"",`)
	case json.Number:
		c.bytes += len(w) + 1
	case float64:
		if w-w != 0 {
			c.e.stop(c.e.notFinite())
		}
		if w >= 1e3 {
			c.bytes += len("1000")
		}
		c.bytes += 2
	case nil, bool, null:
		c.bytes += 5
	case *Object:
		c.object(w, depth+1)
	default:
		c.e.stop(notAValue())
	}
}

func (c *checker) object(o *Object, depth int) {
	c.e.deep(depth)
	c.bytes += 2
	for i, v := range o.vals {
		c.bytes += len(o.keys[i]) + len(`"":`)
		if list, ok := v.([]any); ok {
			if readMark(list) != plainArray {
				o.vals[i] = slices.Clip(list)
			}
			c.items(list, depth+1)
			continue
		}
		c.item(v, depth)
	}
	c.within(len(o.vals))
}

// within ends the evaluation when n more values are too much.
func (c *checker) within(n int) {
	c.e.steps(1 + n>>3)
	if c.bytes > c.e.limits.MaxResult {
		c.e.stop(tooBig("the result", c.e.limits.MaxResult))
	}
}
