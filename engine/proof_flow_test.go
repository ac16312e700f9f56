package engine_test

import "fmt"

// branch draws a switch with two or three branches of a node or none, which join;
// one may end the run instead.
func (d *drawer) branch() {
	sw := &sketchNode{id: d.id("n"), kind: "switch"}
	d.add(sw)
	var ends []*sketchNode
	var seen []*sketchNode
	before := d.sources
	for i := range 1 + d.r.IntN(2) {
		if i == 0 && d.chance(6) {
			id := fmt.Sprintf("early_exit_%d", len(d.s.nodes))
			d.add(&sketchNode{id: id, kind: "exit", expr: d.sure(d.s.output, 2)})
			sw.cases = append(sw.cases, &sketchCase{rule: d.rule(1), next: id})
			continue
		}
		sw.cases = append(sw.cases, &sketchCase{rule: d.rule(1), next: d.following()})
		n := d.branchNode()
		ends, seen = append(ends, n), append(seen, n)
		d.sources = before
	}
	if d.chance(2) {
		sw.next = d.following()
		n := d.branchNode()
		ends, seen = append(ends, n), append(seen, n)
	} else {
		sw.next = d.following()
	}
	d.sources = before
	for _, n := range ends {
		n.next = d.following()
	}
	for _, n := range seen {
		d.see(n, true)
	}
}

func (d *drawer) branchNode() *sketchNode {
	if d.chance(2) {
		return d.callNode()
	}
	return d.transformNode()
}

// loop draws a counter, sometimes with a call in the loop, and the switch that
// leads back.
func (d *drawer) loop() {
	id := d.id("n")
	value := []*typ{anInt, aNumber, aString}[d.r.IntN(3)]
	t := &typ{kind: "object", strict: true, fields: []*field{{name: "round", t: anInt}, {name: "kept", t: value}}}
	self := &typ{kind: "object", strict: true, fields: []*field{{name: "kept", t: value}}}
	start := d.sure(value, 1)
	inside := d.with(d.out(id, self, false))
	step := inside.sure(value, 2)
	quoted := &ex{parts: []any{"'" + id + "'"}, role: idRole, node: id}
	me := func() *ex { return &ex{parts: []any{id}, role: nodeRole, node: id} }
	round := func() *ex { return &ex{parts: []any{"round"}, role: fieldRole, in: t} }
	n := &sketchNode{id: id, kind: "transform", next: d.following()}
	n.expr = piece(t, (&ex{parts: []any{"$executionCount"}}).as(callRole), "(", quoted, ") = 0 ? {'round': 1, 'kept': ", start,
		"} : {'round': ", piece(anInt, "$.", me(), ".", round()).as(numberRole), " + 1, 'kept': ", step, "}")
	d.add(n)
	if d.chance(3) {
		body := d.callNode()
		d.see(body, false)
	}
	sw := &sketchNode{id: d.id("n"), kind: "switch", next: d.following()}
	sw.cases = []*sketchCase{{rule: map[string]any{"<": []any{piece(anInt, "$.", me(), ".", round()), 2 + d.r.IntN(3)}}, next: id}}
	d.add(sw)
	d.see(n, false)
}

// rule draws JSON Logic over what there is to read.
func (d *drawer) rule(depth int) any {
	if depth > 0 && d.chance(4) {
		return map[string]any{[]string{"and", "or"}[d.r.IntN(2)]: []any{d.rule(depth - 1), d.rule(depth - 1)}}
	}
	switch d.r.IntN(6) {
	case 0:
		return map[string]any{"!!": []any{d.expr(scalarType(d.r), 1)}}
	case 1:
		if e := d.path(aString); e != nil {
			values := proofWords[:3]
			if e.t.kind == "enum" {
				values = e.t.enum
			}
			return map[string]any{"in": []any{e, []any{values[0], values[1], "neither"}}}
		}
	case 2:
		if e := d.path(aString); e != nil {
			return map[string]any{[]string{"===", "==", "!="}[d.r.IntN(3)]: []any{e, e.t.value(d.r)}}
		}
	case 3:
		return map[string]any{"==": []any{d.expr(aBoolean, 1), true}}
	case 4:
		return map[string]any{"!": []any{d.expr(aBoolean, 1)}}
	}
	return map[string]any{[]string{"<", ">", "<=", ">="}[d.r.IntN(4)]: []any{d.expr([]*typ{anInt, aNumber}[d.r.IntN(2)], 1), d.r.IntN(20)}}
}

// resultType draws what the graph gives: an object mostly, or what is wrapped
// into one.
func (d *drawer) resultType() *typ {
	switch d.r.IntN(8) {
	case 0:
		return plainOf(scalarType(d.r))
	case 1:
		return &typ{kind: "object", strict: true, fields: []*field{{name: "result", t: plainOf(scalarType(d.r))}}}
	}
	return objectType(d.r, 1, 2+d.r.IntN(3))
}

// exit ends the graph: with a result of its own, or after a transform that makes
// it.
func (d *drawer) exit() {
	last := d.following()
	want := d.s.output
	if want.kind == "object" && len(want.fields) == 1 && want.fields[0].name == "result" && d.chance(2) {
		want = want.fields[0].t
	}
	result := piece(want, d.sure(want, 3))
	if d.chance(2) {
		d.add(&sketchNode{id: "exit", kind: "exit", expr: result})
		for _, n := range d.s.nodes {
			if n.next == last {
				n.next = "exit"
			}
			for _, c := range n.cases {
				if c.next == last {
					c.next = "exit"
				}
			}
		}
		return
	}
	d.add(&sketchNode{id: d.id("n"), kind: "transform", expr: result, next: "done"})
	d.add(&sketchNode{id: "done", kind: "exit"})
}

func (s *sketch) node(id string) *sketchNode {
	for _, n := range s.nodes {
		if n.id == id {
			return n
		}
	}
	panic(fmt.Sprintf("no node %q", id))
}
