package engine

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

// checkArguments reports computed arguments that can never satisfy the tool's
// input schema, and those that may not. Literal ones are checked by the schema itself.
func (t *Types) checkArguments(tool *Tool, args *Template) {
	if tool == nil || tool.Input == nil || args == nil || args.constant() {
		return
	}
	n := t.pass.nodes[t.at]
	_, open := args.sample()
	computed := newPaths(open)
	found := types.Compare(t.Template(args), tool.Input.Type())
	wrong := withCertainty(types.Certain, found)
	t.possibleArguments(n, tool, computed, withCertainty(types.Possible, found), wrong)
	for _, m := range wrong {
		path := m.Path
		if len(computed) > 0 && len(computed[0]) > 0 {
			path = m.Place()
		}
		if place, ok := computedAt(n.Field("args"), computed, path); ok {
			t.fault(func(p *Pass) { p.wrongArgument(n, tool, place, m) })
		}
	}
}

// possibleArguments reports what may be wrong in the computed arguments, except for
// those that are wrong.
func (t *Types) possibleArguments(n *Node, tool *Tool, computed paths, found, wrong []types.Mismatch) {
	if len(found) == 0 {
		return
	}
	faulty := lists.Each(wrong, func(w types.Mismatch) []string { return w.Path })
	certain := newPaths(faulty)
	ours := map[string][]types.Mismatch{} // by the pointer of the computed argument
	for _, m := range found {
		if c, ok := computed.holder(m.Place()); ok {
			ours[diag.Pointer(c)] = append(ours[diag.Pointer(c)], m)
		}
	}
	for _, c := range computed {
		mine := ours[diag.Pointer(c)]
		if len(mine) == 0 || certain.hold(c) || certain.inside(c) {
			continue
		}
		at, _ := computedAt(n.Field("args"), computed, c)
		t.reportPossible(n, at, "in the arguments of "+tool.Spec.Subtype+",", len(c), mine)
	}
}

// computedAt finds the expression that makes the value at a path.
func computedAt(args graph.Value, computed paths, path []string) (graph.Value, bool) {
	if c, ok := computed.holder(path); ok {
		return args.At(diag.Pointer(c)).Expr().Value, true
	}
	return graph.Value{}, false
}

var argumentRules = map[types.MismatchKind]*diag.Rule{
	types.MissingField: ruleMissingArg, types.ExtraField: ruleUnknownArg, types.WrongText: ruleNotInEnum, types.WrongType: ruleWrongArgType,
}

// wrongArgument reports a computed argument that can never satisfy the schema.
func (p *Pass) wrongArgument(n *Node, tool *Tool, at graph.Value, m types.Mismatch) {
	if !at.Exists() {
		at = n.Field("args")
	}
	what := "the arguments"
	if len(m.Path) > 0 {
		what = "argument " + schema.QuoteAll([]string{strings.Join(m.Path, ".")})
	}
	message := m.Message()
	if m.Kind == types.MissingField {
		message = "needs " + schema.QuoteAll([]string{m.Name}) + ", which is always missing"
	}
	d := p.Report(argumentRules[m.Kind], at, n, "%s of %s: %s", what, tool.Spec.Subtype, message)
	if m.Kind == types.WrongType || m.Kind == types.WrongText {
		d.Got, d.Want = m.Got.String(), m.Want.String()
	}
	if m.Kind == types.WrongType {
		d.Hint = conversion(m.Want)
	}
}
