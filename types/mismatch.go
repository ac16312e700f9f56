package types

import (
	"slices"
)

// A Mismatch is why no value of one shape is a value of another.
type Mismatch struct {
	Path []string // the fields down to the place; "[]" is an array's item
	Kind MismatchKind
	Got  Type   // what is there; of a missing or extra field, the object
	Want Type   // what would fit
	Name string // the missing or extra field
}

// MismatchKind says what is wrong at the place.
type MismatchKind string

// The kinds of misfit.
const (
	WrongType    MismatchKind = "type"    // another type
	WrongText    MismatchKind = "enum"    // a string that is not one of those allowed
	MissingField MismatchKind = "missing" // a required field is not there
	ExtraField   MismatchKind = "extra"   // a field that the object may not have
)

// Mismatch returns the first reason, by field name, why a value of s that is there
// cannot be a value of want, or nil when some can. That a value may be undefined
// is not a reason, nor is what an unknown part could be.
func (s Type) Mismatch(want Type) *Mismatch { return s.misfit(want, nil) }

func (s Type) misfit(want Type, path []string) *Mismatch {
	s = s.Without(Undefined | Function)
	both := s.Kinds & want.Kinds
	switch {
	case s.Kinds == 0 || len(path) > MaxDepth:
		return nil
	case both == 0:
		return &Mismatch{Path: slices.Clone(path), Kind: WrongType, Got: s, Want: want}
	case both&^(String|Array|Object) != 0:
		return nil // a scalar that fits as it is
	}
	var first *Mismatch // of the kinds that both have, none may fit
	for _, m := range []func(Type, []string) (*Mismatch, bool){s.misfitText, s.misfitItems, s.misfitFields} {
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

func (s Type) misfitText(want Type, path []string) (*Mismatch, bool) {
	if !s.Has(String) || !want.Has(String) {
		return nil, false
	}
	if s.Enum == nil || want.Enum == nil || slices.ContainsFunc(s.Enum, func(v string) bool { return slices.Contains(want.Enum, v) }) {
		return nil, true
	}
	return &Mismatch{Path: slices.Clone(path), Kind: WrongText, Got: s, Want: want}, true
}

// misfitItems takes an array for one that has items.
func (s Type) misfitItems(want Type, path []string) (*Mismatch, bool) {
	if !s.Has(Array) || !want.Has(Array) {
		return nil, false
	}
	return s.Items().misfit(want.Items(), append(path, "[]")), true
}

func (s Type) misfitFields(want Type, path []string) (*Mismatch, bool) {
	if !s.Has(Object) || !want.Has(Object) {
		return nil, false
	}
	for _, f := range want.Fields {
		got, listed := s.Field(f.Name)
		if !listed && s.Closed || got.Kinds == Undefined {
			if !f.Optional {
				return &Mismatch{Path: slices.Clone(path), Kind: MissingField, Got: s, Want: want, Name: f.Name}, true
			}
			continue
		}
		if got.Has(Undefined) && f.Optional {
			continue // it may be absent, and then it fits
		}
		if m := got.misfit(f.Type, append(path, f.Name)); m != nil {
			return m, true
		}
	}
	for _, f := range s.Fields {
		if _, listed := want.Field(f.Name); !listed && want.Closed && !f.Optional && !f.Type.Has(Undefined) {
			return &Mismatch{Path: slices.Clone(path), Kind: ExtraField, Got: s, Want: want, Name: f.Name}, true
		}
	}
	return nil, true
}
