package drafting

import (
	"context"
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
)

// The bounds of what is looked at of the outputs of all calls together.
const (
	maxPlaces    = 20_000
	maxListed    = 200 // items of a list, and lines of a text
	maxContainer = 64 << 10
	maxText      = 60 << 10 // that is looked into
	maxLists     = 200
)

// A place is where a value is found in an earlier output.
type place struct {
	expr   string
	value  expr.Value
	name   string // the last name on the way to it
	node   int    // index of the node, from 0
	depth  int    // steps from the output of the node
	inList bool   // the next run may have another item there
	from   string // the text that it is a part of; "" is none
	token  bool   // a word of a text
}

// A list is a list in an earlier output, or the lines of a text.
type list struct {
	expr  string
	items []any
	node  int
	part  string // which items of the whole list these are, where the calls stopped

	filtered []*list // the parts that satisfy a condition, once they are needed
}

// outputs are the values of earlier outputs, and where they are.
type outputs struct {
	scope   *expr.Scope
	byValue map[string][]*place
	texts   []*place
	lists   []*list
	count   int
}

func newOutputs() *outputs {
	return &outputs{scope: expr.NewScope(nil, expr.Limits{}), byValue: map[string][]*place{}}
}

// add makes the output of a node known.
func (o *outputs) add(node int, id string, output expr.Value) {
	if output == nil {
		return
	}
	o.scope.Set(id, output)
	o.walk(place{expr: step("$", id), value: output, node: node})
}

// walk adds a value, with all that is in it.
func (o *outputs) walk(p place) {
	if o.count >= maxPlaces {
		return
	}
	o.put(p)
	p.depth++
	switch v := p.value.(type) {
	case expr.Object:
		at := p.expr
		for _, key := range v.Keys() {
			p.expr, p.name = step(at, key), key
			p.value, _ = v.Get(key)
			o.walk(p)
		}
	case []any:
		if len(o.lists) < maxLists && len(v) > 1 {
			o.lists = append(o.lists, &list{expr: p.expr, items: v, node: p.node})
		}
		at := p.expr
		for i := range v[:min(len(v), maxListed)] {
			p.expr, p.value, p.inList = item(at, i), v[i], true
			o.walk(p)
		}
	case string:
		if p.from == "" && len(v) <= maxText {
			o.text(p, v)
		}
	}
}

// put adds one value.
func (o *outputs) put(p place) {
	o.count++
	if valueStrength(p.value) == meaningless || o.count > maxPlaces {
		return
	}
	switch v := p.value.(type) {
	case string:
		if n := len(v); n >= strongText && n <= maxAffixed && !p.token && !strings.Contains(v, "\n") {
			o.texts = append(o.texts, &p)
		}
	case []any, expr.Object:
		if expr.Size(v, maxContainer) > maxContainer {
			return
		}
	}
	key := canonical(p.value)
	for _, q := range o.byValue[key] {
		if p.from != "" && q.from == p.from {
			return // the same part of the same text
		}
	}
	o.byValue[key] = append(o.byValue[key], &p)
}

// eval computes an expression over the outputs; nil where it fails.
func (o *outputs) eval(text string) expr.Value {
	p, fault := expr.Compile(text)
	if fault != nil {
		return nil
	}
	v, err := p.Eval(context.Background(), o.scope)
	if err != nil {
		return nil
	}
	return v
}
