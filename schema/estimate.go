package schema

import (
	"encoding/json"
	"reflect"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternBytes is how many bytes times instructions of a pattern one step matches.
const patternBytes = 256

// pathLength is how long a path is copied within one step.
const pathLength = 16

// An estimator counts the steps of a validation without doing them: a pair of a
// schema and a part of the value is counted once, however often the validation
// reaches it. It assumes that every alternative is tried.
type estimator struct {
	s     *validator
	known map[pair]int64
	most  int64 // steps at which it stops
	seen  int64
	depth int64 // of the part that it looks at
}

type pair struct {
	schema *jsonschema.Schema
	value  uintptr
}

// estimate returns the number of steps of a validation, or more than most.
func (s *validator) estimate(v any, most int64) int64 {
	e := &estimator{s: s, known: map[pair]int64{}, most: most}
	return e.steps(s.root, v)
}

func (e *estimator) steps(s *jsonschema.Schema, v any) int64 {
	if e.seen++; e.seen > e.most {
		return e.most + 1
	}
	f := e.s.facts[s]
	if f == nil || s.Bool != nil || !f.types.has(v) {
		return 1
	}
	key := pair{s, identity(v)}
	if key.value != 0 {
		if n, ok := e.known[key]; ok {
			return n
		}
	}
	n := f.own + e.depth/pathLength // an error of the validator has a path
	add := func(more int64) bool {
		n = min(n+more, e.most+1)
		return n <= e.most && e.seen <= e.most
	}
	for _, other := range f.inPlace {
		if !add(e.steps(other, v)) {
			return e.most + 1
		}
	}
	ok := true
	e.depth++
	switch v := v.(type) {
	case map[string]any:
		ok = e.object(s, f, v, add)
	case []any:
		ok = e.array(s, f, v, add)
	case string:
		ok = add(f.pattern * int64(len(v)) / patternBytes)
	}
	e.depth--
	if !ok {
		return e.most + 1
	}
	if key.value != 0 {
		e.known[key] = n
	}
	return n
}

func (e *estimator) object(s *jsonschema.Schema, f *facts, v map[string]any, add func(int64) bool) bool {
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for name, member := range v {
		known := false
		if one, ok := s.Properties[name]; ok {
			known = true
			if !add(e.steps(one, member)) {
				return false
			}
		}
		for re, one := range s.PatternProperties {
			matching := 1 + f.names[re]*int64(len(name))/patternBytes
			if e.seen += matching; !add(matching) {
				return false
			}
			if re.MatchString(name) {
				known = true
				if !add(e.steps(one, member)) {
					return false
				}
			}
		}
		if !known && additional != nil && !add(e.steps(additional, member)) {
			return false
		}
		if s.PropertyNames != nil && !add(e.steps(s.PropertyNames, name)) {
			return false
		}
		if s.UnevaluatedProperties != nil && (!add(f.spread) || !add(e.steps(s.UnevaluatedProperties, member))) {
			return false
		}
	}
	return true
}

func (e *estimator) array(s *jsonschema.Schema, f *facts, v []any, add func(int64) bool) bool {
	if s.UniqueItems {
		n := comparisons(v)
		if e.seen += n; !add(n) {
			return false
		}
	}
	first := s.PrefixItems
	rest := s.Items2020
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		rest = items
	case []*jsonschema.Schema:
		first = items
		rest, _ = s.AdditionalItems.(*jsonschema.Schema)
	}
	for i, item := range v {
		one := rest
		if i < len(first) {
			one = first[i]
		}
		if one != nil && !add(e.steps(one, item)) {
			return false
		}
		if s.Contains != nil && !add(e.steps(s.Contains, item)) {
			return false
		}
		if s.UnevaluatedItems != nil && (!add(f.spread) || !add(e.steps(s.UnevaluatedItems, item))) {
			return false
		}
	}
	return true
}

// comparisons is the work of finding equal items: up to 20 are compared with each
// other, more are hashed.
func comparisons(v []any) int64 {
	n := comparison(v) / 16
	if len(v) <= 20 {
		n *= int64(len(v))
	}
	return n
}

// identity tells objects and arrays of a value apart; it is 0 for what has none.
func identity(v any) uintptr {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			return reflect.ValueOf(v).Pointer()
		}
	case []any:
		if len(v) > 0 {
			return reflect.ValueOf(v).Pointer()
		}
	}
	return 0
}

// jsonTypes is a set of JSON types, 0 for all.
type jsonTypes uint8

const (
	typeNull jsonTypes = 1 << iota
	typeBoolean
	typeNumber
	typeText
	typeArray
	typeObject
)

var typeBits = map[string]jsonTypes{"null": typeNull, "boolean": typeBoolean, "number": typeNumber, "integer": typeNumber, "string": typeText, "array": typeArray, "object": typeObject}

func declaredTypes(s *jsonschema.Schema) jsonTypes {
	var t jsonTypes
	if s.Types != nil {
		for _, name := range s.Types.ToStrings() {
			t |= typeBits[name]
		}
	}
	return t
}

func (t jsonTypes) has(v any) bool {
	is := t
	switch v.(type) {
	case nil:
		is = typeNull
	case bool:
		is = typeBoolean
	case string:
		is = typeText
	case json.Number:
		is = typeNumber
	case []any:
		is = typeArray
	case map[string]any:
		is = typeObject
	}
	return t == 0 || t&is != 0
}
