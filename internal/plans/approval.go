package plans

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

// approvals say who answers for the text of a saved graph, and what that allows.
type approvals struct {
	plans      *Plans
	unapproved []string // saved graphs that the log names; guarded by the filing of graphSpecs
}

// Unreviewed is that of [engine.Env].
func (ap *approvals) Unreviewed(doc *graph.Document) bool {
	least, _ := ap.leastApproval(doc)
	return least != graphfiles.ByPerson
}

// unreviewedIn is unreviewed for what a call compiles. A test brings its document: that is
// reviewed only as a saved graph.
func (ap *approvals) unreviewedIn(ctx context.Context) func(*graph.Document) bool {
	if _, is := InTest(ctx); !is {
		return ap.Unreviewed
	}
	return func(doc *graph.Document) bool {
		return ap.plans.Saved == nil || !ap.plans.Saved.Has(doc.Name, doc.Src) || ap.Unreviewed(doc)
	}
}

// leastApproval returns the least approval of a document and of the saved graphs that it
// calls, directly or by others: what they return can be in its calls. Name is the called
// graph that has it, "" if that is the document's own.
func (ap *approvals) leastApproval(doc *graph.Document) (least graphfiles.Approval, name string) {
	if ap.plans.Saved == nil {
		return graphfiles.ByPerson, ""
	}
	least = ap.plans.Saved.ApprovalOf(doc.Name, doc.Src)
	ap.eachCalled(doc.Calls(), map[string]bool{}, func(_ *graph.Document, g *graphfiles.Graph) {
		if g == nil {
			return
		}
		if a := ap.plans.Saved.Approval(g); a > least {
			least, name = a, g.Name
		}
	})
	return least, name
}

// eachCalled calls visit for graphs, and for those that they call, directly or by others. The
// graph is nil of the operator's own documents.
func (ap *approvals) eachCalled(names []string, seen map[string]bool, visit func(*graph.Document, *graphfiles.Graph)) {
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		doc, own := ap.plans.Document(name)
		var g *graphfiles.Graph
		if !own && ap.plans.Saved != nil {
			if g, _, _ = ap.plans.Saved.Find(name); g != nil {
				doc = g.Doc
			}
		}
		if doc != nil { // else nothing can call it
			visit(doc, g)
			ap.eachCalled(doc.Calls(), seen, visit)
		}
	}
}

// asksModel reports whether a graph, or one that it calls, asks a model.
func (ap *approvals) asksModel(name string) (asks bool) {
	ap.eachCalled([]string{name}, map[string]bool{}, func(doc *graph.Document, _ *graphfiles.Graph) { asks = asks || doc.HasNode("model") })
	return asks
}

// MayPublish reports whether a saved graph may be a tool of the server.
func (ap *approvals) MayPublish(g *graphfiles.Graph) bool {
	return ap.mayPublish(ap.plans.Saved.Approval(g))
}

// mayPublish reports whether graphs with this approval may be tools of the server.
func (ap *approvals) mayPublish(approval graphfiles.Approval) bool {
	return approval == graphfiles.ByPerson || approval == graphfiles.ByAgent && ap.plans.Agents == config.AgentsExpose
}

// CameWithFolder is the reason of a graph that is neither a tool nor an agent's.
const CameWithFolder = "it came with its folder, and nobody has approved it"

// WhyUnapproved says what an approval lacks, "" if nothing.
func WhyUnapproved(a graphfiles.Approval) string {
	switch a {
	case graphfiles.ByAgent:
		return "an agent has saved it, and nobody has approved it"
	case graphfiles.Unapproved:
		return CameWithFolder
	}
	return ""
}

// Keep takes note that a person is about to replace the text of a file, which may be
// a saved graph: if a person answered for it, a person answers for the new one.
func (ap *approvals) Keep(path, before, after string) error {
	return graphfiles.Approvals{File: ap.plans.process.Config().ApprovalsFile}.Replaced(path, before, after)
}

// noteUnapproved logs which saved graphs came with their folder, when they have changed.
func (ap *approvals) noteUnapproved(list []*filedGraph) {
	var names []string
	for _, f := range list {
		if f.approval == graphfiles.Unapproved {
			names = append(names, f.graph.Name)
		}
	}
	if !slices.Equal(names, ap.unapproved) && len(names) > 0 {
		ap.plans.process.Log.Warn("saved graphs are not used as tools: they came with their folder, and nobody has approved them", "folder", ap.plans.Saved.Dir(), "graphs", diag.OneOf(names, 10), "hint", "look at them, then: patchbay graphs approve --all")
	}
	ap.unapproved = names
}

// Stopped returns why schedules, webhooks and links.notify do not start their graphs before
// a person has approved one, once for each graph.
func (ap *approvals) Stopped() (list []*diag.Fault) {
	cfg := ap.plans.process.Config()
	names := map[string]bool{cfg.Links.Notify: true}
	for _, s := range cfg.Schedules {
		names[s.Graph] = true
	}
	for _, h := range cfg.Webhooks {
		names[h.Graph] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if fault := ap.MayStart(name); fault != nil {
			list = append(list, fault)
		}
	}
	return list
}

// NeedsApproval is the code of the fault of a graph for which no person answers.
var NeedsApproval = diag.DefineFault("needs-approval", diag.RefusesRequest, "a schedule, a webhook or `links.notify` names a graph, or one that calls a graph, for which [no person answers](security.md#saved-graphs): an agent has saved it, or it came with its folder", "look at it with `patchbay graphs show NAME`, then `patchbay graphs approve NAME`")

// MayStart is the fault of a graph that the program is to start, by a schedule, a
// webhook or for a question, and for which, or for a graph that it calls, no person
// answers; nil if one does for all of them.
func (ap *approvals) MayStart(name string) *diag.Fault {
	doc, ok := ap.plans.Document(name)
	if !ok && ap.plans.Saved != nil {
		if g, _, fault := ap.plans.Saved.Find(name); fault == nil {
			doc = g.Doc
		}
	}
	if doc == nil {
		return nil // there is no graph to start, which is said when it is started
	}
	least, which := ap.leastApproval(doc)
	if least == graphfiles.ByPerson {
		return nil
	}
	f := diag.Faultf(NeedsApproval, "the graph %q is not started: %s", name, WhyUnapproved(least))
	if which == "" {
		which = name
	} else {
		f.Message = fmt.Sprintf("the graph %q is not started: it calls %q; %s", name, which, WhyUnapproved(least))
	}
	f.Hint = fmt.Sprintf("look at it with patchbay graphs show %s, then: patchbay graphs approve %[1]s", which)
	return f
}

type testKey struct{}

// WithTest returns the context of a test. Own says that a person answers for its arguments.
func WithTest(ctx context.Context, own bool) context.Context {
	return context.WithValue(ctx, testKey{}, own)
}

// InTest reports whether the runs of a context are those of a test, which permits no call,
// and whether a person answers for its arguments.
func InTest(ctx context.Context) (own, is bool) {
	own, is = ctx.Value(testKey{}).(bool)
	return own, is
}
