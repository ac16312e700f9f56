package engine

import (
	"encoding/json"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/types"
)

var (
	ruleUnknownField = diag.Define("unknown-field", diag.Error,
		"An expression reads a field that the object does not have. Its value would always be undefined.")
	ruleUndeclaredField = diag.Define("undeclared-field", diag.Note,
		"An expression reads a field that the object's schema does not list, but allows.")
	ruleScalarField = diag.Define("field-of-scalar", diag.Error,
		"An expression reads a field of a string, number or boolean, which has none.")
	ruleOperandType = diag.Define("wrong-operand-type", diag.Error,
		"An operator is applied to a value of a type that it does not accept.")
	ruleFunctionArg = diag.Define("wrong-function-argument", diag.Error,
		"A function is called with a value of a type that it does not accept.")
	ruleReadTooEarly = diag.Define("read-before-run", diag.Error,
		"An expression reads the output of a node that cannot have run before.")
	ruleReadMaybe = diag.Define("maybe-not-run", diag.Warning,
		"An expression reads the output of a node that does not run on every path. On the path in the message, the value is undefined.")
)

// typeRules maps the codes of expr's inference to rules.
var typeRules = map[string]*diag.Rule{
	"unknown-field": ruleUnknownField, "undeclared-field": ruleUndeclaredField, "field-of-scalar": ruleScalarField,
	"wrong-operand-type": ruleOperandType, "wrong-function-argument": ruleFunctionArg,
	"maybe-wrong-type": ruleMaybeType, "function-value": ruleFunctionValue, "count-of-null": ruleExprSuspicious, jsonata.LintHyphen: ruleExprSuspicious,
}

// Types is what is known of the values in a graph while its nodes are inferred:
// what a [Compiled].Infer asks.
type Types struct {
	pass       *Pass
	before     *precedence
	out        []types.Type // of each node's output
	at         NodeIndex    // the node being inferred
	exprs      map[graph.Value]types.Type
	found      [][]typeFault // by node, of the last round
	preceding  *sources      // nil until that is asked
	outcomes   outcomes
	there      [][]expr.There // by node, what conditions before it say is there
	suppressed bool           // what follows from a fault is not reported again
}

// typeFault is a diagnostic to be, kept until the types are stable.
type typeFault func(*Pass)

// passes bounds the rounds to a fixed point; a node that still changes then is
// unknown.
const (
	passesExact = 6
	passesMost  = 10
)

// inferTypes follows the types through the graph to a fixed point and reports
// what they show to be wrong.
func (p *Pass) inferTypes() {
	if p.plan.entry == NoNode {
		return
	}
	whole := !p.diags.HasErrors()
	t := &Types{pass: p, before: newPrecedence(p.plan, p.inTurn()), out: make([]types.Type, len(p.nodes)), exprs: map[graph.Value]types.Type{}, found: make([][]typeFault, len(p.nodes))}
	t.there = t.tested()
	if t.before.cyclic || len(p.branches) > 0 {
		t.settle()
	}
	t.suppressed, p.declared = true, map[diag.Range]bool{}
	for _, i := range t.before.order {
		t.out[i] = t.infer(i)
	}
	for _, i := range t.before.order {
		for _, report := range t.found[i] {
			report(p)
		}
	}
	p.dropDoubts()
	if whole {
		p.checkOrder(t)
		p.checkInputsUsed()
	}
}

// settle follows the types around the loops until they stay as they are. What an
// expression with a fault gives counts here too: were it unknown, the fault would
// hide itself where a node reads its own output.
func (t *Types) settle() {
	for round := range passesMost {
		changed := false
		for _, i := range t.before.order {
			success := t.outcomes.success[i]
			s := t.infer(i)
			if s.Equal(t.out[i]) && success.Equal(t.outcomes.success[i]) {
				continue
			}
			changed = true
			if round >= passesExact {
				s = types.Unknown()
				delete(t.outcomes.success, i)
			}
			t.out[i] = s
		}
		if !changed {
			return
		}
	}
}

// infer infers one node: all its expressions, then its output.
func (t *Types) infer(i NodeIndex) types.Type {
	n := t.pass.nodes[i]
	t.at, t.found[i] = i, t.found[i][:0]
	for _, x := range n.exprs {
		t.pass.did(len(x.at.Text()))
		if x.faulty {
			t.exprs[x.at] = types.Unknown()
			continue
		}
		shape, faults := x.compiled.Infer(t.root(x.compiled), t.variables(n))
		t.exprs[x.at] = shape
		for _, e := range faults {
			rule := typeRules[e.Code]
			switch at := x.at.Within(e.Start, e.End); e.Code {
			case expr.TypeDeclared:
				t.fault(func(p *Pass) { p.declared[at] = true })
			case expr.TypeNumberText:
				t.fault(func(p *Pass) { p.plan.numberTexts = append(p.plan.numberTexts, at) })
			}
			if rule == ruleUndeclaredField {
				rule, e = t.pass.undeclaredInput(x.compiled, e)
			}
			if rule == nil {
				continue
			}
			if rule.Severity == diag.Error && t.suppressed {
				t.exprs[x.at] = types.Unknown()
			}
			t.fault(func(p *Pass) { p.exprFault(rule, n, x.at, e) })
		}
	}
	if n.infer == nil {
		return types.Unknown()
	}
	return n.infer(t)
}

