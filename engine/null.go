package engine

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/types"
)

// A Place is a field that takes a value of one type from an expression. Where that gives
// nothing, the field counts as not written; null is a value of another type.
type Place struct {
	Kind, Field    string
	takes          string // "a list"; "" is anything
	instead        string // a JSONata value for nothing and null
	Missing, Empty string // what happens then; Missing is "" where that is an error
}

var (
	placeItems   = Place{"foreach", "items", "a list", "[]", "no items", "no items"}
	placeArgs    = Place{"mcp, graph", "args", "a map", "{}", "no arguments", "no arguments"}
	placeMs      = Place{"wait", "ms", "a number of milliseconds", "1000", "", "0 does not wait"}
	placeUntil   = Place{"wait", "until", "a time", "$now()", "", "an error"}
	placeMessage = Place{"ask", "message", "a text", `"?"`, "", "an empty message"}
	placeMethod  = Place{"http", "method", "a text", `"GET"`, "", "an error"}
	placeURL     = Place{"http", "url", "a text", `""`, "", "an error"}
	placeQuery   = Place{"http", "query", "a map", "{}", "no query", "no query"}
	placeHeaders = Place{"http", "headers", "a map", "{}", "no headers", "no headers"}
	placeAuth    = Place{"http", "auth", "a map", "{}", "no authorization", "an error"}
	placeKey     = Place{"state", "key", "a text", `"key"`, "", "an error"}
	placeAdd     = Place{"state", "add", "a list", "[]", "adds nothing", "adds nothing"}
)

// Places are all fields that take a value of one type from an expression.
func Places() []Place {
	return []Place{placeItems, placeArgs, placeMs, placeUntil, placeMessage, placeMethod, placeURL, placeQuery, placeHeaders, placeAuth, placeKey, placeAdd}
}

// fault is the fault of a value that the place does not take because there is none.
func (at Place) fault(v expr.Value) *diag.Fault {
	if at.takes == "" || v != nil && !expr.IsNull(v) || v == nil && at.Missing != "" {
		return nil
	}
	return diag.Faultf(diag.CodeBadRequest, "%s is %s, expected %s", at.Field, valueText(v), at.takes).
		WithHint(fmt.Sprintf("give a default: ($v := …; $v != null ? $v : %s)", at.instead))
}

// mayLack reports an expression that may give null, or nothing where the place needs a
// value.
func (t *Types) mayLack(at Place, m *Template) {
	if m == nil || m.kind != exprTemplate || m.expr == nil {
		return
	}
	s, n := t.Expr(m.expr), t.pass.nodes[t.at]
	rule, message := ruleMaybeType, at.Field+" may be null, expected "+at.takes
	switch {
	case s.IsOpen():
		return
	case at.Missing == "" && s.Has(types.Undefined):
		rule, message = ruleMaybeMissing, at.Field+" may be missing"
	case !s.Has(types.Null):
		return
	}
	t.fault(func(p *Pass) {
		v := m.expr.at
		end := len(v.Text())
		p.Report(rule, v, n, "%s", message).WithFix("null and nothing do not give "+at.takes, v.ReplaceText("give a default: "+at.instead,
			diag.TextEdit{New: "($v := "}, diag.TextEdit{Start: end, End: end, New: "; $v != null ? $v : " + at.instead + ")"}))
	})
}
