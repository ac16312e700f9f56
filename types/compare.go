package types

import "slices"

// A Mismatch is a place where values of one type do not satisfy another.
type Mismatch struct {
	Path      []string // the fields down to the place; "*" is an array's item
	Kind      MismatchKind
	Certainty Certainty
	Got       Type   // the type there, without undefined; of a missing or extra field, the object's
	Want      Type   // the type that fits; of a missing field, the field's
	Name      string // the missing or extra field; "" for fields that are not known
	OrAbsent  bool   // the value may also be absent, and that is accepted
}

// MismatchKind says what is wrong at the place.
type MismatchKind string

// The kinds of mismatch.
const (
	WrongType    MismatchKind = "type"    // another type
	WrongText    MismatchKind = "enum"    // a string that is not one of those allowed
	MissingField MismatchKind = "missing" // a required field is not there
	ExtraField   MismatchKind = "extra"   // a field that the object may not have
)

// Certainty says how much is known of a mismatch.
type Certainty int

// The certainties.
const (
	Possible Certainty = iota // for some of the values, while others fit
	Certain                   // for every value
)

// Compare returns the places where values of got do not satisfy want: those that are
// certain, and those that are possible. What may be nearly anything is not reported
// as possible, since that would be a report of all that is not known. Whether a
// value as a whole may be undefined is not compared, and an array is taken to have
// items.
func Compare(got, want Type) []Mismatch {
	var c comparison
	c.values(got, want, false, reportAll)
	return c.found
}

// Fits reports whether some value of got may satisfy want.
func Fits(got, want Type) bool {
	var c comparison
	c.values(got, want, false, reportCertain)
	return len(c.found) == 0
}

// A comparison gathers the mismatches of two types and their parts.
type comparison struct {
	found []Mismatch
	path  []string
}

// A report says which mismatches are looked for. Within a type that is one of
// several, nothing is certain.
type report uint8

const (
	reportCertain report = 1 << iota
	reportPossible

	reportAll = reportCertain | reportPossible
)

func (r report) has(other report) bool { return r&other != 0 }

func (c *comparison) add(m Mismatch) {
	m.Path = slices.Clone(c.path)
	c.found = append(c.found, m)
}

// within compares a part of the values.
func (c *comparison) within(step string, got, want Type, optional bool, r report) {
	c.path = append(c.path, step)
	c.values(got, want, optional, r)
	c.path = c.path[:len(c.path)-1]
}

func (c *comparison) values(got, want Type, optional bool, r report) {
	orAbsent := optional && got.Has(Undefined)
	got = got.Without(Undefined)
	if got.Kinds == 0 || want.Kinds == 0 || len(c.path) > MaxDepth {
		return
	}
	if r.has(reportCertain) && c.certain(got, want) {
		return
	}
	if got.Has(Function) {
		got, r = got.Without(Function), r&^reportCertain
	}
	if got.IsOpen() || want.IsOpen() {
		r &^= reportPossible
	}
	if got.Kinds == 0 || r.has(reportPossible) && c.possible(got, want, orAbsent) {
		return
	}
	if got.Has(Object) {
		c.fields(got, want, r.within(got, Object))
	}
	if got.Has(Array) && want.Elem != nil {
		c.items(got, want, r.within(got, Array))
	}
}

// within returns what is looked for in the parts of the values of kind k.
func (r report) within(got Type, k Kind) report {
	if !got.Only(k) {
		r &^= reportCertain
	}
	return r
}

// certain adds what is wrong whatever the value is, apart from its parts.
func (c *comparison) certain(got, want Type) bool {
	switch both := got.Kinds & want.Kinds; {
	case both == 0:
		c.add(Mismatch{Kind: WrongType, Certainty: Certain, Got: got, Want: want})
	case both == String && got.Only(String) && got.Enum != nil && want.Enum != nil && !slices.ContainsFunc(got.Enum, want.allowsText):
		c.add(Mismatch{Kind: WrongText, Certainty: Certain, Got: got, Want: want})
	default:
		return false
	}
	return true
}

// possible adds what is wrong for some of the values, apart from their parts.
func (c *comparison) possible(got, want Type, orAbsent bool) bool {
	m := Mismatch{Got: got, Want: want, OrAbsent: orAbsent}
	switch {
	case got.Kinds&^want.Kinds != 0:
		m.Kind = WrongType
	case want.Enum != nil && got.Has(String) && (got.Enum == nil || slices.ContainsFunc(got.Enum, func(text string) bool { return !want.allowsText(text) })):
		m.Kind = WrongText
	default:
		return false
	}
	c.add(m)
	return true
}

func (s Type) allowsText(text string) bool { return slices.Contains(s.Enum, text) }

// fields compares objects. One without known fields may be anything.
func (c *comparison) fields(got, want Type, r report) {
	if len(got.Fields) == 0 && !got.Closed {
		r &^= reportPossible
	}
	if r == 0 {
		return
	}
	for _, f := range want.Fields {
		have, listed := got.Field(f.Name)
		if !f.Optional {
			c.missing(got, f, have, listed, r)
		}
		if listed {
			c.within(f.Name, have, f.Type, f.Optional, r)
		}
	}
	if want.Closed {
		c.extra(got, want, r)
	}
}

// missing compares a required field, which is have in got.
func (c *comparison) missing(got Type, f Field, have Type, listed bool, r report) {
	m := Mismatch{Kind: MissingField, Got: got, Want: f.Type, Name: f.Name}
	switch {
	case r.has(reportCertain) && have.Only(Undefined):
		m.Certainty = Certain
	case !r.has(reportPossible):
		return
	case !listed:
	case !have.Has(Undefined) || have.OnlyPastEnd || have.IsOpen():
		return
	}
	c.add(m)
}

// extra compares the fields of an object with one that has no others than listed.
func (c *comparison) extra(got, want Type, r report) {
	known := false
	for _, f := range got.Fields {
		if _, listed := want.Field(f.Name); listed {
			continue
		}
		m := Mismatch{Kind: ExtraField, Got: got, Want: want, Name: f.Name}
		switch {
		case r.has(reportCertain) && !f.Optional && !f.Type.Has(Undefined):
			m.Certainty = Certain
		case !r.has(reportPossible) || known:
			continue
		}
		known = true
		c.add(m)
	}
	if !known && !got.Closed && r.has(reportPossible) {
		c.add(Mismatch{Kind: ExtraField, Got: got, Want: want})
	}
}

// items compares arrays: the items that all of them have, then the others.
func (c *comparison) items(got, want Type, r report) {
	if r.has(reportCertain) {
		before := len(c.found)
		for _, item := range got.Known {
			if c.within("*", item, *want.Elem, false, reportCertain); len(c.found) > before {
				return
			}
		}
	}
	if got.Elem != nil && r != 0 {
		c.within("*", *got.Elem, *want.Elem, false, r)
	}
}
