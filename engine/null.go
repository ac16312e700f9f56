package engine

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/types"
)

// A place of a document that takes a list, a map, a number or a text is written as if it
// were not there where its expression gives nothing; null is a value of another type.
type place struct {
	field    string
	takes    string // "a list"
	instead  string // a JSONata value for nothing and null
	required bool   // nothing is an error, too
}

// fault is the fault of a value that the place does not take because there is none.
func (at place) fault(v expr.Value) *diag.Fault {
	if v != nil && !expr.IsNull(v) || v == nil && !at.required {
		return nil
	}
	return diag.Faultf(diag.CodeBadRequest, "%s is %s, expected %s", at.field, valueText(v), at.takes).
		WithHint(fmt.Sprintf("give a default: ($v := …; $v != null ? $v : %s)", at.instead))
}

// mayLack reports an expression that may give null, or nothing where the place needs a
// value.
func (t *Types) mayLack(at place, m *Template) {
	if m == nil || m.kind != exprTemplate || m.expr == nil {
		return
	}
	s, n := t.Expr(m.expr), t.pass.nodes[t.at]
	rule, message := ruleMaybeType, at.field+" may be null, expected "+at.takes
	switch {
	case s.IsOpen():
		return
	case at.required && s.Has(types.Undefined):
		rule, message = ruleMaybeMissing, at.field+" may be missing"
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
