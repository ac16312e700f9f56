package expr

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
)

// asItems is v as an array: nothing for undefined, else one item.
func asItems(v any) []any {
	switch v := v.(type) {
	case nil:
		return []any{}
	case []any:
		return v
	}
	if items, ok := natives().items(v); ok {
		return items
	}
	return []any{v}
}

// clone is $clone(value). Nobody changes a value, so it is its own copy.
func clone(args []any, _ any, _ frame) (any, error) { return first(args), nil }

// appendItems is $append(array, array).
func appendItems(args []any, focus any, f frame) (any, error) {
	if len(args) > 1 {
		if err := guardOf(f).items("append", len(asItems(args[0]))+len(asItems(args[1]))); err != nil {
			return nil, err
		}
	}
	return originalAppend(args, focus, f)
}

var originalAppend = original("append")

// zip is $zip(array, …).
func zip(args []any, focus any, f frame) (any, error) {
	if len(args) > 0 {
		shortest := math.MaxInt
		for _, a := range args {
			shortest = min(shortest, len(asItems(a)))
		}
		if err := guardOf(f).items("zip", shortest*len(args)); err != nil {
			return nil, err
		}
	}
	return originalZip(args, focus, f)
}

var originalZip = original("zip")

// filter is $filter(array, function). A single match is returned without an array.
func filter(args []any, focus any, f frame) (any, error) {
	v, err := originalFilter(args, focus, f)
	if hits, ok := v.([]any); ok && len(hits) == 1 {
		return natives().values(hits), err
	}
	return v, err
}

var originalFilter = original("filter")

// flatten is $flatten(array, depth?), gnata's addition.
func flatten(args []any, _ any, f frame) (any, error) {
	if len(args) == 0 || args[0] == nil {
		return nil, nil
	}
	depth := maxValueDepth
	if len(args) > 1 && args[1] != nil {
		n, ok := whole(args[1])
		if !ok {
			return nil, fail("T0410", "the second argument of $flatten is how deep to flatten; got %s", describeValue(args[1]))
		}
		if n >= 0 {
			depth = min(n, depth)
		}
	}
	out := []any{}
	var walk func(items []any, depth int) error
	walk = func(items []any, depth int) error {
		for _, item := range items {
			if nested, ok := item.([]any); ok && depth > 0 {
				if err := walk(nested, depth-1); err != nil {
					return err
				}
				continue
			}
			out = append(out, item)
			if len(out)%1024 == 0 {
				if err := guardOf(f).items("flatten", len(out)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := walk(asItems(args[0]), depth); err != nil {
		return nil, err
	}
	return out, nil
}

// distinct is $distinct(array), in linear time.
func distinct(args []any, _ any, f frame) (any, error) {
	if len(args) == 0 || args[0] == nil {
		return nil, nil
	}
	items, ok := args[0].([]any)
	if !ok {
		if _, ok := natives().items(args[0]); !ok {
			return args[0], nil
		}
		items = asItems(args[0])
	}
	if len(items) < 2 {
		return args[0], nil
	}
	g := guardOf(f)
	seen := make(map[string]bool, len(items))
	var out []any
	k := keyer{guard: g}
	for _, item := range items {
		k.buf = k.buf[:0]
		if err := k.add(item, 0); err != nil {
			return nil, g.stop(err)
		}
		if !seen[string(k.buf)] {
			seen[string(k.buf)] = true
			out = append(out, item)
		}
	}
	return natives().values(out), nil
}

// fields is what the wildcard * becomes: the values of the fields of the focus,
// those of arrays one by one.
func fields(_ []any, focus any, f frame) (any, error) {
	var found []any
	var add func(v any) error
	add = func(v any) error {
		items, ok := v.([]any)
		if !ok {
			if found = append(found, v); len(found)%1024 == 0 {
				return guardOf(f).items("fields", len(found))
			}
			return nil
		}
		for _, item := range items {
			if err := add(item); err != nil {
				return err
			}
		}
		return nil
	}
	switch w := focus.(type) {
	case []any:
		if err := add(w); err != nil {
			return nil, err
		}
	case Object:
		for _, k := range w.Keys() {
			v, _ := w.Get(k)
			if err := add(v); err != nil {
				return nil, err
			}
		}
	}
	return collapse(found), nil
}

// A keyer writes values so that equal ones are written the same: numbers by
// value, keys sorted.
type keyer struct {
	guard *guard
	buf   []byte
	steps int
}

func (k *keyer) add(v any, depth int) error {
	if depth > maxValueDepth {
		return tooDeep()
	}
	if k.steps++; k.steps%256 == 0 {
		if err := k.guard.check(); err != nil {
			return err
		}
	}
	if len(k.buf) > k.guard.limits.MaxResult {
		return tooBig("a value given to $distinct", k.guard.limits.MaxResult)
	}
	switch v := v.(type) {
	case string:
		k.buf = appendString(k.buf, v)
	case bool:
		k.buf = strconv.AppendBool(k.buf, v)
	case float64:
		var text [32]byte
		k.buf = appendDecimal(k.buf, strconv.AppendFloat(text[:0], v, 'e', -1, 64))
	case json.Number:
		k.buf = appendDecimal(k.buf, []byte(v))
	case []any:
		k.buf = append(k.buf, '[')
		for _, item := range v {
			if err := k.add(item, depth+1); err != nil {
				return err
			}
			k.buf = append(k.buf, ',')
		}
		k.buf = append(k.buf, ']')
	case Object:
		return k.object(slices.Clone(v.Keys()), v.Get, depth)
	case map[string]any:
		return k.object(slices.Collect(maps.Keys(v)), func(key string) (any, bool) { w, ok := v[key]; return w, ok }, depth)
	case nil:
		k.buf = append(k.buf, "undefined"...)
	default:
		k.buf = append(k.buf, Type(v)...)
	}
	return nil
}

func (k *keyer) object(keys []string, get func(string) (any, bool), depth int) error {
	slices.Sort(keys)
	k.buf = append(k.buf, '{')
	for _, key := range keys {
		k.buf = append(appendString(k.buf, key), ':')
		v, _ := get(key)
		if err := k.add(v, depth+1); err != nil {
			return err
		}
		k.buf = append(k.buf, ',')
	}
	k.buf = append(k.buf, '}')
	return nil
}
