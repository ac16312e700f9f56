package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
)

var ruleResultType = diag.Define("wrong-result-type", diag.Error,
	"The result can never satisfy the tool's outputSchema.")

// shape is what values the schema allows; a nil or unusable one allows all.
func (s *Schema) shape() expr.Shape {
	if s == nil || s.Err() != nil {
		return expr.Unknown()
	}
	s.shapeOnce.Do(func() { s.typed, _ = expr.TypeOf(s.Raw) })
	return s.typed
}

// argumentShape is what a run's arguments are once the schema's defaults are
// filled in.
func (s *Schema) argumentShape() expr.Shape {
	shape := s.shape()
	if shape.IsUnknown() {
		return expr.ShapeOf(expr.ShapeObject)
	}
	var props struct {
		Properties map[string]struct {
			Default json.RawMessage `json:"default"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(s.Raw, &props)
	fields := make([]expr.ShapeField, len(shape.Fields))
	for i, f := range shape.Fields {
		if len(props.Properties[f.Name].Default) > 0 {
			f.Optional = false
		}
		fields[i] = f
	}
	return expr.ObjectOf(shape.Strict, fields...)
}

// outputShape is what a node that calls the tool gives.
func (t *Tool) outputShape() expr.Shape {
	unknown := expr.Unknown().Without(expr.ShapeFunction)
	switch {
	case t == nil:
		return unknown
	case t.Output != nil:
		return t.Output.shape()
	case t.Observed != nil && t.Observed.shape().Only(expr.ShapeObject):
		return outline(t.Observed.shape(), 0)
	}
	return unknown
}

// outline keeps the names of a shape's fields and where objects are, and forgets
// everything that only some results have shown: a field that is not among them is
// worth a note, and nothing is wrong by its type.
func outline(s expr.Shape, depth int) expr.Shape {
	if !s.Only(expr.ShapeObject) || depth > 8 {
		return expr.Unknown().Without(expr.ShapeFunction)
	}
	fields := make([]expr.ShapeField, len(s.Fields))
	for i, f := range s.Fields {
		fields[i] = expr.ShapeField{Name: f.Name, Shape: outline(f.Shape, depth+1), Optional: true}
	}
	out := expr.ObjectOf(false, fields...)
	out.Kinds |= expr.ShapeNull | expr.ShapeBoolean | expr.ShapeNumber | expr.ShapeString
	return out
}

// checkArguments reports computed arguments that can never satisfy the tool's
// input schema. Literal ones are checked by the schema itself.
func (t *Types) checkArguments(tool *Tool, args *Template) {
	if tool == nil || tool.Input == nil || args == nil || args.constant() {
		return
	}
	want := tool.Input.shape()
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
			return args.At(pointer(c)).Get("expr"), true
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
		what = "argument " + quoteAll([]string{strings.Join(c.path, ".")})
	}
	if c.keyword == "required" {
		c.message = "needs " + quoteAll([]string{c.name}) + ", which is never there"
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
func (t *Types) checkPrevious() expr.Shape {
	all := expr.Shape{}
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
func (t *Types) checkResult(n *Node, at graph.Value, got expr.Shape) expr.Shape {
	want := t.pass.plan.output.shape()
	if want.IsUnknown() || got.Kinds == 0 {
		return got
	}
	if isExpr(at) {
		at = at.Get("expr")
	}
	found := clashes(got, want, nil)
	if got.Only(expr.ShapeUndefined) {
		found = []clash{{keyword: "type", got: "undefined", want: want.String(), message: "it is always undefined, expected " + want.String()}}
	}
	if len(found) > 0 && !got.Has(expr.ShapeObject) {
		wrapped := expr.ObjectOf(true, expr.ShapeField{Name: "result", Shape: got})
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
