package app

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// unreviewed is that of [engine.Env].
func (a *App) unreviewed(doc *graph.Document) bool {
	least, _ := a.leastApproval(doc)
	return least != graphfiles.ByPerson
}

// unreviewedIn is unreviewed for what a call compiles. A test brings its document: that is
// reviewed only as a saved graph.
func (a *App) unreviewedIn(ctx context.Context) func(*graph.Document) bool {
	if _, is := inTest(ctx); !is {
		return a.unreviewed
	}
	return func(doc *graph.Document) bool {
		return a.library.graphs == nil || !a.library.graphs.Has(doc.Name, doc.Src) || a.unreviewed(doc)
	}
}

// leastApproval returns the least approval of a document and of the saved graphs that it
// calls, directly or by others: what they return can be in its calls. Name is the called
// graph that has it, "" if that is the document's own.
func (a *App) leastApproval(doc *graph.Document) (least graphfiles.Approval, name string) {
	if a.library.graphs == nil {
		return graphfiles.ByPerson, ""
	}
	least = a.library.graphs.ApprovalOf(doc.Name, doc.Src)
	seen := map[string]bool{}
	var visit func(*graph.Document)
	visit = func(doc *graph.Document) {
		for _, called := range doc.Calls() {
			if seen[called] {
				continue
			}
			seen[called] = true
			if own, ok := a.document(called); ok {
				visit(own)
				continue
			}
			g, _, fault := a.library.graphs.Find(called)
			if fault != nil {
				continue // nothing can call it
			}
			if a := a.library.graphs.Approval(g); a > least {
				least, name = a, g.Name
			}
			visit(g.Doc)
		}
	}
	visit(doc)
	return least, name
}

// mayPublish reports whether a saved graph may be a tool of the server.
func (a *App) mayPublish(g *graphfiles.Graph) bool {
	approval := a.library.graphs.Approval(g)
	return approval == graphfiles.ByPerson || approval == graphfiles.ByAgent && a.library.agents == config.AgentsExpose
}

// CameWithFolder is the reason of a graph that is neither a tool nor an agent's.
const CameWithFolder = "it came with its folder, and nobody has approved it"

// whyUnapproved says what an approval lacks, "" if nothing.
func whyUnapproved(a graphfiles.Approval) string {
	switch a {
	case graphfiles.ByAgent:
		return "an agent has saved it, and nobody has approved it"
	case graphfiles.Unapproved:
		return CameWithFolder
	}
	return ""
}

// KeepApproval takes note that a person is about to replace the text of a file, which may be
// a saved graph: if a person answered for it, a person answers for the new one.
func (a *App) KeepApproval(path, before, after string) error {
	return graphfiles.Approvals{File: a.Config().ApprovalsFile}.Replaced(path, before, after)
}

// noteUnapproved logs which saved graphs came with their folder, when they have changed.
func (a *App) noteUnapproved(list []*graphfiles.Graph) {
	var names []string
	for _, g := range list {
		if a.library.graphs.Approval(g) == graphfiles.Unapproved {
			names = append(names, g.Name)
		}
	}
	if !slices.Equal(names, a.library.unapproved) && len(names) > 0 {
		a.log.Warn("saved graphs are not used as tools: they came with their folder, and nobody has approved them", "folder", a.library.graphs.Dir(), "graphs", diag.OneOf(names, 10), "hint", "look at them, then: patchbay graphs approve --all")
	}
	a.library.unapproved = names
}

// Stopped returns why schedules, webhooks and links.notify do not start their graphs before
// a person has approved one, once for each graph.
func (a *App) Stopped() (list []*diag.Fault) {
	cfg := a.Config()
	names := map[string]bool{cfg.Links.Notify: true}
	for _, s := range cfg.Schedules {
		names[s.Graph] = true
	}
	for _, h := range cfg.Webhooks {
		names[h.Graph] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if fault := a.mayStartByItself(name); fault != nil {
			list = append(list, fault)
		}
	}
	return list
}

// needsApproval is the code of the fault of a graph for which no person answers.
var needsApproval = diag.DefineFault("needs-approval", diag.RefusesRequest, "a schedule, a webhook or `links.notify` names a graph, or one that calls a graph, for which [no person answers](security.md#saved-graphs): an agent has saved it, or it came with its folder", "look at it with `patchbay graphs show NAME`, then `patchbay graphs approve NAME`")

// mayStartByItself is the fault of a graph that the program is to start, by a schedule, a
// webhook or for a question, and for which, or for a graph that it calls, no person
// answers; nil if one does for all of them.
func (a *App) mayStartByItself(name string) *diag.Fault {
	doc, ok := a.document(name)
	if !ok && a.library.graphs != nil {
		if g, _, fault := a.library.graphs.Find(name); fault == nil {
			doc = g.Doc
		}
	}
	if doc == nil {
		return nil // there is no graph to start, which is said when it is started
	}
	least, which := a.leastApproval(doc)
	if least == graphfiles.ByPerson {
		return nil
	}
	f := diag.Faultf(needsApproval, "the graph %q is not started: %s", name, whyUnapproved(least))
	if which == "" {
		which = name
	} else {
		f.Message = fmt.Sprintf("the graph %q is not started: it calls %q; %s", name, which, whyUnapproved(least))
	}
	f.Hint = fmt.Sprintf("look at it with patchbay graphs show %s, then: patchbay graphs approve %[1]s", which)
	return f
}
