package jsonata

import (
	"encoding/json"
	"math"
)

// transform compiles |pattern|update,delete|: a function that changes a copy of what
// it is given. What the pattern finds elsewhere stays as it is, because other evaluations
// may read it at the same time.
func (c *compiler) transform(n *Node) code {
	c.tail = false
	pattern, update := c.inner(n.Args[0]), c.inner(n.Args[1])
	var remove code
	if len(n.Args) > 2 {
		remove = c.inner(n.Args[2])
	}
	clone := c.variable(&Node{Kind: KindVariable, Text: "clone"})
	sig := parseSignature("<(oa):o>")
	return func(_ *Evaluator, f *frame, in any) any {
		return &Function{name: "transform", arity: 1, sig: sig, native: func(e *Evaluator, args []any) any {
			if args[0] == nil {
				return nil
			}
			copier, ok := clone(e, f, in).(*Function)
			if !ok {
				e.fail(n, "T2013", "$clone, with which a transform makes its copy, is not a function")
			}
			var whole any
			if copier == c.env.functions["clone"] {
				whole = e.deepCopy(args[0], 0)
			} else {
				if whole = e.invoke(copier, n, args[0]); whole != nil {
					whole = e.deepCopy(whole, 0)
				}
			}
			for _, match := range listItems(pattern(e, f, whole)) {
				e.step()
				e.change(n, match, update(e, f, match))
				if remove != nil {
					e.remove(n, match, remove(e, f, match))
				}
			}
			return whole
		}}
	}
}

// change puts what an update has into a match.
func (e *Evaluator) change(n *Node, match, update any) {
	if update == nil {
		return
	}
	changes, ok := update.(*Object)
	if !ok {
		e.fail(n.Args[1], "T2011", "the update of a transform must be an object, got %s", describe(update))
	}
	switch match.(type) {
	case string, bool, float64, json.Number, null:
		if changes.Len() > 0 {
			e.fail(n.Args[0], "not-an-object", "what a transform changes must be an object, got %s", describe(match))
		}
	}
	if o, ok := e.changeable(match); ok {
		for i, key := range changes.keys {
			e.step()
			e.alloc(48)
			o.Set(key, changes.vals[i])
		}
	}
}

// remove deletes the named keys from a match.
func (e *Evaluator) remove(n *Node, match, names any) {
	for _, name := range listItems(names) {
		key, ok := name.(string)
		if !ok {
			e.fail(n.Args[2], "T2012", "what a transform deletes must be a string or an array of strings, got %s", describe(name))
		}
		e.step()
		if o, ok := e.changeable(match); ok {
			o.Delete(key)
		}
	}
}

// changeable returns v if it is an object that this evaluation has copied.
func (e *Evaluator) changeable(v any) (*Object, bool) {
	o, ok := v.(*Object)
	return o, ok && o.mark != nil && o.mark == e.copy
}

// deepCopy copies a value with all that is in it: undefined in an array becomes null, and
// a function an empty string.
func (e *Evaluator) deepCopy(v any, depth int) any {
	e.deep(depth)
	e.step()
	switch w := v.(type) {
	case []any:
		e.allocItems(len(w))
		items := make([]any, len(w))
		for i, item := range w {
			if item == nil {
				items[i] = null{}
				continue
			}
			items[i] = e.deepCopy(item, depth+1)
		}
		return items
	case *Object:
		e.alloc(64 + 48*len(w.keys))
		if e.copy == nil {
			e.copy = new(objectMark)
		}
		o := newMarked(len(w.keys), e.copy)
		for i, key := range w.keys {
			if w.vals[i] != nil {
				o.Set(key, e.deepCopy(w.vals[i], depth+1))
			}
		}
		return o
	case float64:
		switch {
		case w != w:
			return null{}
		case w-w != 0:
			e.fail(nil, "D1001", "a number is out of range")
		case w != math.Trunc(w):
			var text [32]byte
			return e.box(e.parse(json.Number(appendText(text[:0], w))))
		}
	case *Function:
		return ""
	}
	return v
}
