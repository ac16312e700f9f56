package engine

import (
	"cmp"
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/types"
)

var ruleForeachShape = diag.Define("foreach-shape", diag.Error,
	"foreach is not {items: {expr: …} or a list, as, concurrency, onItemError}.")

// MaxConcurrency is how many items or branches may run at the same time.
const MaxConcurrency = 64

// foreachModifier runs a node once per item.
var foreachModifier = &Modifier{
	Field: Field{Name: "foreach", Type: "object", Doc: "foreach: {items: {expr: <JSONata>}, as: item}; also concurrency: 1 and onItemError: fail or continue; runs the node once per item, with $item and $index in its expressions; its output is the list of the outputs", Aliases: strings.Fields("forEach each loop iterate items iterator map")},
	Guide: GuideRow{Fields: "foreach: {items: {expr} or a list, as, concurrency, onItemError: continue}", Output: "run once per item, with $item (or $as) and $index in its expressions; the output is the list of outputs"},
	Compile: func(p *Pass, n *Node, v graph.Value) Around {
		f := p.foreach(n, v)
		if f == nil {
			return nil
		}
		return func(c Compiled) Compiled {
			next := NoNode
			if len(c.Edges) > 0 {
				next = c.Edges[0].To
			}
			c.Step = f.around(p.plan, n.Index, c.Step, next)
			c.Infer = f.infer(c.Infer)
			c.PerItem = true
			return c
		}
	},
}

// foreach is a compiled loop over items.
type foreach struct {
	items       *Template
	as          string
	concurrency int
	goOn        bool // after an item that failed
}

var variableName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// foreach compiles the field, and makes its variables known to the node's own
// expressions. Items themselves do not see them.
func (p *Pass) foreach(n *Node, v graph.Value) *foreach {
	if v.Is(graph.Null) {
		return nil
	}
	f := &foreach{as: "item", concurrency: 1, items: &Template{}}
	m := p.foreachMembers(n, v)
	switch items, ok := m["items"]; {
	case ok && items.Path() == v.Path() && items.Is(graph.String): // already reported as an invalid foreach
		if x := p.Expr(n, items); x != nil {
			f.items = &Template{kind: exprTemplate, expr: x}
		}
	case ok:
		f.items = p.Computed(n, items, "items")
	}
	if as := m["as"]; as.Exists() {
		f.as = p.variable(n, as)
	}
	f.concurrency = int(p.whole(n, m["concurrency"], "concurrency", 1, 1, MaxConcurrency))
	switch policy := m["onItemError"]; {
	case !policy.Exists(), policy.Text() == "fail":
	case policy.Text() == "continue":
		f.goOn = true
	default:
		d := p.Report(ruleForeachShape, policy, n, "onItemError is %s, expected fail or continue", diag.Cut(string(raw(policy)), 40))
		p.suggest(d, policy, []string{"continue", "fail"})
	}
	n.foreach, n.item = v, f.as
	n.variables, n.items = append(n.variables, f.as, "index"), f.items
	return f
}

// foreachMembers recovers from items written where the whole foreach belongs.
func (p *Pass) foreachMembers(n *Node, v graph.Value) map[string]graph.Value {
	bare := graph.Value{}
	var items any
	switch {
	case v.Is(graph.String):
		bare, items = v, oneMember("expr", v.Text())
	case v.Is(graph.Array), v.Expr().Exists() && v.Len() == 1:
		bare, items = v, raw(v)
	case v.Is(graph.Object):
		m := p.readKeys(v, "foreach", n, []string{"items", "as", "concurrency", "onItemError"}, foreignWords["foreach"])
		if _, ok := m["items"]; !ok {
			p.Report(ruleForeachShape, v, n, "foreach has no items").Hint = "write foreach: {items: {expr: '$.<node id>.<list>'}}"
		}
		return m
	}
	d := p.Report(ruleForeachShape, v, n, "foreach is %s, expected {items: …}", shape(v))
	d.Hint = "write foreach: {items: {expr: '$.<node id>.<list>'}}"
	if !bare.Exists() {
		return nil
	}
	d.Offer(v.Replace("make it the items", oneMember("items", items)))
	return map[string]graph.Value{"items": bare}
}

