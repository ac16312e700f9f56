package expr

import "slices"

// A Misfit is why no value of one shape is a value of another.
type Misfit struct {
	Path []string // the fields down to the place; "[]" is an array's item
	Kind MisfitKind
	Got  Shape  // what is there; of a missing or extra field, the object
	Want Shape  // what would fit
	Name string // the missing or extra field
}

// MisfitKind says what is wrong at the place.
type MisfitKind string

// The kinds of misfit.
const (
	MisfitType    MisfitKind = "type"    // another type
	MisfitEnum    MisfitKind = "enum"    // a string that is not one of those allowed
	MisfitMissing MisfitKind = "missing" // a required field is not there
	MisfitExtra   MisfitKind = "extra"   // a field that the object may not have
)

// Misfit returns the first reason, by field name, why a value of s that is there
// cannot be a value of want, or nil when some can. That a value may be undefined
// is not a reason, nor is what an unknown part could be.
func (s Shape) Misfit(want Shape) *Misfit { return s.misfit(want, nil) }

func (s Shape) misfit(want Shape, path []string) *Misfit {
	s = s.Without(ShapeUndefined | ShapeFunction)
	both := s.Kinds & want.Kinds
	switch {
	case s.Kinds == 0 || len(path) > maxShapeDepth:
		return nil
	case both == 0:
		return &Misfit{Path: slices.Clone(path), Kind: MisfitType, Got: s, Want: want}
	case both&^(ShapeString|ShapeArray|ShapeObject) != 0:
		return nil // a scalar that fits as it is
	}
	var first *Misfit // of the kinds that both have, none may fit
	for _, m := range []func(Shape, []string) (*Misfit, bool){s.misfitText, s.misfitItems, s.misfitFields} {
		found, applies := m(want, path)
		if applies && found == nil {
			return nil
		}
		if first == nil {
			first = found
		}
	}
	return first
}

func (s Shape) misfitText(want Shape, path []string) (*Misfit, bool) {
	if !s.Has(ShapeString) || !want.Has(ShapeString) {
		return nil, false
	}
	if s.Enum == nil || want.Enum == nil || slices.ContainsFunc(s.Enum, func(v string) bool { return slices.Contains(want.Enum, v) }) {
		return nil, true
	}
	return &Misfit{Path: slices.Clone(path), Kind: MisfitEnum, Got: s, Want: want}, true
}

// misfitItems takes an array for one that has items.
func (s Shape) misfitItems(want Shape, path []string) (*Misfit, bool) {
	if !s.Has(ShapeArray) || !want.Has(ShapeArray) {
		return nil, false
	}
	return s.Items().misfit(want.Items(), append(path, "[]")), true
}

func (s Shape) misfitFields(want Shape, path []string) (*Misfit, bool) {
	if !s.Has(ShapeObject) || !want.Has(ShapeObject) {
		return nil, false
	}
	for _, f := range want.Fields {
		got, listed := s.Field(f.Name)
		if !listed && s.Strict || got.Kinds == ShapeUndefined {
			if !f.Optional {
				return &Misfit{Path: slices.Clone(path), Kind: MisfitMissing, Got: s, Want: want, Name: f.Name}, true
			}
			continue
		}
		if got.Has(ShapeUndefined) && f.Optional {
			continue // it may be absent, and then it fits
		}
		if m := got.misfit(f.Shape, append(path, f.Name)); m != nil {
			return m, true
		}
	}
	for _, f := range s.Fields {
		if _, listed := want.Field(f.Name); !listed && want.Strict && !f.Optional && !f.Shape.Has(ShapeUndefined) {
			return &Misfit{Path: slices.Clone(path), Kind: MisfitExtra, Got: s, Want: want, Name: f.Name}, true
		}
	}
	return nil, true
}
