package jsonata

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// values is a set of values, by what they contain.
type values struct {
	numbers map[float64]struct{}
	texts   map[string]struct{}
	others  map[string]struct{} // as keyer writes them
	keyer   keyer
}

// newValueSteps is the number of steps of adding a new value to a set.
const newValueSteps = 8

// add adds v. It reports whether v is new, and the bytes that it takes in addition to v.
func (s *values) add(v any) (bytes int, first bool) {
	switch v := v.(type) {
	case float64:
		s.keyer.e.step()
		return 0, isNew(&s.numbers, v)
	case string:
		s.keyer.e.steps(1 + len(v)>>6)
		return 0, isNew(&s.texts, v)
	case json.Number:
		if f, beyond := s.keyer.e.beyond(v); !beyond {
			s.keyer.e.step()
			return 0, isNew(&s.numbers, f)
		}
	}
	s.keyer.buf = s.keyer.buf[:0]
	s.keyer.add(v, 0)
	if _, held := s.others[string(s.keyer.buf)]; held {
		return 0, false
	}
	return len(s.keyer.buf), isNew(&s.others, string(s.keyer.buf))
}

// isNew adds a key to a set.
func isNew[K comparable](set *map[K]struct{}, key K) bool {
	if *set == nil {
		*set = map[K]struct{}{}
	}
	n := len(*set)
	(*set)[key] = struct{}{}
	return len(*set) > n
}

// A keyer writes values so that equal ones are written the same: numbers by value, keys
// sorted.
type keyer struct {
	e   *Evaluator
	buf []byte
}

func (k *keyer) add(v any, depth int) {
	k.e.deep(depth)
	k.e.steps(1 + len(k.buf)>>10)
	if len(k.buf) > k.e.limits.MaxResult {
		k.e.stop(tooBig("a value given to $distinct", k.e.limits.MaxResult))
	}
	switch v := v.(type) {
	case string:
		k.buf = appendString(k.buf, v)
	case bool:
		k.buf = strconv.AppendBool(k.buf, v)
	case float64:
		k.number(v)
	case json.Number:
		if f, beyond := k.e.beyond(v); !beyond {
			k.number(f)
			break
		}
		k.buf = append(k.buf, v...)
	case []any:
		k.buf = append(k.buf, '[')
		for _, item := range v {
			k.add(item, depth+1)
			k.buf = append(k.buf, ',')
		}
		k.buf = append(k.buf, ']')
	case *Object:
		keys := slices.Clone(v.keys)
		slices.Sort(keys)
		k.buf = append(k.buf, '{')
		for _, key := range keys {
			k.buf = append(appendString(k.buf, key), ':')
			member, _ := v.Get(key)
			k.add(member, depth+1)
			k.buf = append(k.buf, ',')
		}
		k.buf = append(k.buf, '}')
	case nil:
		k.buf = append(k.buf, "undefined"...)
	case *Function:
		if v.row != nil && !v.passed {
			k.buf = append(append(k.buf, "function "...), v.row.Name...)
			break
		}
		k.buf = fmt.Appendf(k.buf, "function %p", v)
	default:
		k.buf = append(k.buf, Type(v)...)
	}
}

func (k *keyer) number(f float64) {
	if f == 0 {
		f = 0 // -0 is the same
	}
	k.buf = strconv.AppendFloat(k.buf, f, 'g', -1, 64)
}
