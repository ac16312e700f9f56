package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/run"
)

// An Evaluation is one expression or rule of a node, as one execution of the node
// evaluated it.
type Evaluation struct {
	Graph string // name of the saved graph that the node is of; "" if it is of the plan's own
	Path  string // of the expression or rule in the document of the graph, a JSON Pointer
	Line  int
	Text  string // JSONata, or the JSON of a rule
	Reads []Read
	Value expr.Value // nil is undefined
	Err   error      // evaluation failed
}

// A Read is what an expression reads of the run.
type Read struct {
	Text  string     // as JSONata: "$.entry.n"
	Value expr.Value // nil is undefined
}

// nodeRule is a JSON Logic rule of a node.
type nodeRule struct {
	at   graph.Value
	rule *expr.Rule
}

// Evaluations evaluates the expressions and rules of a step of a record again, on what
// they saw then, also of a step of a saved graph that the plan calls: nil where the node
// is not the one that was executed. Expressions that read the item of a foreach are
// evaluated for the step of that item.
func (p *Plan) Evaluations(ctx context.Context, rec *run.Record, step int) []Evaluation {
	s := rec.Steps[step]
	name := ""
	if of := p.calledAt(ctx, rec, s.Key); of != p {
		p, name = of, of.Name
	}
	n := p.executed(s)
	if n == nil {
		return nil
	}
	scope := rec.ScopeAt(step, expr.Limits{})
	scope.Repeat(true)
	item, at := rec.Item(step)
	if n.item != "" && at >= 0 {
		scope.Bind(n.item, item)
		scope.Bind("index", float64(at))
	}
	scope.Freeze(s.Started, rec.ID, s.Key)
	var list []Evaluation
	for _, r := range n.rules {
		e := Evaluation{Graph: name, Path: r.at.Path(), Line: r.at.Range().Start.Line, Text: string(raw(r.at)), Reads: n.reads(ctx, scope, r.at)}
		if e.Err = endedByTime(s, e.Path); e.Err == nil {
			e.Value, e.Err = r.rule.Eval(ctx, scope)
		}
		list = append(list, e)
	}
	for _, x := range n.exprs {
		if n.inRule(x.at) || n.perItem && inside(x.at, n.foreach) != (at < 0) {
			continue
		}
		e := Evaluation{Graph: name, Path: x.at.Path(), Line: x.at.Range().Start.Line, Text: x.compiled.program.Source(), Reads: n.reads(ctx, scope, x.at)}
		if e.Err = endedByTime(s, e.Path); e.Err == nil {
			e.Value, e.Err = x.compiled.program.Eval(ctx, scope)
		}
		list = append(list, e)
	}
	return list
}

// endedByTime is the recorded timeout of the expression at a path of a step:
// evaluating it again does not tell how it ended.
func endedByTime(s *run.StepRecord, path string) error {
	if f := s.Fault; f != nil && f.Code == run.ExpressionTimeout && f.Path == path {
		return f
	}
	return nil
}

// calledAt returns the plan that a step with a key is of: p, or that of a graph called
// by one of the steps that it is part of.
func (p *Plan) calledAt(ctx context.Context, rec *run.Record, key string) *Plan {
	for _, of := range run.Enclosing(key) {
		at := slices.IndexFunc(rec.Steps, func(s *run.StepRecord) bool { return s.Key == of })
		if at < 0 || key[len(of)] != '/' {
			continue
		}
		if n := p.executed(rec.Steps[at]); n != nil && n.graph != nil {
			called, fault := n.graph(ctx)
			if fault != nil {
				return p
			}
			p = called
		}
	}
	return p
}

// executed returns the node of the plan that a step executed, or nil.
func (p *Plan) executed(s *run.StepRecord) *planNode {
	i, known := p.index[s.Node]
	if !known {
		return nil
	}
	p.printed.Do(p.fingerprint)
	if n := &p.nodes[i]; n.kind.Spec.NodeType == s.Type && n.print == s.Definition {
		return n
	}
	return nil
}

// inRule reports whether a value is part of a rule of the node.
func (n *planNode) inRule(v graph.Value) bool {
	return slices.ContainsFunc(n.rules, func(r nodeRule) bool { return inside(v, r.at) })
}

func inside(v, of graph.Value) bool {
	path, root := v.Path(), of.Path()
	return path == root || strings.HasPrefix(path, root+"/")
}

// reads returns what the expressions at a value read, each once.
func (n *planNode) reads(ctx context.Context, scope *expr.Scope, at graph.Value) []Read {
	var list []Read
	seen := map[string]bool{}
	for _, x := range n.exprs {
		if !inside(x.at, at) {
			continue
		}
		texts := x.compiled.historyCalls()
		for _, ref := range x.compiled.refs.Nodes {
			if ref.Via != "path" {
				continue
			}
			path := []string{"$", quoteID(ref.Node)}
			for _, f := range ref.Path {
				path = append(path, quoteID(f.Name))
			}
			texts = append(texts, strings.Join(path, "."))
		}
		for _, text := range texts {
			if seen[text] {
				continue
			}
			seen[text] = true
			if c := compileExpr(text); c.fault == nil {
				v, _ := c.program.Eval(ctx, scope) // what cannot be read is undefined
				list = append(list, Read{text, v})
			}
		}
	}
	return list
}

// historyFunctions are those that read the executions of a run.
var historyFunctions = []string{"previousNode", jsonata.ViaNodeExecution, jsonata.ViaNodeExecutions, jsonata.ViaExecutionCount}

// historyCalls are the calls of [historyFunctions] whose arguments are literals, as texts.
func (c *compiledExpr) historyCalls() (calls []string) {
	source := c.program.Source()
	for _, call := range c.refs.Functions {
		if call.Shadowed || !slices.Contains(historyFunctions, call.Name) {
			continue
		}
		text, _, closed := strings.Cut(source[call.Start:], ")")
		alone := compileExpr(text + ")")
		if closed && alone.fault == nil && len(alone.refs.Variables) == 0 && !alone.refs.WholeRoot && len(alone.refs.Functions) == 1 {
			calls = append(calls, text+")")
		}
	}
	return calls
}
