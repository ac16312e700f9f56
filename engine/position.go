package engine

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// positionKey is the key of any node under which editors keep where they show it. It is not
// a field of a kind: it changes neither what the node does nor its fingerprint.
const positionKey = "ui"

// PositionDoc says what a node may have under ui.
const PositionDoc = "where an editor shows the node: {x, y}, two numbers; it changes nothing else"

var ruleBadPosition = diag.Define("bad-position", diag.Warning,
	"The ui of a node is not {x, y} with two numbers. Editors ignore it and place the node themselves.")

// checkPosition reports a position that editors cannot use.
func (p *Pass) checkPosition(n *Node, v graph.Value) {
	good := v.Is(graph.Map) && v.Get("x").Is(graph.Number) && v.Get("y").Is(graph.Number)
	for _, key := range v.Keys() {
		good = good && (key == "x" || key == "y")
	}
	if good {
		return
	}
	d := p.Report(ruleBadPosition, v, n, "ui is not {x, y} with two numbers")
	d.Hint = PositionDoc
	d.Fixes = []diag.Fix{v.Remove("remove \"ui\"")}
}
