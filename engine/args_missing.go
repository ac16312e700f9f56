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

// missingArgs reports the required arguments that are missing, except those that are
// there under another name.
func (p *Pass) missingArgs(n *Node, tool *Tool, m schema.Mismatch, misspelt map[string]bool) {
	inside := len(m.Path) > 0
	first := -1 // of those that can be passed, if all are added at once
	if !inside && p.entryID() != "" && !n.Field("args").Exists() {
		first = slices.IndexFunc(m.Names, func(name string) bool { return p.likelyArgument(name) != "" })
	}
	for i, name := range m.Names {
		if !inside && (misspelt[name] || n.movedArgs[name]) {
			continue
		}
		d := p.missingArg(n, tool, m, name)
		if !inside && p.entryID() != "" {
			p.passOwn(d, n, tool, m.Names, i, first)
		}
	}
}

func (p *Pass) missingArg(n *Node, tool *Tool, m schema.Mismatch, name string) *diag.Diagnostic {
	holder := n.Field("args")
	if len(m.Path) > 0 {
		holder = holder.At(m.Pointer())
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
	return d
}

// passOwn adds the fix that passes an argument of the call for a missing one: the
// fix of the first of them adds all where the node has no args.
func (p *Pass) passOwn(d *diag.Diagnostic, n *Node, tool *Tool, names []string, at, first int) {
	entry, own := p.entryID(), p.likelyArgument(names[at])
	if own == "" {
		return
	}
	wanted, _ := tool.Input.Type().Field(names[at])
	if given, _ := p.plan.input.Type().Field(own); !types.Fits(given, wanted) {
		return
	}
	title := fmt.Sprintf("pass the call's own argument %q", own)
	if args := n.Field("args"); args.Exists() {
		d.Offer(args.Insert(title, names[at], passed(entry, own), ""))
		return
	}
	if at != first {
		return
	}
	all := graph.Members{}
	for _, name := range names {
		if own := p.likelyArgument(name); own != "" {
			all = all.With(name, passed(entry, own))
		}
	}
	d.Offer(n.Insert(title, "args", all, "tool"))
}

// passed is the value of an argument that is one of the call's own.
func passed(entry, own string) graph.Members {
	return oneMember("expr", "$."+quoteID(entry)+"."+quoteID(own))
}
