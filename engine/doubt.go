package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

var (
	ruleMaybeType = diag.Define("maybe-wrong-type", diag.Warning,
		"A value can be of several types, and where it is used some of them fail: a path over an array gives one item or several, a conditional one branch or the other, a nullable field null. The graph runs as long as the value is of the others.")
	ruleMaybeMissing = diag.Define("maybe-missing", diag.Warning,
		"A value that is required may be nothing: it is read from an optional field, or from a list that may be empty.")
	ruleFunctionValue = diag.Define("function-value", diag.Error,
		"The value of an expression is a function, or has one in it. A function is no value: call it.")
)

// A doubt is a place where some values of one type do not satisfy another, and
// some do.
type doubt struct {
	clash
	many bool // one item or an array of them, where an array is wanted
	bare bool // and where nothing would be as good
	// first: an array where one of its items is wanted
	first bool
}

// doubts compares what a value can be with what is wanted, and returns the places
// that are wrong for some of the values. Of a value that may be anything nothing is
// said: nobody knows. optional is whether nothing is as good.
func doubts(got, want types.Type, optional bool, path []string) []doubt {
	absent := got.Has(types.Undefined) && optional
	got = got.Without(types.Undefined | types.Function)
	if got.Kinds == 0 || got.IsOpen() || want.Kinds == 0 || want.IsOpen() || len(path) > 16 {
		return nil
	}
	d := doubt{clash: clash{path: slices.Clone(path), keyword: "type", got: got.String(), want: want.String()}}
	if rest := got.Without(want.Kinds); rest.Kinds != 0 {
		d.message = fmt.Sprintf("may be %s, expected %s", rest, want)
		if rest.Only(types.Fraction) && want.Has(types.Integer) {
			d.message = "may be a fraction, expected " + want.String()
		}
		d.many = got.Has(types.Array) && want.Only(types.Array) && rest.Mismatch(want.Items()) == nil
		d.first = rest.Only(types.Array)
		d.bare = absent
		return []doubt{d}
	}
	if want.Enum != nil && got.Has(types.String) && (got.Enum == nil || slices.ContainsFunc(got.Enum, func(s string) bool { return !slices.Contains(want.Enum, s) })) {
		d.keyword, d.message = "enum", fmt.Sprintf("may be another text than %s", want)
		return []doubt{d}
	}
	var found []doubt
	if got.Has(types.Object) {
		found = objectDoubts(got, want, path)
	}
	if got.Has(types.Array) && got.Elem != nil && want.Elem != nil {
		found = append(found, doubts(*got.Elem, *want.Elem, false, append(path, "*"))...)
	}
	return found
}

// objectDoubts compares objects. One of which no field is known may be anything.
func objectDoubts(got, want types.Type, path []string) []doubt {
	if len(got.Fields) == 0 && !got.Closed {
		return nil
	}
	var found []doubt
	for _, f := range want.Fields {
		have, listed := got.Field(f.Name)
		if !f.Optional && (listed && have.Has(types.Undefined) && !have.OnlyPastEnd && !have.IsOpen() || !listed && !got.Closed) {
			found = append(found, doubt{clash: clash{path: append(slices.Clone(path), f.Name), keyword: "required", name: f.Name, message: "may be missing", want: f.Type.String()}})
		}
		if listed {
			found = append(found, doubts(have, f.Type, f.Optional, append(path, f.Name))...)
		}
	}
	if !want.Closed {
		return found
	}
	extra := ""
	for _, f := range got.Fields {
		if _, listed := want.Field(f.Name); !listed && !slices.ContainsFunc(want.Fields, func(w types.Field) bool { return w.Name == f.Name }) {
			extra = f.Name
			break
		}
	}
	d := doubt{clash: clash{path: slices.Clone(path), keyword: "additionalProperties", name: extra}}
	switch {
	case extra != "":
		d.message = fmt.Sprintf("may have %q, which is not allowed", extra)
	case !got.Closed:
		d.message = "may have other fields than " + diag.OneOf(want.FieldNames(), 6)
	default:
		return found
	}
	return append(found, d)
}

