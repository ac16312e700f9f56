package connect

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

const (
	maxNodes  = 50  // that are returned
	maxLooked = 150 // nodes that are looked at, those with the most telling words first
	least     = .3  // score of a connection
	leastPath = .25
	likely    = .6  // score with which an argument is given that need not be
	sure      = .8  // score with which nothing better is looked for
	perHole   = .05 // what a required argument costs where nothing is given
	perStep   = .93 // factor for each further step
	optional  = .3  // weight of a field that need not be there
)

// A query is what is looked for in an index.
type query struct {
	x      *Index
	has    []source
	given  bool     // there is something on the left
	any    bool     // nothing is wanted
	wants  *field   // as one value
	fields []*field // or its fields, if it is an object
	accept func(*specs.Spec) bool
	favour func(*specs.Spec) float64
	gain   []float64       // scratch of candidates, by node
	fedBy  map[*node][]use // by what is given, for each argument
}

func (x *Index) query(has, wants *Data, accept func(*specs.Spec) bool, favour func(*specs.Spec) float64) *query {
	q := &query{x: x, accept: accept, favour: favour, given: has != nil, any: wants == nil, gain: make([]float64, len(x.nodes)), fedBy: map[*node][]use{}}
	if has != nil {
		for _, f := range fields(nil, field{typ: Entry(has.Type), context: x.words.nouns(x.words.read(has.Of))}, fieldDepth, x.words, x.words.read)[1:] {
			q.has = append(q.has, source{f, given, nil, false})
		}
	}
	if wants == nil {
		return q
	}
	q.wants = &field{typ: wants.Type.Without(types.Undefined | types.Null), required: true}
	if q.wants.typ.Only(types.Object) {
		q.fields = x.parts(q.wants, q.wants.typ)
	}
	return q
}

// parts are the fields of an object that is wanted.
func (x *Index) parts(of *field, typ types.Type) []*field {
	list := make([]*field, len(typ.Fields))
	context := append(slices.Clone(of.context), of.name...)
	for i, m := range typ.Fields {
		list[i] = &field{label: m.Name, name: x.words.read(m.Name), context: context, typ: m.Type, required: !m.Optional}
		x.words.bits(list[i])
	}
	return list
}

// Entry is the type of the arguments of a graph that gets a value: that of an object, or of
// one with the value as its only field.
func Entry(t types.Type) types.Type {
	if t.Only(types.Object) {
		return t
	}
	return types.ObjectOf(false, types.Field{Name: "value", Type: t})
}

// given is the step of a source that is there before the first.
const given = -1

// A source is a field that is there before a step.
type source struct {
	*field

	step   int // that has it as output, or given
	of     *node
	inList bool // it is looked at from an item of its list
}

// A use is a connection: of a source, or of several as an object.
type use struct {
	score float64
	from  source
	as    form
	list  *source // the list, of each of whose items the object is made
	names []string
	parts []use
}

// sources calls yield for those that a use is of.
func (u *use) sources(yield func(*source)) {
	if u.names == nil {
		yield(&u.from)
	}
	for i := range u.parts {
		u.parts[i].sources(yield)
	}
}

// best is the best connection for an argument, or a field that is wanted by nobody.
func (q *query) best(to *field, by *node, sources []source, depth int) (found use) {
	for i := range sources {
		s := &sources[i]
		like := q.x.likeness(to, s.field)
		if like < least || like <= found.score {
			continue
		}
		how, as := convert(s.field, to.typ)
		if score := like * how; score > found.score && score >= least {
			found = use{score: score, from: *s, as: as}
		}
	}
	if depth == 0 || found.score >= asFields || by != nil && by.spec.NotRunnable {
		return found
	}
	if made := q.made(to, by, sources, depth); made.score > found.score {
		return made
	}
	return found
}

