package engine

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/types"
)

var ruleResultType = diag.Define("wrong-result-type", diag.Error,
	"The result can never satisfy the tool's outputSchema.")

// outputType is the type of what a node that calls the tool returns.
func (t *Tool) outputType() types.Type {
	unknown := types.Unknown().Without(types.Function)
	switch {
	case t == nil:
		return unknown
	case t.Output != nil:
		return t.Output.Type()
	case t.Observed != nil && t.Observed.Type().Only(types.Object):
		return outline(t.Observed.Type(), 0)
	}
	return unknown
}

// outline keeps the names of a type's fields and where objects are, and forgets
// everything that only some results have shown: a field that is not among them is
// worth a note, and nothing is wrong by its type.
func outline(s types.Type, depth int) types.Type {
	if !s.Only(types.Object) || depth > 8 {
		return types.Unknown().Without(types.Function)
	}
	fields := lists.Each(s.Fields, func(f types.Field) types.Field {
		return types.Field{Name: f.Name, Type: outline(f.Type, depth+1), Optional: true}
	})
	out := types.ObjectOf(false, fields...)
	out.Kinds |= types.Null | types.Boolean | types.Number | types.String
	return out
}

// checkPrevious infers an exit without a result of its own: the output of the node
// executed before. What cannot satisfy the output schema is reported where it is
// made.
func (t *Types) checkPrevious() types.Type {
	all := types.Type{}
	last := NoNode
	for _, from := range t.edges().of(int32(t.at)) {
		i := NodeIndex(from)
		if i == last || t.before.rank[i] < 0 || t.pass.endsBranch(i, t.at) {
			continue
		}
		last = i
		n := t.pass.nodes[i]
		if n.Kind.Chooses && !t.pass.plan.output.Type().IsUnknown() {
			t.checkSwitchResult(n, t.pass.nodes[t.at])
		}
		place := n.where()
		if v := n.Field("transform").Expr().Value; v.Exists() {
			place = v
		}
		all = all.Or(t.checkResult(n, place, t.outputTo(i, t.at)))
	}
	return all
}

// previous returns the type of $previousNode(): the union of what the predecessors of the node
// return. It is unknown where branches begin or meet.
func (t *Types) previous() types.Type {
	all := types.Type{}
	for _, from := range t.edges().of(int32(t.at)) {
		i := NodeIndex(from)
		if t.pass.nodes[i].Kind == nil || t.pass.nodes[i].Kind.Forks || t.pass.endsBranch(i, t.at) {
			return types.Unknown()
		}
		if t.before.rank[i] >= 0 {
			all = all.Or(t.outputTo(i, t.at))
		}
	}
	if all.Kinds == 0 {
		return types.Unknown()
	}
	return all
}

// edges are those of the graph by where they lead, in document order.
func (t *Types) edges() *sources {
	if t.preceding == nil {
		nodes := t.pass.plan.nodes
		t.preceding = newSources(len(nodes), func(yield func(from, to int32) bool) {
			for i := range nodes {
				for _, e := range nodes[i].edges {
					if e.To != NoNode && !yield(int32(i), int32(e.To)) {
						return
					}
				}
			}
		})
	}
	return t.preceding
}

// checkResult compares a result with the tool's output schema and returns it.
func (t *Types) checkResult(n *Node, at graph.Value, got types.Type) types.Type {
	want := t.pass.plan.output.Type()
	if want.IsUnknown() || got.Kinds == 0 {
		return got
	}
	if at.Expr().Exists() {
		at = at.Expr().Value
	}
	wrong := withCertainty(types.Certain, types.Compare(got, want))
	never := got.Only(types.Undefined)
	switch {
	case len(wrong) == 0 && !never || !got.Has(types.Object) && types.Fits(wrapped(got), want):
		t.reportPossible(n, at, "in the result,", 0, possibleResult(got, want))
		t.checkPlain(n, at, got, want)
	case never:
		t.fault(func(p *Pass) {
			d := p.Report(ruleResultType, at, n, "the result does not satisfy outputSchema: it is always undefined, expected %s", want)
			d.Hint, d.Got, d.Want = "change the expression or outputSchema", "undefined", want.String()
		})
	default:
		for _, m := range wrong {
			t.fault(func(p *Pass) { p.wrongResult(n, at, m) })
		}
	}
	return got
}

func (p *Pass) wrongResult(n *Node, at graph.Value, m types.Mismatch) {
	message := m.Message()
	if len(m.Path) > 0 {
		message = "at " + strings.Join(m.Path, ".") + " " + message
	}
	d := p.Report(ruleResultType, at, n, "the result does not satisfy outputSchema: %s", message)
	d.Hint = "change the expression or outputSchema"
	if m.Kind == types.WrongType || m.Kind == types.WrongText {
		d.Got, d.Want = m.Got.String(), m.Want.String()
	}
}

// wrapped is the structured content made of a result that is not an object.
func wrapped(result types.Type) types.Type {
	return types.ObjectOf(true, types.Field{Name: "result", Type: result})
}

// possibleResult compares a result with the output schema, as an object or as what
// is put into one under "result".
func possibleResult(got, want types.Type) []types.Mismatch {
	if got.IsOpen() {
		return nil
	}
	var found []types.Mismatch
	if got.Has(types.Undefined) && !got.OnlyPastEnd {
		found = append(found, types.Mismatch{Kind: types.MissingField, Want: want})
	}
	if bare := got.Without(types.Object | types.Undefined); bare.Kinds != 0 {
		inner := types.Compare(wrapped(bare), want)
		switch {
		case len(inner) == 0:
			got = got.Without(bare.Kinds)
		case !got.Has(types.Object) && types.Fits(wrapped(bare), want):
			return append(found, withCertainty(types.Possible, inner)...)
		}
	}
	return append(found, withCertainty(types.Possible, types.Compare(got, want))...)
}
