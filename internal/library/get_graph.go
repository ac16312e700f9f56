package library

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
)

// GetGraphInput names a saved graph or one of its last revisions, a draft, or a run.
type GetGraphInput struct {
	Name     string `json:"name" arg:"NAME" jsonschema:"a saved graph or a tool of one, a draft handle, or a run ID"`
	Revision string `json:"revision,omitempty" jsonschema:"one of its revisions" help:"one of its revisions instead of the current text"`
	Diff     bool   `json:"diff,omitempty" jsonschema:"the changes since revision (default: the one before) instead"`
}

// GetGraphResult is a saved graph as its author wrote it, or what has changed in it.
type GetGraphResult struct {
	Name      string              `json:"name"`
	Tools     []string            `json:"tools,omitempty"` // of a document with several, that of its name first
	Revision  string              `json:"revision"`        // of the graph; with Diff, the one that it starts from
	Exposed   bool                `json:"exposed"`
	Graph     string              `json:"graph,omitempty"` // YAML text
	Diff      string              `json:"diff,omitempty"`
	Flow      string              `json:"flow,omitempty"`
	Use       *execution.GraphUse `json:"use,omitempty"`
	Revisions []GraphRevision     `json:"revisions,omitempty"` // those that are kept, the latest first; the current one is the first
	Hint      string              `json:"hint,omitempty"`      // how to restore a former text
}

// A GraphRevision is a text that a saved graph has or had.
type GraphRevision struct {
	Revision string `json:"revision"`
	Saved    string `json:"saved"` // RFC 3339
}

// GetGraph returns a saved graph, a draft, or the graph that a run executes.
func (lib *Library) GetGraph(ctx context.Context, in GetGraphInput) (*GetGraphResult, *diag.Fault) {
	if r, fault := lib.unsavedGraph(ctx, in); r != nil || fault != nil {
		return r, fault
	}
	if lib.plans.Saved == nil {
		return nil, plans.NoGraphs()
	}
	if fault := lib.plans.Views.GraphHidden(ctx, in.Name); fault != nil {
		return nil, fault
	}
	if in.Revision != "" || in.Diff {
		return lib.formerGraph(in)
	}
	g, _, fault := lib.plans.Saved.Find(in.Name)
	if fault != nil {
		return nil, lib.deleted(in.Name, fault)
	}
	r := &GetGraphResult{Name: g.Name, Tools: several(g.WholeTools()), Revision: g.Revision, Graph: g.Src, Exposed: lib.plans.GraphTools.Has(g.Name), Use: lib.execution.GraphUse(ctx, g.Name), Revisions: lib.revisions(g.Name)}
	if code := codein.Attached(g.Doc); code != "" && !request.ActorFrom(ctx).Operator {
		r.Graph, r.Hint = code, "this function becomes the graph: save it again with overwrite: true to change it; with revision, the reply has the nodes"
	}
	if plan, _, fault := lib.plans.SavedPlanIn(ctx, true, in.Name); fault == nil && plan != nil {
		r.Flow = plan.Flow()
	}
	return r, nil
}

// unsavedGraph returns the graph of a draft handle or of a run ID. It returns nil for the
// name of a saved graph, also one that begins as a run ID does.
func (lib *Library) unsavedGraph(ctx context.Context, in GetGraphInput) (*GetGraphResult, *diag.Fault) {
	if in.Revision != "" || in.Diff {
		return nil, nil
	}
	if strings.HasPrefix(in.Name, plans.DraftPrefix) {
		s, fault := lib.plans.Drafts.Get(request.ActorFrom(ctx).Principal, in.Name)
		if fault != nil {
			fault.Path = "/name"
			return nil, fault
		}
		return &GetGraphResult{Name: s.Name, Revision: graph.Revision(s.Text), Graph: s.Text}, nil
	}
	if !strings.HasPrefix(in.Name, run.IDPrefix) {
		return nil, nil
	}
	if lib.plans.Saved != nil {
		if _, _, fault := lib.plans.Saved.Find(in.Name); fault == nil {
			return nil, nil
		}
	}
	rec, fault := lib.execution.LookedAt(ctx, in.Name)
	if fault != nil {
		fault.Path = "/name"
		return nil, fault
	}
	if fault := lib.plans.Views.GraphHidden(ctx, rec.Graph); fault != nil {
		return nil, fault
	}
	return &GetGraphResult{Name: cmp.Or(rec.Graph, rec.Source.Name), Revision: graph.Revision(rec.Source.Text), Graph: rec.Source.Text}, nil
}

