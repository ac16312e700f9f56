package engine

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// A Modifier is a field that nodes of several kinds take in addition to their own. It
// changes how a node runs, whatever the node does.
type Modifier struct {
	Field Field
	Guide GuideRow
	// Compile checks the value of the field, reporting every fault through the
	// pass, and returns what the modifier makes of the node; nil leaves the node as
	// it is. It is called before the kind compiles the node.
	Compile func(p *Pass, n *Node, v graph.Value) Around
}

// An Around puts a modifier around a compiled node.
type Around func(Compiled) Compiled

// Modifiers are those that a kind takes, from the outermost to the innermost.
type Modifiers []*Modifier

// The sets of modifiers.
var (
	OnErrorOnly  = Modifiers{onErrorModifier}
	AllModifiers = Modifiers{onErrorModifier, foreachModifier, retryModifier, timeoutModifier}
)

var ruleModifierValue = diag.Define("bad-modifier", diag.Error,
	"A value of retry, timeoutMs, foreach, concurrency or another limit is invalid. The message says which values are allowed.")

func (m Modifiers) fields() []Field {
	return lists.Each(m, func(modifier *Modifier) Field { return modifier.Field })
}

// modifiers compiles the modifiers of a node, the outermost first.
func (p *Pass) modifiers(n *Node) []Around {
	var arounds []Around
	for _, m := range n.Kind.Modifiers {
		if v := n.given(m.Field.Name); v.Exists() {
			if around := m.Compile(p, n, v); around != nil {
				arounds = append(arounds, around)
			}
		}
	}
	return arounds
}

// wrap puts the modifiers around a node.
func wrap(arounds []Around, c Compiled) Compiled {
	for _, around := range slices.Backward(arounds) {
		c = around(c)
	}
	return c
}

// whole reads a whole number of a field, or of a member of one, within bounds;
// absent and null are otherwise.
func (p *Pass) whole(n *Node, v graph.Value, what string, otherwise, least, most int64) int64 {
	if !v.Exists() || v.Is(graph.Null) {
		return otherwise
	}
	i, ok := v.Int()
	if ok && i >= least && i <= most {
		return i
	}
	d := p.Report(ruleModifierValue, v, n, "%s is %s, expected a whole number from %d to %d", what, diag.Cut(string(raw(v)), 40), least, most)
	if text, err := strconv.ParseInt(v.Text(), 10, 64); err == nil && v.Is(graph.String) && text >= least && text <= most {
		d.Offer(v.Replace(fmt.Sprintf("change to %d", text), text))
		return text
	}
	return otherwise
}
