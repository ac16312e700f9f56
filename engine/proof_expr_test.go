package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// ex is a piece of an expression that knows its type and what stands at each
// offset: parts are texts and pieces.
type ex struct {
	parts []any
	t     *typ
	maybe bool   // it may be undefined
	role  role   // what can be made wrong about it
	in    *typ   // of a field: the object it is read from
	node  string // of a node's name in a path: the node
}

type role int

const (
	plainRole   role = iota
	fieldRole        // a field's name in a path
	nodeRole         // a node's name in a path
	idRole           // a node's name in quotes
	callRole         // a function's name
	varRole          // a variable
	numberRole       // an operand that must be a number
	textRole         // an argument that must be a text
	numbersRole      // an argument that must be a list of numbers
	closeRole        // a closing parenthesis
	memberRole       // a member of an object constructor
	literalRole      // a literal
)

func piece(t *typ, parts ...any) *ex { return &ex{parts: parts, t: t} }

func (e *ex) as(r role) *ex {
	if e.role == plainRole {
		e.role = r
		return e
	}
	return &ex{parts: []any{e}, t: e.t, maybe: e.maybe, role: r}
}

func (e *ex) perhaps() *ex {
	e.maybe = true
	return e
}

// span is where a piece stands in an expression's text.
type span struct{ start, end int }

// write appends the text of e and notes where each piece of it stands.
func (e *ex) write(b *strings.Builder, at map[*ex]span) {
	start := b.Len()
	for _, p := range e.parts {
		switch p := p.(type) {
		case string:
			b.WriteString(p)
		case *ex:
			p.write(b, at)
		default:
			fmt.Fprint(b, p)
		}
	}
	if at != nil {
		at[e] = span{start, b.Len()}
	}
}

func (e *ex) String() string {
	var b strings.Builder
	e.write(&b, nil)
	return b.String()
}

// each calls f for e and its pieces.
func (e *ex) each(f func(*ex)) {
	f(e)
	for _, p := range e.parts {
		if p, ok := p.(*ex); ok {
			p.each(f)
		}
	}
}

// source is something an expression can read.
type source struct {
	head  func() []any // the texts and pieces it is read by
	t     *typ
	maybe bool
	bare  bool // fields follow without a dot: the context of a predicate
}

// builder writes expressions for a type out of what there is to read.
type builder struct {
	r       *rand.Rand
	sources []source
	bound   int  // variables so far
	inside  bool // where $ is not the root
}

func (b *builder) chance(n int) bool { return b.r.IntN(n) == 0 }

// with is a builder that can read one thing more.
func (b *builder) with(more ...source) *builder {
	seen := slices.DeleteFunc(slices.Clone(b.sources), func(s source) bool { return s.bare && more[0].bare })
	return &builder{r: b.r, sources: append(seen, more...), bound: b.bound + 1, inside: b.inside || more[0].bare}
}

// reading is a path to something of a type.
type reading struct {
	from  source
	steps []*field
	in    []*typ
	t     *typ
	maybe bool
	many  bool // the path leads through a list: its value is a sequence of t
}

// readings lists every path.
func (b *builder) readings() []reading {
	var found []reading
	var walk func(rd reading, depth int)
	walk = func(rd reading, depth int) {
		if len(rd.steps) > 0 || !rd.from.bare {
			found = append(found, rd)
		}
		t := rd.t
		if t.kind == "array" && t.elem.kind == "object" && !rd.many {
			rd.many, rd.maybe = true, rd.maybe || !t.filled
			t = t.elem
		}
		if t.kind != "object" || depth == 0 {
			return
		}
		for _, f := range t.fields {
			next := rd
			next.steps = append(append([]*field(nil), rd.steps...), f)
			next.in = append(append([]*typ(nil), rd.in...), t)
			next.t, next.maybe = f.t, rd.maybe || f.optional
			if f.t.kind == "array" && rd.many {
				continue // flattened: what it is depends on the numbers of items
			}
			walk(next, depth-1)
		}
	}
	for _, s := range b.sources {
		walk(reading{from: s, t: s.t, maybe: s.maybe}, 3)
	}
	return found
}

func (b *builder) read(rd reading) *ex {
	e := &ex{t: rd.t, maybe: rd.maybe}
	if !rd.from.bare {
		e.parts = rd.from.head()
		if b.inside && e.parts[0] == "$." {
			e.parts[0] = "$$."
		}
	}
	for i, f := range rd.steps {
		if i > 0 || !rd.from.bare {
			e.parts = append(e.parts, ".")
		}
		e.parts = append(e.parts, &ex{parts: []any{f.name}, role: fieldRole, in: rd.in[i]})
	}
	if rd.many {
		e.t = foreachItems(rd.t)
	}
	return e
}