// formerGraph returns one of the last texts of a graph, or the changes since then.
func (lib *Library) formerGraph(in GetGraphInput) (*GetGraphResult, *diag.Fault) {
	list := lib.plans.Saved.Revisions(in.Name)
	if in.Revision == "" && len(list) > 0 {
		in.Revision = list[min(1, len(list)-1)].ID
	}
	former, text, fault := lib.plans.Saved.Revision(in.Name, in.Revision)
	if fault != nil {
		return nil, fault
	}
	r := &GetGraphResult{Name: in.Name, Revision: former.ID, Exposed: lib.plans.GraphTools.Has(in.Name), Revisions: lib.revisions(in.Name)}
	now, fault := lib.plans.Saved.Get(in.Name)
	if fault != nil || now.Revision != former.ID {
		r.Hint = restoreWith(in.Name, former.ID)
	}
	switch {
	case !in.Diff:
		r.Graph = text
	case fault != nil:
		return nil, lib.deleted(in.Name, fault)
	default:
		r.Diff = edit.Diff(in.Name, text, now.Src)
	}
	return r, nil
}

// revisions lists what is kept of a graph.
func (lib *Library) revisions(name string) []GraphRevision {
	list := lib.plans.Saved.Revisions(name)
	return lists.Each(list, func(r graphfiles.Revision) GraphRevision {
		return GraphRevision{r.ID, r.Saved.UTC().Format(time.RFC3339)}
	})
}

// deleted says of a graph that is not there how it can be restored, if it was deleted.
func (lib *Library) deleted(name string, fault *diag.Fault) *diag.Fault {
	list := lib.plans.Saved.Revisions(name)
	if len(list) == 0 || fault.Code != diag.CodeUnknownGraph {
		return fault
	}
	f := *fault
	f.Hint = "it was deleted; " + restoreWith(name, list[0].ID)
	return &f
}

// restoreWith is the call that saves a former text again.
func restoreWith(name, revision string) string {
	return fmt.Sprintf("save_graph {\"name\": %q, \"restore\": %q} restores it", name, revision)
}

// restored puts the text of the revision to restore into the input of a save.
func (lib *Library) restored(ctx context.Context, in *SaveInput) *diag.Fault {
	switch {
	case in.Restore == "":
		return nil
	case !in.Empty():
		return diag.BadArgument("/restore", "send graph or restore, not both", "the call has both graph and restore")
	case in.As == "":
		return diag.BadArgument("/name", "restore is a revision of the saved graph name", "the call has no name")
	}
	if fault := lib.plans.Views.GraphHidden(ctx, in.As); fault != nil {
		return fault
	}
	_, text, fault := lib.plans.Saved.Revision(in.As, in.Restore)
	if fault != nil && fault.Code == graphfiles.CodeUnknownRevision {
		fault.Path = "/restore"
	}
	if fault != nil {
		return fault
	}
	in.Text, in.Trusted, in.Overwrite = text, true, true // it is from the operator's folder
	return nil
}

// RestoreInput names a revision of a saved graph.
type RestoreInput struct {
	Name     string `json:"name" arg:"NAME" jsonschema:"a saved graph, or one that was deleted"`
	Revision string `json:"revision" arg:"REVISION" jsonschema:"one of its revisions"`
	Drop     bool   `json:"drop_failing_tests,omitempty" jsonschema:"restore it even if its kept tests fail, and delete those"`
}

// Restore saves a former text of a graph again, as [Library.Save] does.
func (lib *Library) Restore(ctx context.Context, in RestoreInput) (*SaveResult, *diag.Fault) {
	r, fault := lib.Save(ctx, SaveInput{As: in.Name, Restore: in.Revision, Drop: in.Drop})
	if fault != nil && fault.Path == "/restore" {
		fault.Path = "/revision"
	}
	return r, fault
}