// made is an object, or a list of objects, made of the fields of others.
func (q *query) made(to *field, by *node, sources []source, depth int) (found use) {
	want := to.typ.Without(types.Undefined | types.Null)
	if want.Has(types.Object) && len(want.Fields) > 0 {
		found = q.object(to, want, by, sources, depth)
	}
	if !want.Has(types.Array) || want.Elem == nil || !want.Elem.Has(types.Object) || len(want.Elem.Fields) == 0 {
		return found
	}
	for i := range sources {
		if !sources[i].many || i > 0 && sources[i-1].sameList(&sources[i]) {
			continue
		}
		var items []source
		for k := i; k < len(sources) && sources[k].step == sources[i].step; k++ {
			if s := sources[k]; s.sameList(&sources[i]) {
				s.field, s.inList = s.item, true
				items = append(items, s)
			}
		}
		if made := q.object(to, *want.Elem, by, items, depth); asFields*made.score > found.score {
			made.score *= asFields
			made.list = &sources[i]
			found = made
		}
	}
	return found
}

func (s *source) sameList(t *source) bool {
	return s.many && t.many && s.step == t.step && s.list == t.list
}

// object is an object of the fields of a type.
func (q *query) object(to *field, want types.Type, by *node, sources []source, depth int) (found use) {
	var all float64
	for _, f := range q.x.parts(to, want) {
		weight := f.weight()
		all += weight
		switch part := q.best(f, by, sources, depth-1); {
		case part.score > 0:
			found.score += weight * part.score
			found.names, found.parts = append(found.names, f.label), append(found.parts, part)
		case f.required && by != nil: // an argument must be whole
			return use{}
		}
	}
	found.score *= asFields / max(all, 1e-9)
	return found
}

func (f *field) weight() float64 {
	if f.required {
		return 1
	}
	return optional
}

// A sketch is how a sequence of nodes connects.
type sketch struct {
	nodes  []*node
	score  float64
	args   [][]use // by node and argument
	result []use   // by field of what is wanted, or of it as a whole
}

// sketch works out how nodes connect, nil if one of them does nothing for what is wanted, or
// if nothing that is given is used.
func (q *query) sketch(nodes []*node) *sketch {
	s := &sketch{nodes: nodes}
	var sources []source
	var helps [maxChain]bool
	helps[len(nodes)-1] = true
	var used []use
	note := func(u *use) {
		u.sources(func(from *source) {
			if from.step >= 0 {
				helps[from.step] = true
			}
		})
	}
	var fed, required float64
	for i, n := range nodes {
		args := slices.Clone(q.fed(n))
		for k := range n.args {
			u := &args[k]
			if i > 0 && u.score < sure {
				if from := q.best(n.args[k], n, sources, 1); from.score > u.score {
					*u = from
				}
			}
			if k >= n.required && u.score < likely {
				*u = use{}
				continue
			}
			if k < n.required {
				required++
				fed += u.score
			}
			if u.score > 0 {
				if !portsFit(u, n) {
					return nil
				}
				note(u)
				used = append(used, *u)
			}
		}
		s.args = append(s.args, args)
		sources = n.sources(sources, i)
	}
	out := q.result(s, sources, note)
	if out == 0 || slices.Contains(helps[:len(nodes)], false) {
		return nil
	}
	in := 1.
	if required > 0 {
		in = fed / required
	}
	if q.given {
		share := q.share(used)
		if share == 0 {
			return nil
		}
		in *= share
	} else {
		in = 1 - perHole*(required-fed)
	}
	s.score = math.Sqrt(max(in, 0)*out) * math.Pow(perStep, float64(len(nodes)-1))
	return s
}

// sources appends the fields of a node's output.
func (n *node) sources(to []source, step int) []source {
	for _, f := range n.outs {
		to = append(to, source{f, step, n, false})
	}
	return to
}

// fed are the connections of a node's arguments with what is given.
func (q *query) fed(n *node) []use {
	args, ok := q.fedBy[n]
	if !ok {
		args = make([]use, len(n.args))
		for i, arg := range n.args {
			args[i] = q.best(arg, n, q.has, 1)
		}
		q.fedBy[n] = args
	}
	return args
}

// portsFit reports whether a node can use values of others: both run here, or ports of one
// lead to the other.
func portsFit(u *use, n *node) bool {
	fit := true
	u.sources(func(s *source) {
		if s.of != nil && (s.of.spec.NotRunnable != n.spec.NotRunnable || n.spec.NotRunnable && !schema.Connects(s.of.spec.OutputPorts, n.spec.InputPorts)) {
			fit = false
		}
	})
	return fit
}

