package engine

import (
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/jsonata"
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
				d := p.reportAt(ruleHistoryIndex, v, v.Within(back.Start, back.End), n, "$previousNode counts back from 1, not from %s", strconv.FormatFloat(back.Number, 'g', -1, 64))
				d.Hint = "$previousNode() is the output of the node executed before"
				d.Fixes = []diag.Fix{v.ReplaceText("change to 1", diag.TextEdit{Start: back.Start, End: back.End, New: "1"})}
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
		d := p.Report(rulePlainResult, at, n, "the result is not an object, so the tool's reply is {\"result\": …}")
		d.Hint = "make it an object, or declare result in outputSchema"
	})
}

// checkSwitchResult reports an exit whose result is what a switch before it gives.
func (t *Types) checkSwitchResult(from, exit *Node) {
	t.fault(func(p *Pass) {
		d := p.Report(ruleSwitchResult, from.where(), from, "the result of %q is the id %q, the output of the switch", exit.ID, exit.ID)
		d.Hint = "give the exit a result: result: {expr: …}"
	})
}

// notLast reports a condition without a rule that others follow.
func (p *Pass) notLast(n *Node, c graph.Condition, conditions int) {
	if c.Index < conditions-1 {
		d := p.Report(ruleDefaultFirst, c.Value, n, "mcpGraph always takes this condition; here it is taken when none of the others holds")
		d.Hint = "for mcpGraph's meaning, remove the conditions after it"
	}
}
