package engine

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

var (
	ruleMaybeType = diag.Define("maybe-wrong-type", diag.Warning,
		"A value can have several types, and some of them fail where it is used. Examples: a path over an array returns one item or several, a conditional returns either branch, a nullable field may be null. The run fails only if the value has such a type.")
	ruleMaybeMissing = diag.Define("maybe-missing", diag.Warning,
		"A required value may be missing: it is read from an optional field, or from a list that may be empty.")
	ruleFunctionValue = diag.Define("function-value", diag.Error,
		"The value of an expression is a function or contains one. Functions cannot be passed as values: call the function.")
)

// withCertainty returns the mismatches of one certainty.
func withCertainty(c types.Certainty, found []types.Mismatch) []types.Mismatch {
	return lists.Only(found, func(m types.Mismatch) bool { return m.Certainty == c })
}

// reportPossible reports what may be wrong at the expression that gives the value,
// one mismatch of each rule. The first steps of their paths lead to the value.
func (t *Types) reportPossible(n *Node, at graph.Value, what string, steps int, found []types.Mismatch) {
	reported := map[*diag.Rule]bool{}
	for _, m := range found {
		rule := ruleMaybeType
		if m.Kind == types.MissingField {
			rule = ruleMaybeMissing
		}
		if reported[rule] {
			continue
		}
		reported[rule] = true
		t.fault(func(p *Pass) { p.reportPossible(rule, n, at, what, steps, m) })
	}
}

func (p *Pass) reportPossible(rule *diag.Rule, n *Node, at graph.Value, what string, steps int, m types.Mismatch) {
	path, message := m.Place(), m.Message()
	switch {
	case len(path) > 0:
		message = schema.QuoteAll([]string{strings.Join(path, ".")}) + " " + message
	case m.Kind == types.MissingField:
		message = "it may be missing"
	}
	place, title, edits := at.Range(), "", []diag.TextEdit(nil)
	for _, x := range n.exprs {
		if x.at != at || len(path) < steps {
			continue
		}
		made, depth := x.compiled.ast.Member(path[steps:])
		place = at.Within(made.Start, made.End)
		switch {
		case depth < len(path)-steps:
		case itemOrList(&m) && !m.OrAbsent:
			title, edits = "always an array: […]", []diag.TextEdit{{Start: made.Start, End: made.Start, New: "["}, {Start: made.End, End: made.End, New: "]"}}
		case rule == ruleMaybeMissing:
			title, edits = "the sum of no items as 0: $sum([…])", made.SumOfNone()
		case m.Kind == types.WrongType && m.Rest().Only(types.Array):
			title, edits = "the first item: (…)[0]", made.FirstOfAll()
		}
	}
	d := p.reportAt(rule, at, place, n, "%s %s", what, message)
	d.Hint = possibleHint(&m)
	if len(edits) > 0 {
		d.Offer(at.ReplaceText(title, edits...))
	}
}

// itemOrList reports whether a value may be one item where a list of them is wanted.
func itemOrList(m *types.Mismatch) bool {
	return m.Kind == types.WrongType && m.Got.Has(types.Array) && m.Want.Only(types.Array) && types.Fits(m.Rest(), m.Want.Items())
}

// possibleHint says what to do about a value that may be wrong.
func possibleHint(m *types.Mismatch) string {
	rest := m.Rest()
	switch {
	case m.Kind == types.MissingField && m.Want.Has(types.Array) && !m.Want.Has(types.Object):
		return "[…] turns a missing value into an empty list; or test first, with a switch or $exists(…) ? … : …"
	case m.Kind == types.MissingField:
		return "give a default: … ?? <default>; or test first, with a switch or $exists(…) ? … : …"
	case itemOrList(m):
		return "a path that matches one item returns it without an array; [ … ] around the path always makes an array"
	case m.Kind == types.WrongText:
		return "list the values in the inputSchema, or choose one of them"
	case m.IsFraction():
		return "$round(…), $floor(…) or $ceil(…) makes it a whole number"
	case m.Kind == types.ExtraField:
		return "name the fields: {\"a\": x.a, …}"
	case rest.Only(types.Null):
		return "test first: x = null ? … : …"
	case rest.Has(types.Array) && !rest.Has(types.Object):
		return "pick one with (…)[0], or combine them with $join(…), $sum(…) or $count(…)"
	}
	if hint := conversion(m.Want); hint != "" {
		return hint
	}
	return "test first: $type(x) = \"…\" ? … : …"
}

// conversion says how to convert a value to a type, "" when there is no single way.
func conversion(want types.Type) string {
	switch {
	case want.Has(types.Object):
		return ""
	case want.Has(types.Array):
		return "[…] makes a list of a value"
	case want.Has(types.String) && want.Enum == nil:
		return "$string(…) turns a value into text"
	case want.Only(types.Number):
		return "$number(…) turns text into a number"
	}
	return ""
}
