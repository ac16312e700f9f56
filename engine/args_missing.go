package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

func (p *Pass) missingArg(n *Node, tool *Tool, m schema.Mismatch, name string) {
	args := n.Field("args")
	holder := args
	if len(m.Path) > 0 {
		holder = args.At(m.Pointer())
	}
	full := strings.Join(append(slices.Clone(m.Path), name), ".")
	d := p.Report(ruleMissingArg, firstExisting(holder, n.where()), n, "%s/%s needs the argument %q", n.callee.server, n.callee.tool, full)
	property := tool.Input.Root().Property(name)
	d.Hint = fmt.Sprintf("add %s to args", name)
	if want := property.Get("type").Value(); want != nil {
		d.Want = want
		d.Hint += ", a value of type " + strings.Join(property.Types(), " or ")
	}
	if text := property.Get("description").Text(); text != "" {
		d.Hint += ": " + diag.Cut(text, 160)
	}
	entry, own := p.entryID(), p.likelyArgument(name)
	if entry == "" || len(m.Path) > 0 || own == "" {
		return
	}
	wanted, _ := tool.Input.Type().Field(name)
	if given, _ := p.plan.input.Type().Field(own); !types.Fits(given, wanted) {
		return
	}
	title := fmt.Sprintf("pass the call's own argument %q", own)
	if args.Exists() {
		d.Fixes = []diag.Fix{args.Insert(title, name, passed(entry, own), "")}
		return
	}
	all := graph.Object{} // one fix adds args, with all that can be passed
	for _, other := range m.Names {
		if own := p.likelyArgument(other); own != "" {
			all = append(all, graph.Pair{Key: other, Value: passed(entry, own)})
		}
	}
	if all[0].Key == name {
		d.Fixes = []diag.Fix{n.Insert(title, "args", all, "tool")}
	}
}

// passed is the value of an argument that is one of the call's own.
func passed(entry, own string) graph.Object {
	return graph.Object{{Key: "expr", Value: "$." + quoteID(entry) + "." + quoteID(own)}}
}

// likelyArgument finds the argument of the call that is meant for a tool's: one of the
// same name, or the only one by a similar word.
func (p *Pass) likelyArgument(name string) string {
	if p.isArgument(name) {
		return name
	}
	var similar []string
	for _, own := range p.tool.InputSchema.Get("properties").Keys() {
		if sameName(own, name) || synonyms(own, name) {
			similar = append(similar, own)
		}
	}
	if len(similar) == 1 {
		return similar[0]
	}
	return ""
}
