package engine

import (
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

var ruleResultType = diag.Define("wrong-result-type", diag.Error,
	"The result can never satisfy the tool's outputSchema.")

// outputShape is what a node that calls the tool gives.
func (t *Tool) outputShape() types.Type {
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

// outline keeps the names of a shape's fields and where objects are, and forgets
// everything that only some results have shown: a field that is not among them is
// worth a note, and nothing is wrong by its type.
func outline(s types.Type, depth int) types.Type {
	if !s.Only(types.Object) || depth > 8 {
		return types.Unknown().Without(types.Function)
	}
	fields := make([]types.Field, len(s.Fields))
	for i, f := range s.Fields {
		fields[i] = types.Field{Name: f.Name, Type: outline(f.Type, depth+1), Optional: true}
	}
	out := types.ObjectOf(false, fields...)
	out.Kinds |= types.Null | types.Boolean | types.Number | types.String
	return out
}

// checkArguments reports computed arguments that can never satisfy the tool's
// input schema. Literal ones are checked by the schema itself.
func (t *Types) checkArguments(tool *Tool, args *Template) {
	if tool == nil || tool.Input == nil || args == nil || args.constant() {
		return
	}
	want := tool.Input.Type()
	if want.IsUnknown() {
		return
	}
	n := t.pass.nodes[t.at]
	_, computed := args.sample()
	given := t.Template(args)
	wrong := clashes(given, want, nil)
	t.doubtArguments(n, tool, computed, doubts(given, want, false, nil), wrong)
	for _, c := range wrong {
		path := c.path
		if c.keyword == "required" && len(computed) > 0 && len(computed[0]) > 0 {
			path = append(append([]string{}, c.path...), c.name)
		}
		place, ok := computedAt(n.Field("args"), computed, path)
		if ok {
			t.fault(func(p *Pass) { p.reportClash(n, tool, place, c) })
		}
	}
}

// doubtArguments reports what may be wrong of the computed arguments, except for
// those that are wrong.
func (t *Types) doubtArguments(n *Node, tool *Tool, computed [][]string, found []doubt, wrong []clash) {
	for _, c := range computed {
		at, _ := computedAt(n.Field("args"), computed, c)
		ours := slices.DeleteFunc(slices.Clone(found), func(d doubt) bool { return !isPrefix(c, d.path) })
		if len(ours) == 0 || slices.ContainsFunc(wrong, func(w clash) bool { return isPrefix(c, w.path) || isPrefix(w.path, c) }) {
			continue
		}
		t.reportDoubts(n, at, "of the arguments of "+tool.Spec.Subtype+",", len(c), ours)
	}
}

// computedAt finds the expression that gives what stands at a path.
func computedAt(args graph.Value, computed [][]string, path []string) (graph.Value, bool) {
	for _, c := range computed {
		if isPrefix(c, path) {
			return args.At(diag.Pointer(c)).Get("expr"), true
		}
	}
	return graph.Value{}, false
}

func (p *Pass) reportClash(n *Node, tool *Tool, at graph.Value, c clash) {
	if !at.Exists() {
		at = n.Field("args")
	}
	rule := ruleWrongArgType
	switch c.keyword {
	case "required":
		rule = ruleMissingArg
	case "additionalProperties":
		rule = ruleUnknownArg
	case "enum":
		rule = ruleNotInEnum
	}
	what := "the arguments"
	if len(c.path) > 0 {
		what = "argument " + schema.QuoteAll([]string{strings.Join(c.path, ".")})
	}
	if c.keyword == "required" {
		c.message = "needs " + schema.QuoteAll([]string{c.name}) + ", which is never there"
	}
	d := p.Report(rule, at, n, "%s of %s: %s", what, tool.Spec.Subtype, c.message)
	if c.keyword == "type" || c.keyword == "enum" {
		d.Got, d.Want = c.got, c.want
	}
	if c.keyword == "type" {
		d.Hint = conversion(c)
	}
}

// conversion says how a value of one type is made one of another.
func conversion(c clash) string {
	switch {
	case strings.HasPrefix(c.want, "string"):
		return "$string(…) makes text of a value"
	case c.want == "number" || c.want == "integer":
		return "$number(…) makes a number of text"
	case strings.HasPrefix(c.want, "array"):
		return "[…] makes a list of a value"
	}
	return ""
}

// checkPrevious infers an exit without a result of its own: the output of the node
// executed before. What cannot satisfy the output schema is reported where it is
// made.
func (t *Types) checkPrevious() types.Type {
	all := types.Type{}
	for i := range t.pass.plan.nodes {
		if t.before.rank[i] < 0 {
			continue
		}
		for _, e := range t.pass.plan.nodes[i].edges {
			if e.To == t.at && !t.pass.endsBranch(NodeIndex(i), e.To) {
				n := t.pass.nodes[i]
				place := n.where()
				if v := n.Field("transform").Get("expr"); v.Exists() {
					place = v
				}
				all = all.Or(t.checkResult(n, place, t.out[i]))
				break
			}
		}
	}
	return all
}

// checkResult compares a result with the tool's output schema and returns it.
func (t *Types) checkResult(n *Node, at graph.Value, got types.Type) types.Type {
	want := t.pass.plan.output.Type()
	if want.IsUnknown() || got.Kinds == 0 {
		return got
	}
	if isExpr(at) {
		at = at.Get("expr")
	}
	found := clashes(got, want, nil)
	if got.Only(types.Undefined) {
		found = []clash{{keyword: "type", got: "undefined", want: want.String(), message: "it is always undefined, expected " + want.String()}}
	}
	if len(found) > 0 && !got.Has(types.Object) {
		wrapped := types.ObjectOf(true, types.Field{Name: "result", Type: got})
		if len(clashes(wrapped, want, nil)) == 0 {
			t.reportDoubts(n, at, "in the result,", 0, resultDoubts(got, want))
			return got
		}
	}
	if len(found) == 0 {
		t.reportDoubts(n, at, "in the result,", 0, resultDoubts(got, want))
	}
	for _, c := range found {
		t.fault(func(p *Pass) {
			d := p.Report(ruleResultType, at, n, "the result does not satisfy outputSchema: %s%s", c.where(), c.message)
			d.Hint = "change the expression, or outputSchema"
			if c.keyword == "type" || c.keyword == "enum" {
				d.Got, d.Want = c.got, c.want
			}
		})
	}
	return got
}
