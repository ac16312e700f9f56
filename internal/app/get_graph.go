package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/run"
)

// MaxRevisions is how many revisions of a saved graph are kept.
const MaxRevisions = graphfiles.MaxRevisions

// GetGraphInput names a saved graph or one of its last revisions, a draft, or a run.
type GetGraphInput struct {
	Name     string `json:"name" arg:"NAME" jsonschema:"a saved graph or a tool of one, a draft handle, or a run ID"`
	Revision string `json:"revision,omitempty" jsonschema:"one of its revisions" help:"one of its revisions instead of the current text"`
	Diff     bool   `json:"diff,omitempty" jsonschema:"the changes since revision (default: the one before) instead"`
}

// GetGraphResult is a saved graph as its author wrote it, or what has changed in it.
type GetGraphResult struct {
	Name      string          `json:"name"`
	Tools     []string        `json:"tools,omitempty"` // of a document with several, that of its name first
	Revision  string          `json:"revision"`        // of the graph; with Diff, the one that it starts from
	Exposed   bool            `json:"exposed"`
	Graph     string          `json:"graph,omitempty"` // YAML text
	Diff      string          `json:"diff,omitempty"`
	Flow      string          `json:"flow,omitempty"`
	Use       *GraphUse       `json:"use,omitempty"`
	Revisions []GraphRevision `json:"revisions,omitempty"` // those that are kept, the latest first; the current one is the first
	Hint      string          `json:"hint,omitempty"`      // how to restore a former text
}

// A GraphRevision is a text that a saved graph has or had.
type GraphRevision struct {
	Revision string `json:"revision"`
	Saved    string `json:"saved"` // RFC 3339
}

// GetGraph returns a saved graph, a draft, or the graph that a run executes.
func (a *App) GetGraph(ctx context.Context, in GetGraphInput) (*GetGraphResult, *diag.Fault) {
	if r, fault := a.unsavedGraph(ctx, in); r != nil || fault != nil {
		return r, fault
	}
	if a.library.graphs == nil {
		return nil, noGraphs()
	}
	if fault := a.graphHidden(ctx, in.Name); fault != nil {
		return nil, fault
	}
	if in.Revision != "" || in.Diff {
		return a.formerGraph(in)
	}
	g, _, fault := a.library.graphs.Find(in.Name)
	if fault != nil {
		return nil, a.deleted(in.Name, fault)
	}
	r := &GetGraphResult{Name: g.Name, Tools: several(g.ToolNames()), Revision: g.Revision, Graph: g.Src, Exposed: a.isPublished(g.Name), Use: a.graphUse(ctx, g.Name), Revisions: a.revisions(g.Name)}
	if plan, _, fault := a.savedPlanIn(ctx, true, in.Name); fault == nil && plan != nil {
		r.Flow = plan.Flow()
	}
	return r, nil
}

// unsavedGraph returns the graph of a draft handle or of a run ID. It returns nil for the
// name of a saved graph, also one that begins as a run ID does.
func (a *App) unsavedGraph(ctx context.Context, in GetGraphInput) (*GetGraphResult, *diag.Fault) {
	if in.Revision != "" || in.Diff {
		return nil, nil
	}
	if strings.HasPrefix(in.Name, draftPrefix) {
		s, fault := a.authoring.drafts.get(actor(ctx).Principal, in.Name)
		if fault != nil {
			fault.Path = "/name"
			return nil, fault
		}
		return &GetGraphResult{Name: s.name, Revision: graph.Revision(s.text), Graph: s.text}, nil
	}
	if !strings.HasPrefix(in.Name, run.IDPrefix) {
		return nil, nil
	}
	if a.library.graphs != nil {
		if _, _, fault := a.library.graphs.Find(in.Name); fault == nil {
			return nil, nil
		}
	}
	rec, fault := a.lookedAt(ctx, in.Name)
	if fault != nil {
		fault.Path = "/name"
		return nil, fault
	}
	if fault := a.graphHidden(ctx, rec.Graph); fault != nil {
		return nil, fault
	}
	return &GetGraphResult{Name: cmp.Or(rec.Graph, rec.Source.Name), Revision: graph.Revision(rec.Source.Text), Graph: rec.Source.Text}, nil
}

// formerGraph returns one of the last texts of a graph, or the changes since then.
func (a *App) formerGraph(in GetGraphInput) (*GetGraphResult, *diag.Fault) {
	list := a.library.graphs.Revisions(in.Name)
	if in.Revision == "" && len(list) > 0 {
		in.Revision = list[min(1, len(list)-1)].ID
	}
	former, text, fault := a.library.graphs.Revision(in.Name, in.Revision)
	if fault != nil {
		return nil, fault
	}
	r := &GetGraphResult{Name: in.Name, Revision: former.ID, Exposed: a.isPublished(in.Name), Revisions: a.revisions(in.Name)}
	now, fault := a.library.graphs.Get(in.Name)
	if fault != nil || now.Revision != former.ID {
		r.Hint = restoreWith(in.Name, former.ID)
	}
	switch {
	case !in.Diff:
		r.Graph = text
	case fault != nil:
		return nil, a.deleted(in.Name, fault)
	default:
		r.Diff = graph.Diff(in.Name, text, now.Src)
	}
	return r, nil
}

// revisions lists what is kept of a graph.
func (a *App) revisions(name string) []GraphRevision {
	list := a.library.graphs.Revisions(name)
	shown := make([]GraphRevision, len(list))
	for i, r := range list {
		shown[i] = GraphRevision{r.ID, r.Saved.UTC().Format(time.RFC3339)}
	}
	return shown
}

// deleted says of a graph that is not there how it can be restored, if it was deleted.
func (a *App) deleted(name string, fault *diag.Fault) *diag.Fault {
	list := a.library.graphs.Revisions(name)
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
func (a *App) restored(ctx context.Context, in *SaveInput) *diag.Fault {
	switch {
	case in.Restore == "":
		return nil
	case !in.empty():
		return diag.BadArgument("/restore", "send graph or restore, not both", "the call has both graph and restore")
	case in.As == "":
		return diag.BadArgument("/name", "restore is a revision of the saved graph name", "the call has no name")
	}
	if fault := a.graphHidden(ctx, in.As); fault != nil {
		return fault
	}
	_, text, fault := a.library.graphs.Revision(in.As, in.Restore)
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

// Restore saves a former text of a graph again, as [App.Save] does.
func (a *App) Restore(ctx context.Context, in RestoreInput) (*SaveResult, *diag.Fault) {
	r, fault := a.Save(ctx, SaveInput{As: in.Name, Restore: in.Revision, Drop: in.Drop})
	if fault != nil && fault.Path == "/restore" {
		fault.Path = "/revision"
	}
	return r, fault
}
