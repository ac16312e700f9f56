package expr

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// The operators that make text.

func cat(args []term) term {
	return func(r *ruleRun, at place) (any, error) {
		var b strings.Builder
		for _, t := range args {
			v, err := r.read(t, at)
			if err != nil {
				return nil, err
			}
			text := toText(v)
			if v == nil || IsNull(v) {
				text = ""
			}
			if err := r.scope.evaluator.Room("the result of cat", b.Len()+len(text)); err != nil {
				return nil, err
			}
			b.WriteString(text)
		}
		return b.String(), r.scope.evaluator.Alloc(b.Len())
	}
}

// substr counts characters, as $substring does.
func substr(r *ruleRun, _ place, v []any) (any, error) {
	v = append(v, nil, nil, nil)
	text := toText(v[0])
	if err := r.scope.evaluator.Check(len(text) >> 4); err != nil {
		return nil, err
	}
	part := cutText(text, v[1], v[2])
	return part, r.scope.evaluator.Alloc(len(part))
}

// cutText returns a part of a text, in characters.
func cutText(text string, from, length any) string {
	units := []rune(text)
	start := clampIndex(toNumber(from))
	if start < 0 {
		start = max(0, len(units)+start)
	}
	units = units[min(start, len(units)):]
	if length != nil {
		if n := clampIndex(toNumber(length)); n < 0 {
			units = units[:max(0, len(units)+n)]
		} else {
			units = units[:min(n, len(units))]
		}
	}
	return string(units)
}

// clampIndex is a number as an index, NaN as 0.
func clampIndex(f float64) int {
	if math.IsNaN(f) {
		return 0
	}
	return int(min(max(f, -1<<31), 1<<31))
}

// isLogicPath reports whether a var at the top is a JSON Logic path rather than
// JSONata: the whole context, or names and an index, such as "items.0".
func isLogicPath(s string) bool {
	names := strings.IndexFunc(s, func(r rune) bool {
		return r != '.' && r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0
	return s == "" || names && slices.ContainsFunc(strings.Split(s, "."), func(part string) bool {
		return part != "" && strings.Trim(part, "0123456789") == ""
	})
}

// maxIndex is how many digits an index has at most.
const maxIndex = 10

// pathText returns a value as a path, whose text is empty for null; ok is false where it
// leads nowhere.
func pathText(key any) (text string, ok bool) {
	switch k := key.(type) {
	case string:
		return k, true
	case json.Number:
		return jsonata.DigitsText(k), true
	case float64:
		return jsonata.NumberText(k), true
	}
	return "", isNil(key)
}

// logicPath follows a JSON Logic path, which maps over nothing: names and indexes
// joined with dots, or one index; null and the empty string are data itself. It
// returns nil when the path leads nowhere.
func logicPath(data, key any) any {
	text, ok := pathText(key)
	if !ok {
		return nil
	}
	if text == "" {
		return data
	}
	for part := range strings.SplitSeq(text, ".") {
		switch d := data.(type) {
		case Object:
			v, ok := d.Get(part)
			if !ok {
				return nil
			}
			data = v
		case []any:
			i, ok := pathIndex(part)
			if !ok || i >= len(d) {
				return nil
			}
			data = d[i]
		default:
			return nil
		}
	}
	return data
}

// read evaluates a term and counts all its items: the operator reads them.
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
		work += valueWork(item)
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

// valueWork returns the steps that it takes to read a long text or number.
func valueWork(v any) int {
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
