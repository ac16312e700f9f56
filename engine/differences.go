package engine

import (
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/types"
)

// Rules about documents that mean something else in mcpGraph: docs/mcpgraph.md.
var (
	ruleHistoryIndex = diag.Define("history-index", diag.Error,
		"$previousNode counts back from 1, the node executed before, and is called with less. mcpGraph returns null there.")
	ruleDefaultFirst = diag.Define("default-not-last", diag.Warning,
		"Other conditions follow one without a rule. mcpGraph always takes it, and never the others; here it is the default, taken when no other condition holds.")
	ruleSwitchResult = diag.Define("switch-result", diag.Warning,
		"A switch leads to an exit without a result: the tool's result is then the id of the exit, the output of the switch.")
	rulePlainResult = diag.Define("plain-result", diag.Note,
		"The result is never an object, and MCP demands one: the tool's reply is {\"result\": <value>}. In mcpGraph such a call fails, or replies {} for a value that is false, 0, \"\" or null.")
)

// checkHistory reports calls of $previousNode that never find a node.
func (p *Pass) checkHistory(n *Node, v graph.Value, c *compiledExpr) {
	if !c.calls("previousNode") {
		return
	}
	var walk func(e *jsonata.Node)
	walk = func(e *jsonata.Node) {
		if name, ok := e.Callee(); ok && name == "previousNode" && e.Kind == jsonata.KindCall && len(e.Args) == 2 {
			if back := e.Args[1]; back.Kind == jsonata.KindNumber && back.Number < 1 {
				p.reportAt(ruleHistoryIndex, v, v.Within(back.Start, back.End), n, "$previousNode counts back from 1, not from %s", strconv.FormatFloat(back.Number, 'g', -1, 64)).
					WithFix("$previousNode() is the output of the node executed before", v.ReplaceText("change to 1", diag.TextEdit{Start: back.Start, End: back.End, New: "1"}))
			}
		}
		for child := range e.Children() {
			walk(child)
		}
	}
	walk(c.ast.Root)
}

// checkPlain notes a result that is not an object, which the tool's reply wraps, unless
// the output schema says so.
func (t *Types) checkPlain(n *Node, at graph.Value, got, want types.Type) {
	if _, told := want.Field("result"); told || n.Kind.Chooses || !want.Has(types.Object) || got.Has(types.Object|types.Function) || got.Only(types.Undefined) {
		return
	}
	t.fault(func(p *Pass) {
		p.Report(rulePlainResult, at, n, "the result is not an object, so the tool's reply is {\"result\": …}").Hint = "make it an object, or declare result in outputSchema"
	})
}

// checkSwitchResult reports an exit whose result is what a switch before it gives.
func (t *Types) checkSwitchResult(from, exit *Node) {
	t.fault(func(p *Pass) {
		p.Report(ruleSwitchResult, from.where(), from, "the result of %q is the id %q, the output of the switch", exit.ID, exit.ID).Hint = "give the exit a result: result: {expr: …}"
	})
}

// notLast reports a condition without a rule that others follow.
func (p *Pass) notLast(n *Node, c graph.Condition, conditions int) {
	if c.Index < conditions-1 {
		p.Report(ruleDefaultFirst, c.Value, n, "mcpGraph always takes this condition; here it is taken when none of the others holds").Hint = "for mcpGraph's meaning, remove the conditions after it"
	}
}

// fingerprint fills in a fingerprint of what the document says of each node:
// layout, comments, the order of keys and where an editor shows it do not count.
func (p *Plan) fingerprint() {
	h := fnv.New64a()
	var sorted []byte
	for i := range min(len(p.nodes), len(p.tool.Nodes)) {
		sorted = p.tool.Nodes[i].AppendSorted(sorted[:0], positionKey)
		h.Reset()
		_, _ = h.Write(sorted)
		p.nodes[i].print = h.Sum64()
	}
}

// Changed lists the nodes that a run has completed, wholly or for some items,
// and that this plan defines otherwise or no longer has: each once, in the order
// in which they ran. The open step may change.
func (p *Plan) Changed(r *run.Record) []string {
	p.printed.Do(p.fingerprint)
	graphs := map[string]bool{}
	for i := range r.Steps {
		if p.kinds.RunsGraph(r.Steps[i].Type) {
			graphs[r.Steps[i].Key] = true
		}
	}
	open := r.Open()
	var changed []string
	seen := map[string]bool{}
	for i := range r.Steps {
		step := r.Steps[i]
		if !step.Done() || step.Given() || seen[step.Node] || within(step.Key, graphs) || slices.Contains(open, step) {
			continue
		}
		seen[step.Node] = true
		if at, ok := p.index[step.Node]; !ok || p.nodes[at].print != step.Definition {
			changed = append(changed, step.Node)
		}
	}
	return changed
}

// within reports whether a step is part of one of others.
func within(key string, others map[string]bool) bool {
	for i := range key {
		if key[i] == '/' && others[key[:i]] {
			return true
		}
	}
	return false
}
