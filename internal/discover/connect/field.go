package connect

import (
	"cmp"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/types"
)

// A field is an argument, or a value in an output.
type field struct {
	label    string // an argument's or a wanted field's name
	name     []word
	context  []word // of what it is of
	typ      types.Type
	required bool
	path     string // from the output, for all that is there: ".items.name"
	first    string // the same of the first items: ".items[0].name"
	many     bool   // a list is on the way
	list     string // the path of the innermost list, if many
	leaf     string // the path from its item
	item     *field // the field as seen from its item
	depth    int    // how many objects it is in
	top      string // the name of the outermost of them, or its own

	// Bits of the words of the name, of those and the words of their groups, and of the same
	// of the context: where none is in common, names are not alike.
	own, wide, of uint64
}

// bits sets the bits of a field's words.
func (v *vocabulary) bits(f *field) {
	for _, w := range f.name {
		f.own |= v.bit(w)
	}
	f.wide, f.of = f.own|v.wider(f.name), v.wider(f.context)
	for _, w := range f.context {
		f.of |= v.bit(w)
	}
}

func (v *vocabulary) bit(w word) uint64 {
	if w == unknown {
		return 0
	}
	return 1 << (w % 64)
}

func (v *vocabulary) wider(list []word) (bits uint64) {
	for _, w := range list {
		if w != unknown {
			for _, near := range v.near[w] {
				bits |= v.bit(near)
			}
		}
	}
	return bits
}

// fields appends a value of an output and those in it, with the words of their names.
func fields(to []*field, f field, depth int, v *vocabulary, words func(string) []word) []*field {
	if len(to) >= maxFields {
		return to
	}
	v.bits(&f)
	if f.many {
		item := f
		item.many, item.path, item.first = false, f.leaf, f.leaf
		f.item = &item
	}
	to = append(to, &f)
	if depth == 0 {
		return to
	}
	if f.typ.Has(types.Array) && f.typ.Elem != nil {
		item := f
		item.typ = f.typ.Items().Without(types.Undefined | types.Null)
		if item.typ.Has(types.Object) {
			item.first += "[0]"
			item.many, item.list, item.leaf = true, f.path, ""
			to = members(to, item, depth-1, v, words)
		}
	}
	if f.typ.Has(types.Object) {
		to = members(to, f, depth-1, v, words)
	}
	return to
}

func members(to []*field, of field, depth int, v *vocabulary, words func(string) []word) []*field {
	context := of.context
	if len(of.path) > 0 { // the name of an output as a whole is that of its node
		context = append(append([]word{}, of.context...), of.name...)
	}
	for _, m := range of.typ.Fields {
		f := field{label: m.Name, name: words(m.Name), context: context, typ: m.Type.Without(types.Undefined | types.Null), many: of.many, list: of.list, depth: of.depth + 1, top: cmp.Or(of.top, m.Name)}
		name := "." + types.QuoteName(m.Name)
		f.path, f.first, f.leaf = of.path+name, of.first+name, of.leaf+name
		to = fields(to, f, depth, v, words)
	}
	return to
}

// fit says how well a value of one type is one of another, from 0.
func fit(got, want types.Type, depth int) float64 {
	got, want = got.Without(types.Undefined|types.Null), want.Without(types.Undefined|types.Null)
	switch {
	case got.Kinds == 0 || want.Kinds == 0:
		return 0
	case got.IsOpen() || want.IsOpen():
		return partly
	case got.Kinds&want.Kinds == 0:
		return 0
	}
	how := 1.
	if got.Kinds&^want.Kinds&^types.Number != 0 || got.Has(types.Number) && !want.Has(types.Number) {
		how = partly
	}
	if want.Enum != nil && got.Has(types.String) {
		if !types.Fits(got.Without(^types.String), want) {
			return 0
		}
		if got.Enum == nil {
			how *= partly
		}
	}
	if depth == 0 {
		return how
	}
	if got.Has(types.Array) && want.Has(types.Array) && want.Elem != nil {
		if got.Elem == nil {
			return how * partly
		}
		how *= fit(*got.Elem, *want.Elem, depth-1)
	}
	if got.Has(types.Object) && want.Has(types.Object) && len(want.Fields) > 0 {
		if len(got.Fields) == 0 {
			return how * partly
		}
		for _, f := range want.Fields {
			have, listed := got.Field(f.Name)
			switch {
			case listed && have.Without(types.Undefined).Kinds != 0:
				how *= fit(have, f.Type, depth-1)
			case !f.Optional:
				return 0
			}
		}
	}
	return how
}

const partly = .7 // fit of values that may be of another type

// How well values fit that an expression converts.
const (
	asItem   = .8  // the first of a list
	asList   = .85 // a list of one
	asText   = .9
	asNumber = .6
	asFields = .95 // an object made of others' fields
)

// A form is what an expression does with the value of a field.
type form int

const (
	asIs form = iota
	itemOf
	listOf
	firstOf
	eachOf
	textOf
	numberOf
)

var formWords = [...]string{itemOf: "the first", listOf: "as a list", firstOf: "of the first", eachOf: "of each", textOf: "as text", numberOf: "as a number"}

// convert is how well the value of a field is of a type, and in which form.
func convert(from *field, want types.Type) (how float64, as form) {
	want = want.Without(types.Undefined | types.Null)
	try := func(h float64, f form) {
		if h > how {
			how, as = h, f
		}
	}
	typ := from.typ
	list := want.Has(types.Array) && want.Elem != nil
	if !from.many {
		try(fit(typ, want, 3), asIs)
		if typ.Has(types.Array) && typ.Elem != nil {
			try(asItem*fit(*typ.Elem, want, 2), itemOf)
		}
		if list {
			try(asList*fit(typ, *want.Elem, 2), listOf)
		}
	} else {
		try(asItem*fit(typ, want, 3), firstOf)
		if list {
			try(fit(typ, *want.Elem, 2), eachOf)
		}
	}
	if want.Only(types.String) && want.Enum == nil && typ.Only(types.Number) {
		try(asText*one(from), textOf)
	}
	if want.Only(types.Number) && typ.Only(types.String) && typ.Enum == nil {
		try(asNumber*one(from), numberOf)
	}
	return how, as
}

// expression is a field in a form, where what it is in is at an expression; "" is the item
// of a list.
func (f *field) expression(at string, as form) string {
	each, first := at+f.path, at+f.first
	if at == "" {
		each = cmp.Or(strings.TrimPrefix(each, "."), "$")
		first = cmp.Or(strings.TrimPrefix(first, "."), "$")
	}
	switch as {
	case itemOf:
		return each + "[0]"
	case listOf, eachOf:
		return "[" + each + "]"
	case firstOf:
		return first
	case textOf:
		return "$string(" + first + ")"
	case numberOf:
		return "$number(" + first + ")"
	}
	return each
}

func one(f *field) float64 {
	if f.many {
		return asItem
	}
	return 1
}

// describe says what a connection rests on: the types, and what is done between them.
func describe(from *field, want types.Type, as form) string {
	text := short(from.typ)
	if to := short(want.Without(types.Undefined | types.Null)); to != text {
		text += " to " + to
	}
	if as != asIs {
		text += ", " + formWords[as]
	}
	return text
}

// maxType is how many characters of a type are shown.
const maxType = 40

func short(t types.Type) string { return diag.Cut(t.String(), maxType) }
