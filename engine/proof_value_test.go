package engine_test

import (
	"fmt"
	"strconv"
)

// text builds an expression that gives a string.
func (b *builder) text(want *typ, depth int) *ex {
	s := func() *ex { return b.sure(aString, depth) }
	switch b.r.IntN(20) {
	case 0:
		return piece(want, "(", s(), " & ", b.expr(scalarType(b.r), depth), ")")
	case 1:
		return call(want, []string{"uppercase", "lowercase", "trim"}[b.r.IntN(3)], b.expr(aString, depth).as(textRole))
	case 2:
		return call(want, "substring", b.expr(aString, depth).as(textRole), b.sure(anInt, depth).as(numberRole))
	case 3:
		return call(want, "string", b.expr([]*typ{aNumber, anInt, aBoolean, aString}[b.r.IntN(4)], depth))
	case 4:
		if list := b.items((*typ).textual); list != nil {
			return call(want, "join", list, "', '")
		}
	case 5:
		return piece(want, "(", s(), " ~> $uppercase", ")")
	case 6:
		return piece(want, "(", s().as(textRole), " ~> ", (&ex{parts: []any{"$substringBefore"}}).as(callRole), "(' '))")
	case 7:
		return call(want, "replace", b.expr(aString, depth).as(textRole), "'a'", s().as(textRole))
	case 8:
		if list := b.items((*typ).textual); list != nil {
			v := b.variable("item")
			item := b.with(source{head: variable(v), t: aString})
			return call(want, "reduce", list, piece(nil, "function($acc, $"+v+") { $acc & ", item.sure(aString, depth), " }"), "''")
		}
	case 9:
		return piece(want, call(foreachItems(want), "split", s().as(textRole), "','"), "[0]").perhaps()
	case 10:
		return call(want, "lookup", piece(nil, "{'key': ", s(), "}"), "'key'")
	case 11:
		if list := b.items((*typ).textual); list != nil {
			v := b.variable("s")
			item := b.with(source{head: variable(v), t: aString})
			return piece(want, list, " ~> ", call(nil, "map", piece(nil, "function($"+v+") { ", item.sure(aString, depth), " }")), " ~> $join('|')").paren(list.maybe)
		}
	case 12:
		if e := b.filtered(aString, depth); e != nil {
			return e
		}
	case 13:
		if list := b.items(isObject); list != nil {
			return b.sorted(list, want)
		}
	case 14:
		return call(want, "pad", b.expr(aString, depth).as(textRole), b.sure(anInt, depth).as(numberRole))
	case 15:
		return call(want, "formatNumber", b.expr(aNumber, depth).as(numberRole), "'0.00'")
	case 16:
		if u := b.path(&typ{kind: "union"}); u != nil {
			return piece(want, "(", call(nil, "type", u), " = 'string' ? ", call(nil, "lowercase", u.String()), " : ", call(nil, "string", u.String()), ")").maybeIf(u.maybe)
		}
	case 17:
		if n := b.path(&typ{kind: "string", nullable: true}); n != nil && n.t.nullable {
			return piece(want, "(", n, " = null ? 'none' : ", call(nil, "string", n.String()), ")").maybeIf(n.maybe)
		}
	}
	return b.literal(want)
}

func (e *ex) maybeIf(maybe bool) *ex {
	e.maybe = e.maybe || maybe
	return e
}

func (e *ex) paren(maybe bool) *ex {
	return &ex{parts: []any{"(", e, ")"}, t: e.t, maybe: maybe}
}

func isObject(t *typ) bool { return t.kind == "object" && !t.nullable && len(t.fields) > 0 }