// path reads something that fits, or returns nil. A sequence fits nothing: see
// list.
func (b *builder) path(want *typ) *ex {
	var fitting []reading
	for _, rd := range b.readings() {
		if !rd.many && rd.t.fits(want) {
			fitting = append(fitting, rd)
		}
	}
	if len(fitting) == 0 {
		return nil
	}
	return b.read(fitting[b.r.IntN(len(fitting))])
}

// items reads a list of anything that pick accepts as its items, by a path that
// gives an array or a sequence.
func (b *builder) items(pick func(*typ) bool) *ex {
	var fitting []reading
	for _, rd := range b.readings() {
		if rd.many && pick(rd.t) || !rd.many && rd.t.kind == "array" && !rd.t.nullable && pick(rd.t.elem) {
			fitting = append(fitting, rd)
		}
	}
	if len(fitting) == 0 {
		return nil
	}
	e := b.read(fitting[b.r.IntN(len(fitting))])
	return e
}

// sure is an expression for want that is never undefined.
func (b *builder) sure(want *typ, depth int) *ex {
	e := b.expr(want, depth)
	if !e.maybe {
		return e
	}
	return piece(want, "(", e, " ?? ", b.literal(want), ")")
}

// expr is an expression for want; it may be undefined if it says so.
func (b *builder) expr(want *typ, depth int) *ex {
	if b.chance(3) || depth <= 0 {
		if e := b.path(want); e != nil {
			return e
		}
	}
	if want.nullable && b.chance(3) {
		return piece(want, "null")
	}
	if depth <= 0 {
		return b.literal(want)
	}
	if b.chance(8) {
		return b.wrapped(want, depth-1)
	}
	switch want.kind {
	case "string":
		return b.text(want, depth-1)
	case "integer", "number":
		return b.number(want, depth-1)
	case "boolean":
		return b.boolean(depth - 1)
	case "array":
		return b.list(want, depth-1)
	case "object":
		return b.object(want, depth-1)
	case "union":
		return b.expr([]*typ{aString, anInt}[b.r.IntN(2)], depth-1)
	}
	return b.literal(want)
}

// wrapped is a way of computing that any type can take.
func (b *builder) wrapped(want *typ, depth int) *ex {
	switch b.r.IntN(4) {
	case 0, 1:
		return piece(want, "(", b.sure(aBoolean, depth), " ? ", b.sure(want, depth), " : ", b.sure(want, depth), ")")
	case 2:
		name := b.variable("v")
		value := anyType(b.r, 1)
		inner := b.with(source{head: variable(name), t: value})
		return piece(want, "($"+name+" := ", b.sure(value, depth), "; ", inner.sure(want, depth), ")")
	}
	return piece(want, "{'it': ", b.sure(want, depth), "}.it")
}

// variable is a name that nothing around binds.
func (b *builder) variable(name string) string { return fmt.Sprintf("%s%d", name, b.bound) }

func variable(name string) func() []any {
	return func() []any { return []any{&ex{parts: []any{"$" + name}, role: varRole}} }
}

// call is a call of a built-in function.
func call(t *typ, name string, args ...any) *ex {
	e := piece(t, (&ex{parts: []any{"$" + name}}).as(callRole), "(")
	for i, a := range args {
		if i > 0 {
			e.parts = append(e.parts, ", ")
		}
		e.parts = append(e.parts, a)
		if a, ok := a.(*ex); ok && a.maybe {
			e.maybe = true
		}
	}
	e.parts = append(e.parts, (&ex{parts: []any{")"}}).as(closeRole))
	return e
}

// literal writes one of want's values.
func (b *builder) literal(want *typ) *ex {
	return b.spell(want, want.whole().value(b.r)).as(literalRole)
}

// spell writes a value of a type as JSONata.
func (b *builder) spell(t *typ, v any) *ex {
	switch v := v.(type) {
	case string:
		return piece(t, "'"+v+"'")
	case nil:
		return piece(t, "null")
	case []any:
		e := piece(t, "[")
		for i, item := range v {
			if i > 0 {
				e.parts = append(e.parts, ", ")
			}
			e.parts = append(e.parts, b.spell(t.elem, item))
		}
		e.parts = append(e.parts, "]")
		return e
	case map[string]any:
		e := piece(t, "{")
		for _, f := range t.fields {
			if value, ok := v[f.name]; ok {
				if len(e.parts) > 1 {
					e.parts = append(e.parts, ", ")
				}
				e.parts = append(e.parts, "'"+f.name+"': ", b.spell(f.t, value))
			}
		}
		e.parts = append(e.parts, "}")
		return e
	}
	return piece(t, fmt.Sprint(v))
}