// variable reads the name of a variable, which authors write with its $.
func (p *Pass) variable(n *Node, v graph.Value) string {
	name := strings.TrimPrefix(v.Text(), "$")
	switch {
	case !v.Is(graph.String) || !variableName.MatchString(name):
		p.Report(ruleForeachShape, v, n, "as is %s, expected a name such as item", diag.Cut(string(raw(v)), 40)).Hint = "expressions read the item as a variable of this name: as: file gives $file"
		return "item"
	case jsonata.LookupBuiltin(name) != nil || name == "index":
		p.Report(ruleForeachShape, v, n, "$%s is already defined", name).
			WithFix("choose another name", v.Replace("change to item", "item"))
	case name != v.Text():
		p.Report(ruleForeachShape, v, n, "as is %q, expected the name without the $", v.Text()).
			Offer(v.Replace("change to "+name, name))
	}
	return name
}

func (f *foreach) around(plan *Plan, index NodeIndex, step Step, next NodeIndex) Step {
	return func(ctx context.Context, s *State) (Outcome, error) {
		n := &plan.nodes[index]
		given, err := f.items.Eval(ctx, s)
		if err != nil {
			return Outcome{}, err
		}
		if fault := placeItems.fault(given); fault != nil {
			return Outcome{Input: given}, fault
		}
		items := foreachItems(given)
		out := Outcome{Input: given, Next: next}
		left := s.itemsLeft(ctx, len(items))
		if err := context.Cause(ctx); err != nil {
			return Outcome{}, err
		}
		if len(items) > left { // so many that they are not recorded either
			return Outcome{}, s.tooManyItems(n, len(items), left)
		}
		outputs := make([]any, len(items))
		err = s.rt.Fan(ctx, len(items), f.concurrency, func(ctx context.Context, i int) error {
			one, err := s.item(ctx, n, i, f, items, step)
			if outputs[i] = one.Output; outputs[i] == nil {
				outputs[i] = expr.Null()
			}
			return err
		})
		if err == nil {
			out.Output = outputs
		}
		return out, err
	}
}

// infer makes a list of what one item gives.
func (f *foreach) infer(one func(*Types) types.Type) func(*Types) types.Type {
	if one == nil {
		return nil
	}
	return func(t *Types) types.Type {
		t.mayLack(placeItems, f.items)
		s := one(t)
		if s.Has(types.Undefined) {
			s = s.Without(types.Undefined).With(types.Null)
		}
		if f.goOn {
			s = s.Or(errorShape)
		}
		return types.ArrayOf(s)
	}
}

// item runs a step for one item, in a state of its own that sees what s sees.
func (s *State) item(ctx context.Context, n *planNode, i int, f *foreach, items []any, step Step) (Outcome, error) {
	c := *s
	c.scope, c.items = s.scope.Child(s.hist), len(items)
	c.scope.Bind(f.as, items[i])
	c.scope.Bind("index", float64(i))
	return c.attempt(ctx, n, run.Event{Key: itemKey(s.step.Key, i), Part: true, Pure: n.pure, Frame: n.frame, Items: len(items)}, func(ctx context.Context) (Outcome, error) {
		out, err := step(ctx, &c)
		if err == nil || !f.goOn || !catchable(ctx, err) {
			return out, err
		}
		fault := *run.AsFault(err)
		fault.Node = cmp.Or(fault.Node, n.id)
		return Outcome{Input: out.Input, Output: c.errorOutput(&fault), Caught: &fault}, nil
	})
}

// itemKey returns the key of the execution of a step for an item.
func itemKey(step string, i int) string { return step + "[" + strconv.Itoa(i) + "]" }

// foreachItems is JSONata's view of a value as a list: nothing is empty, a single
// value is a list of it.
func foreachItems(v expr.Value) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}