// resultDoubts compares a result with the output schema, as an object or as what is
// put into one under "result".
func resultDoubts(got, want types.Type) []doubt {
	if got.IsOpen() {
		return nil
	}
	var found []doubt
	bare := got.Without(types.Object | types.Undefined)
	if got.Has(types.Undefined) && !got.OnlyPastEnd {
		found = append(found, doubt{clash: clash{keyword: "required", message: "it may be nothing", want: want.String()}})
	}
	if bare.Kinds != 0 {
		wrapped := types.ObjectOf(true, types.Field{Name: "result", Type: bare})
		if len(doubts(wrapped, want, false, nil))+len(clashes(wrapped, want, nil)) > 0 {
			return append(found, doubts(got, want, false, nil)...)
		}
	}
	return append(found, doubts(got.Without(bare.Kinds), want, false, nil)...)
}

// reportDoubts reports doubts at the expression that gives the value, one of each
// kind. The first steps of their paths lead to the value.
func (t *Types) reportDoubts(n *Node, at graph.Value, what string, steps int, found []doubt) {
	said := map[*diag.Rule]bool{}
	for _, c := range found {
		rule := ruleMaybeType
		if c.keyword == "required" {
			rule = ruleMaybeMissing
		}
		if said[rule] {
			continue
		}
		said[rule] = true
		t.fault(func(p *Pass) { p.reportDoubt(rule, n, at, what, steps, c) })
	}
}

func (p *Pass) reportDoubt(rule *diag.Rule, n *Node, at graph.Value, what string, steps int, c doubt) {
	where := strings.Join(c.path, ".")
	if where != "" {
		where = schema.QuoteAll([]string{where}) + " "
	}
	place, title, edits := at.Range(), "", []diag.TextEdit(nil)
	for _, x := range n.exprs {
		if x.at != at || len(c.path) < steps {
			continue
		}
		made, depth := x.compiled.ast.Member(c.path[steps:])
		place = at.Within(made.Start, made.End)
		switch {
		case depth < len(c.path)-steps:
		case c.many && !c.bare:
			title, edits = "always an array: […]", []diag.TextEdit{{Start: made.Start, End: made.Start, New: "["}, {Start: made.End, End: made.End, New: "]"}}
		case rule == ruleMaybeMissing:
			title, edits = "of nothing, 0: $sum([…])", made.SumOfNone()
		case c.first:
			title, edits = "the first of all: (…)[0]", made.FirstOfAll()
		}
	}
	d := p.reportAt(rule, at, place, n, "%s %s%s", what, where, c.message)
	switch {
	case rule == ruleMaybeMissing:
		d.Hint = "give a default: … ?? <default>; or ask first, with a switch or $exists(…) ? … : …"
		if want := c.want; strings.HasPrefix(want, "[") || want == "array" {
			d.Hint = "[…] makes an empty list of nothing; or ask first, with a switch or $exists(…) ? … : …"
		}
	case c.many:
		d.Hint = "a path over several items gives one value without its array when there is one: [ … ] around it makes always an array"
	case c.keyword == "enum":
		d.Hint = "say in the inputSchema which values there are, or choose one of them"
	case strings.Contains(c.message, "fraction"):
		d.Hint = "$round(…), $floor(…) or $ceil(…) makes it whole"
	case c.keyword == "additionalProperties":
		d.Hint = "name the fields: {\"a\": x.a, …}"
	default:
		d.Hint = doubtHint(c)
	}
	if len(edits) > 0 {
		d.Fixes = []diag.Fix{at.ReplaceText(title, edits...)}
	}
}

func doubtHint(c doubt) string {
	switch {
	case strings.HasPrefix(c.message, "may be null"):
		return "ask first: x = null ? … : …"
	case strings.HasPrefix(c.message, "may be ["), strings.HasPrefix(c.message, "may be array"):
		return "pick one with (…)[0], or make one of them with $join(…), $sum(…) or $count(…)"
	}
	if hint := conversion(c.clash); hint != "" {
		return hint
	}
	return "ask first: $type(x) = \"…\" ? … : …"
}