// number builds an expression that gives a number, or an integer.
func (b *builder) number(want *typ, depth int) *ex {
	n := func() *ex { return b.expr(want, depth).as(numberRole) }
	switch b.r.IntN(14) {
	case 0, 1:
		l, r := n(), n()
		return piece(want, "(", l, " "+[]string{"+", "-", "*"}[b.r.IntN(3)]+" ", r, ")").maybeIf(l.maybe || r.maybe)
	case 2:
		return call(want, "abs", n())
	case 3:
		if list := b.items(func(t *typ) bool { return t.fits(want) }); list != nil {
			return call(want, []string{"sum", "max", "min"}[b.r.IntN(3)], list.as(numbersRole)).perhaps()
		}
	case 4:
		return call(want, []string{"floor", "ceil", "round"}[b.r.IntN(3)], b.expr(aNumber, depth).as(numberRole))
	case 5:
		if list := b.items(func(t *typ) bool { return t.fits(want) }); list != nil {
			v := b.variable("n")
			item := b.with(source{head: variable(v), t: want})
			add := item.sure(want, depth).as(numberRole)
			return call(want, "reduce", list, piece(nil, "function($acc, $"+v+") { $acc + ", add, " }"), "0")
		}
	case 6:
		if list := b.items(isObject); list != nil {
			row := b.variable("row")
			item := b.with(source{head: variable(row), t: list.t.elem})
			return call(want, "sum", call(nil, "map", list, piece(nil, "function($"+row+") { ", item.sure(want, depth).as(numberRole), " }"))).perhaps()
		}
	case 7:
		if e := b.filtered(want, depth); e != nil {
			return e
		}
	case 8:
		e := n()
		return piece(want, "-", e).paren(e.maybe)
	case 9:
		if list := b.items(isObject); list != nil {
			item := b.with(source{t: list.t.elem, bare: true})
			return call(want, "sum", piece(nil, list, ".(", item.sure(want, depth).as(numberRole), ")")).perhaps()
		}
	}
	if want.kind == "number" {
		switch b.r.IntN(4) {
		case 0:
			e := b.expr(aNumber, depth).as(numberRole)
			return piece(want, "(", e, " / "+strconv.Itoa(1+b.r.IntN(9))+")").maybeIf(e.maybe)
		case 1:
			if list := b.items((*typ).numeric); list != nil {
				return call(want, "average", list.as(numbersRole)).perhaps()
			}
		case 2:
			return call(want, "number", b.expr(anInt, depth))
		}
		return b.literal(want)
	}
	switch b.r.IntN(5) {
	case 0:
		if list := b.items(func(*typ) bool { return true }); list != nil {
			return call(want, "count", list).sureOf()
		}
	case 1:
		return call(want, "length", b.expr(aString, depth).as(textRole))
	case 2:
		if list := b.items(isObject); list != nil {
			item := b.with(source{t: list.t.elem, bare: true})
			return call(want, "count", piece(nil, list, "[", item.sure(aBoolean, depth), "]")).sureOf()
		}
	case 3:
		if list := b.items(isObject); list != nil {
			return call(want, "count", call(nil, "keys", list)).sureOf()
		}
	}
	return b.literal(want)
}

// sureOf is e, which is there whatever its arguments are.
func (e *ex) sureOf() *ex {
	e.maybe = false
	return e
}

// filtered is the first of what a predicate, or $filter, leaves of a list.
func (b *builder) filtered(want *typ, depth int) *ex {
	list := b.items(isObject)
	if list == nil {
		return nil
	}
	for _, f := range list.t.elem.fields {
		if !f.t.fits(want) {
			continue
		}
		name := &ex{parts: []any{f.name}, role: fieldRole, in: list.t.elem}
		if b.chance(2) {
			row := b.variable("row")
			item := b.with(source{head: variable(row), t: list.t.elem})
			kept := call(nil, "filter", list, piece(nil, "function($"+row+") { ", item.sure(aBoolean, depth), " }"))
			return piece(want, kept, ".", name, "[0]").paren(true)
		}
		item := b.with(source{t: list.t.elem, bare: true})
		return piece(want, list, "[", item.sure(aBoolean, depth), "].", name, "[0]").paren(true)
	}
	return nil
}

// sorted is a field of the first of a sorted list.
func (b *builder) sorted(list *ex, want *typ) *ex {
	var by *field
	for _, f := range list.t.elem.fields {
		if (f.t.numeric() || f.t.textual()) && !f.t.nullable {
			by = f
		}
	}
	if by == nil {
		return b.literal(want)
	}
	name := func() *ex { return &ex{parts: []any{by.name}, role: fieldRole, in: list.t.elem} }
	return call(want, "string", piece(nil, list, "^("+[]string{"", ">"}[b.r.IntN(2)], name(), ")[0].", name())).perhaps()
}

