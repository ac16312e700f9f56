package schema

import (
	"math"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// infinite is more steps than any bound. It leaves room to add.
const infinite = math.MaxInt64 / 4

// Bounds within which one visit of a schema counts as cheap.
const (
	cheapVisit   = 16
	cheapPattern = 1000
)

// maxChain is how many schemas may lead to one another for the same value.
const maxChain = 200

// facts are what is known of one schema without a value.
type facts struct {
	own     int64 // steps of one visit, apart from other schemas and patterns
	pattern int64 // instructions of its pattern
	names   map[jsonschema.Regexp]int64
	types   jsonTypes

	inPlace  []*jsonschema.Schema // those that see the same value
	children []*jsonschema.Schema // those that see its parts

	spread int64 // schemas that see the same value, in all
	chain  int   // the longest way among them
	total  int64 // steps for one value at most, with its parts
	state  int8  // of the search: 0 new, 1 begun, 2 done
}

// measure finds every schema that the root leads to, and what it costs.
func (s *validator) measure() error {
	s.facts = map[*jsonschema.Schema]*facts{}
	var all []*jsonschema.Schema
	queue := []*jsonschema.Schema{s.root}
	for len(queue) > 0 {
		next := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if next == nil || s.facts[next] != nil {
			continue
		}
		f := newFacts(next)
		s.facts[next] = f
		all = append(all, next)
		queue = append(append(queue, f.inPlace...), f.children...)
	}
	if err := s.dynamic(all); err != nil {
		return err
	}
	s.linear = true
	for _, one := range all {
		if err := s.spread(one); err != nil {
			return err
		}
		s.linear = s.linear && s.facts[one].linear(one)
	}
	for _, f := range s.facts {
		f.state = 0
	}
	s.size = s.total(s.root)
	return nil
}

// dynamic adds what dynamic references may lead to: every schema of the anchor.
func (s *validator) dynamic(all []*jsonschema.Schema) error {
	anchors := map[string][]*jsonschema.Schema{}
	var recursive []*jsonschema.Schema
	for _, one := range all {
		if one.DynamicAnchor != "" {
			anchors[one.DynamicAnchor] = append(anchors[one.DynamicAnchor], one)
		}
		if one.RecursiveAnchor {
			recursive = append(recursive, one)
		}
	}
	added := 0
	for _, from := range all {
		f := s.facts[from]
		var to []*jsonschema.Schema
		if from.RecursiveRef != nil {
			to = recursive
		}
		if from.DynamicRef != nil {
			to = anchors[from.DynamicRef.Anchor]
		}
		if added += len(to); added > maxSpread {
			return refuse(nil, "the schema has too many dynamic references; use $ref instead")
		}
		for _, one := range to {
			if !slices.Contains(f.inPlace, one) {
				f.inPlace = append(f.inPlace, one)
			}
		}
	}
	return nil
}

// newFacts lists the schemas within one.
func newFacts(s *jsonschema.Schema) *facts {
	f := &facts{own: 1, types: declaredTypes(s)}
	if s.Bool != nil {
		return f
	}
	here := func(list ...*jsonschema.Schema) {
		for _, one := range list {
			if one != nil {
				f.inPlace = append(f.inPlace, one)
			}
		}
	}
	below := func(list ...*jsonschema.Schema) {
		for _, one := range list {
			if one != nil {
				f.children = append(f.children, one)
			}
		}
	}
	here(s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else)
	if s.DynamicRef != nil {
		here(s.DynamicRef.Ref)
	}
	here(s.AllOf...)
	here(s.AnyOf...)
	here(s.OneOf...)
	for _, one := range s.DependentSchemas {
		here(one)
	}
	for _, one := range s.Dependencies {
		switch one := one.(type) {
		case *jsonschema.Schema:
			here(one)
		case []string:
			f.own += int64(len(one)) / 4
		}
	}
	for _, names := range s.DependentRequired {
		f.own += int64(len(names)) / 4
	}
	for _, one := range s.Properties {
		below(one)
	}
	for re, one := range s.PatternProperties {
		below(one)
		if f.names == nil {
			f.names = map[jsonschema.Regexp]int64{}
		}
		f.names[re] = regex.Size(re.String())
	}
	below(subschemas(s.AdditionalProperties)...)
	below(subschemas(s.Items)...)
	below(subschemas(s.AdditionalItems)...)
	below(s.PropertyNames, s.UnevaluatedProperties, s.UnevaluatedItems, s.Contains, s.Items2020)
	below(s.PrefixItems...)

	f.own += int64(len(s.Required)) / 4
	if s.Enum != nil {
		var sixteenths int64
		for _, v := range s.Enum.Values {
			sixteenths += comparison(v)
		}
		f.own += sixteenths / 16
	}
	if s.Const != nil {
		f.own += comparison(*s.Const) / 16
	}
	if s.Pattern != nil {
		f.pattern = regex.Size(s.Pattern.String())
	}
	return f
}

// subschemas lists what a keyword with several forms holds.
func subschemas(v any) []*jsonschema.Schema {
	switch v := v.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{v}
	case []*jsonschema.Schema:
		return v
	}
	return nil
}