func (t *Types) fault(f typeFault) { t.found[t.at] = append(t.found[t.at], f) }

// variables are the names a node gives its expressions.
func (t *Types) variables(n *Node) map[string]types.Type {
	w, previous := t.pass.plan.workflow, slices.ContainsFunc(n.exprs, func(x nodeExpr) bool { return x.compiled.calls("previousNode") })
	if len(n.variables) == 0 && w == nil && !previous {
		return nil
	}
	vars := map[string]types.Type{}
	if previous {
		vars[expr.PreviousNode] = t.previous()
	}
	if w != nil {
		defer func() { vars[contextVariable] = w.contextType(t.answered()) }()
	}
	for _, name := range n.variables {
		vars[name] = types.Unknown()
	}
	if n.items != nil {
		items := t.Template(n.items)
		vars[n.variables[0]] = items.Items().Or(items.Without(types.Array | types.Undefined))
		vars["index"] = types.Of(types.Integer)
	}
	return vars
}

// when says whether the output of m is there when n starts.
func (t *Types) when(m, n NodeIndex) when {
	if t.pass.hidden(m, n) != nil {
		return never
	}
	if len(t.pass.branches) > 0 && t.pass.apart(m, n) {
		if t.before.cyclic {
			return maybe // from an earlier turn of a loop
		}
		return never
	}
	return t.before.before(m, n)
}

// root is what an expression of the node sees of the nodes it mentions: those that
// may not have run are optional, the others have run.
func (t *Types) root(c *compiledExpr) types.Type {
	refs := c.refs
	if refs.WholeRoot || refs.Unknown {
		return types.Of(types.Object)
	}
	fields := make([]types.Field, 0, len(refs.Nodes))
	var seen map[string]bool
	if len(refs.Nodes) > 16 {
		seen = make(map[string]bool, len(refs.Nodes))
	}
	for _, ref := range refs.Nodes {
		if seen[ref.Node] || seen == nil && slices.ContainsFunc(fields, func(f types.Field) bool { return f.Name == ref.Node }) {
			continue
		}
		if seen != nil {
			seen[ref.Node] = true
		}
		field := types.Field{Name: ref.Node, Type: types.Unknown(), Optional: true}
		if m := t.pass.nodeIndex(ref.Node); m != NoNode {
			if run := t.when(m, t.at); run != never {
				field.Type, field.Optional = t.output(m, t.at), run == maybe && !t.reportedAlone(c)
				for _, v := range t.there[t.at] {
					if v.Node == ref.Node {
						field.Type, field.Optional = having(field.Type, v.Path, v.Lacks), false
					}
				}
			}
		}
		fields = append(fields, field)
	}
	return types.ObjectOf(true, fields...)
}

// reportedAlone reports whether what an expression reads of nodes that may not have run is
// reported for itself: what follows from it is not reported again.
func (t *Types) reportedAlone(c *compiledExpr) bool {
	kind := t.pass.nodes[t.at].Kind
	return !guarded(c) && (kind == nil || !kind.Chooses)
}

// Expr is the type of an expression of the node being inferred.
func (t *Types) Expr(x *Expr) types.Type {
	if x == nil {
		return types.Unknown()
	}
	if s, ok := t.exprs[x.at]; ok {
		return s
	}
	return types.Unknown()
}

// Template is the type of a template of the node being inferred.
func (t *Types) Template(m *Template) types.Type {
	switch m.kind {
	case placeholderTemplate:
		return types.Unknown().Without(types.Undefined)
	case exprTemplate:
		return t.Expr(m.expr)
	case listTemplate:
		elem := types.Type{}
		for _, item := range m.list {
			s := t.Template(item)
			if s.Has(types.Undefined) {
				s = s.Without(types.Undefined).With(types.Null)
			}
			elem = elem.Or(s)
		}
		return types.ArrayOf(elem)
	case mapTemplate:
		fields := make([]types.Field, len(m.keys))
		for i, key := range m.keys {
			s := t.Template(m.members[i])
			fields[i] = types.Field{Name: key, Type: s.Without(types.Undefined), Optional: s.Has(types.Undefined), OnlyPastEnd: s.OnlyPastEnd}
		}
		return types.ObjectOf(true, fields...).Bound()
	}
	if m.literal == nil {
		return types.Of(types.Undefined)
	}
	b, err := expr.Encode(m.literal)
	if err != nil {
		return types.Unknown()
	}
	var v any
	if json.Unmarshal(b, &v) != nil {
		return types.Unknown()
	}
	return types.OfJSON(v, true)
}

func (c *compiledExpr) calls(name string) bool {
	return slices.ContainsFunc(c.refs.Functions, func(call jsonata.Call) bool { return call.Name == name })
}