// boolean builds an expression that gives true or false.
func (b *builder) boolean(depth int) *ex {
	switch b.r.IntN(11) {
	case 0, 1:
		t := []*typ{aNumber, anInt}[b.r.IntN(2)]
		return piece(aBoolean, "(", b.sure(t, depth).as(numberRole), " "+[]string{"<", "<=", ">", ">="}[b.r.IntN(4)]+" ", b.sure(t, depth).as(numberRole), ")")
	case 2:
		return piece(aBoolean, "(", b.sure(aString, depth), " < ", b.sure(aString, depth), ")")
	case 3:
		t := scalarType(b.r)
		return piece(aBoolean, "(", b.expr(t, depth), " "+[]string{"=", "!="}[b.r.IntN(2)]+" ", b.expr(t, depth), ")")
	case 4:
		return piece(aBoolean, "(", b.expr(aBoolean, depth), " "+[]string{"and", "or"}[b.r.IntN(2)]+" ", b.expr(aBoolean, depth), ")")
	case 5:
		if e := b.path([]*typ{aString, aNumber, anInt}[b.r.IntN(3)]); e != nil {
			return call(aBoolean, "exists", e).sureOf()
		}
	case 6:
		return call(aBoolean, "not", b.sure(aBoolean, depth))
	case 7:
		return call(aBoolean, "contains", b.sure(aString, depth).as(textRole), "'a'")
	case 8:
		if list := b.items((*typ).textual); list != nil {
			return piece(aBoolean, "(", b.sure(aString, depth), " in ", list, ")")
		}
	case 9:
		return call(aBoolean, "boolean", b.sure(scalarType(b.r), depth))
	}
	return b.literal(aBoolean)
}

// list builds an expression that gives an array, of one item too.
func (b *builder) list(want *typ, depth int) *ex {
	elem := want.elem
	if !want.filled {
		switch b.r.IntN(9) {
		case 0:
			if list := b.items(func(t *typ) bool { return t.fits(elem) }); list != nil {
				return piece(want, "[", list, "]")
			}
		case 1:
			if list := b.items(isObject); list != nil {
				row, place := b.variable("row"), b.variable("place")
				item := b.with(source{head: variable(row), t: list.t.elem}, source{head: variable(place), t: anInt})
				return piece(want, "[", call(nil, "map", list, piece(nil, "function($"+row+", $"+place+") { ", item.sure(elem, depth), " }")), "]")
			}
		case 2:
			if list := b.items(isObject); list != nil {
				item := b.with(source{t: list.t.elem, bare: true})
				return piece(want, "[", list, ".(", item.sure(elem, depth), ")]")
			}
		case 3:
			return call(want, "append", b.sure(want, depth), b.sure(want, depth))
		case 4:
			if list := b.items(func(t *typ) bool { return t.fits(elem) }); list != nil {
				return piece(want, "[", call(nil, []string{"reverse", "distinct"}[b.r.IntN(2)], list), "]")
			}
		case 5:
			if list := b.items(func(t *typ) bool { return t.fits(elem) && isObject(t) }); list != nil {
				item := b.with(source{t: list.t.elem, bare: true})
				return piece(want, "[", list, "[", item.sure(aBoolean, depth), "]]")
			}
		case 6:
			if elem.kind == "integer" {
				return piece(want, "[1..", b.sure(anInt, depth), "]")
			}
		case 7:
			if list := b.items(func(t *typ) bool { return t.fits(elem) && (t.numeric() || t.textual()) }); list != nil {
				return piece(want, "[", call(nil, "sort", list), "]")
			}
		}
	}
	e := piece(want, "[", b.sure(elem, depth))
	for range b.r.IntN(3) {
		e.parts = append(e.parts, ", ", b.sure(elem, depth))
	}
	e.parts = append(e.parts, "]")
	return e
}

// object builds an expression that gives an object.
func (b *builder) object(want *typ, depth int) *ex {
	if b.chance(10) && len(want.fields) > 1 && want.strict {
		half := len(want.fields) / 2
		l := &typ{kind: "object", strict: true, fields: want.fields[:half]}
		r := &typ{kind: "object", strict: true, fields: want.fields[half:]}
		return call(want, "merge", piece(nil, "[", b.made(l, depth), ", ", b.made(r, depth), "]"))
	}
	return b.made(want, depth)
}

// made is an object constructor.
func (b *builder) made(want *typ, depth int) *ex {
	e := piece(want, "{")
	add := func(name string, value *ex) {
		m := piece(value.t, "'"+name+"': ", value).as(memberRole)
		m.node = name
		if len(e.parts) > 1 {
			m.parts = append([]any{", "}, m.parts...)
		}
		e.parts = append(e.parts, m)
	}
	for _, f := range want.fields {
		if f.optional {
			add(f.name, b.expr(f.t, depth))
		} else {
			add(f.name, b.sure(f.t, depth))
		}
	}
	if !want.strict && b.chance(3) {
		add(fmt.Sprintf("more%d", b.r.IntN(3)), b.expr(scalarType(b.r), depth))
	}
	e.parts = append(e.parts, "}")
	return e
}