// linear reports whether the schema sees each value with at most one other schema,
// and each part of it with one.
func (f *facts) linear(s *jsonschema.Schema) bool {
	if s.Ref != nil && len(f.children) > 0 || s.Ref == nil && len(f.inPlace) > 0 || len(f.inPlace) > 1 {
		return false
	}
	return f.own <= cheapVisit && f.spread <= cheapVisit && f.pattern <= cheapPattern && len(f.names) == 0 && !s.UniqueItems &&
		s.PropertyNames == nil && s.Contains == nil && s.UnevaluatedProperties == nil && s.UnevaluatedItems == nil
}

// spread counts the schemas that see the same value, each as often as it does.
func (s *validator) spread(one *jsonschema.Schema) error {
	f := s.facts[one]
	switch f.state {
	case 1:
		return refuse(nil, "the schema at %s refers to itself for the same value; a recursive schema refers to itself within properties or items", schemaPointer(one))
	case 2:
		return nil
	}
	f.state = 1
	f.spread = 1
	for _, other := range f.inPlace {
		if err := s.spread(other); err != nil {
			return err
		}
		f.spread += s.facts[other].spread
		if f.chain = max(f.chain, s.facts[other].chain+1); f.chain > maxChain {
			return refuse(nil, "the schema at %s is too expensive: more than %d schemas refer to one another for one value; use fewer references", schemaPointer(one), maxChain)
		}
		if f.spread > maxSpread {
			return refuse(nil, "the schema at %s is too expensive: its references and alternatives expand to more than %d schemas for one value; use fewer alternatives", schemaPointer(one), maxSpread)
		}
	}
	f.state = 2
	return nil
}

// total is the number of steps for one value and its parts, each part seen once.
func (s *validator) total(one *jsonschema.Schema) int64 {
	f := s.facts[one]
	switch f.state {
	case 1:
		return infinite
	case 2:
		return f.total
	}
	f.state = 1
	f.total = f.own + f.pattern/patternBytes
	for _, n := range f.names {
		f.total += 1 + n/patternBytes
	}
	if one.UniqueItems {
		f.total += cheapVisit
	}
	if one.UnevaluatedProperties != nil || one.UnevaluatedItems != nil {
		f.total += f.spread
	}
	for _, list := range [][]*jsonschema.Schema{f.inPlace, f.children} {
		for _, other := range list {
			f.total = min(f.total+s.total(other), infinite)
		}
	}
	f.state = 2
	return f.total
}

// schemaPointer is the JSON Pointer of a schema within its document.
func schemaPointer(s *jsonschema.Schema) string {
	_, pointer, _ := strings.Cut(s.Location, "#")
	if pointer == "" {
		return "the top"
	}
	return pointer
}