// share is how much of what is given is used, at least .4 if anything is; 0 if nothing.
func (q *query) share(used []use) float64 {
	var has, all float64
	for i := range q.has {
		f := q.has[i].field
		if f.depth > 1 {
			continue
		}
		weight, best := .2, 0.
		for _, w := range f.name {
			weight = max(weight, q.x.idf(w))
		}
		for k := range used {
			used[k].sources(func(s *source) {
				if s.step == given && s.top == f.top {
					best = max(best, used[k].score)
				}
			})
		}
		all, has = all+weight, has+weight*best
	}
	if has == 0 {
		return 0
	}
	return .4 + .6*has/all
}

// result is how well outputs give what is wanted. It notes what of them does.
func (q *query) result(s *sketch, sources []source, note func(*use)) float64 {
	if q.any {
		return 1
	}
	if len(q.fields) == 0 {
		u := q.best(q.wants, nil, sources, 2)
		s.result = []use{u}
		if u.score > 0 {
			note(&u)
		}
		return u.score
	}
	var sum, all float64
	for _, f := range q.fields {
		u := q.best(f, nil, sources, 2)
		s.result = append(s.result, u)
		all, sum = all+f.weight(), sum+f.weight()*u.score
		if u.score > 0 {
			note(&u)
		}
	}
	return sum / all
}

// candidates are the nodes with the words of some fields, those with the most telling ones
// first, at most so many.
func (q *query) candidates(at map[word][]int32, fields []*field, most int, accept func(*specs.Spec) bool) []*node {
	var touched []int32
	add := func(w word, gain float64) {
		for _, i := range at[w] {
			if q.gain[i] == 0 {
				touched = append(touched, i)
			}
			q.gain[i] += gain
		}
	}
	for _, f := range fields {
		for _, w := range f.name {
			if w == unknown {
				continue
			}
			add(w, q.x.idf(w))
			for _, near := range q.x.words.near[w] {
				add(near, ofGroup*q.x.idf(w))
			}
		}
	}
	slices.SortFunc(touched, func(a, b int32) int { return cmp.Or(cmp.Compare(q.gain[b], q.gain[a]), cmp.Compare(a, b)) })
	var list []*node
	for _, i := range touched {
		if n := q.x.nodes[i]; len(list) < most && accept(n.spec) {
			list = append(list, n)
		}
		q.gain[i] = 0
	}
	return list
}

// leaves are the fields that are wanted, and those in them.
func (q *query) leaves(f *field, depth int) (list []*field) {
	typ := f.typ
	if typ.Has(types.Array) && typ.Elem != nil {
		typ = *typ.Elem
	}
	if len(f.name) > 0 {
		list = append(list, f)
	}
	if depth > 0 && typ.Has(types.Object) {
		for _, part := range q.x.parts(f, typ) {
			list = append(list, q.leaves(part, depth-1)...)
		}
	}
	return list
}

// givers are the nodes that may give what is wanted.
func (q *query) givers() []*node {
	return q.candidates(q.x.gives, q.leaves(q.wants, 2), maxLooked, q.accept)
}

// singles are the nodes that connect both sides by themselves.
func (q *query) singles(ctx context.Context) []*Path {
	var list []*node
	if q.given {
		all := make([]*field, len(q.has))
		for i, s := range q.has {
			all[i] = s.field
		}
		list = q.candidates(q.x.takes, all, maxLooked, q.accept)
	}
	if !q.any {
		for _, n := range q.givers() {
			if !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	var found []*sketch
	for _, n := range list {
		if ctx.Err() != nil {
			break
		}
		if s := q.sketch([]*node{n}); s != nil {
			found = append(found, s)
		}
	}
	return q.first(found, maxNodes)
}

// first are the best of some sketches.
func (q *query) first(list []*sketch, n int) []*Path {
	for _, s := range list {
		best := 0.
		for _, n := range s.nodes {
			best = max(best, q.favour(n.spec))
		}
		s.score *= (1 + best) / 2
	}
	list = slices.DeleteFunc(list, func(s *sketch) bool { return s.score < leastPath })
	slices.SortStableFunc(list, func(a, b *sketch) int { return cmp.Compare(b.score, a.score) })
	var paths []*Path
	for _, s := range list[:min(len(list), n)] {
		paths = append(paths, q.path(s))
	}
	return paths
}
