package verbs

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/store"
)

// EditInput asks to change a graph by operations.
type EditInput struct {
	GraphInput
	Saved    string   `json:"name,omitempty" jsonschema:"a saved graph to change instead of graph"`
	Ops      []EditOp `json:"ops" jsonschema:"operations in order: add_node {node, after?}, update_node {id, set}, remove_node {id, reconnect?}, connect {from, to, branch?}, insert_between {from, to, node}, rename_node {id, new_id}, set {path, value}"`
	Revision string   `json:"revision,omitempty" jsonschema:"refuse if the graph is not at this revision any more"`
	DryRun   bool     `json:"dry_run,omitempty" jsonschema:"reply as if, change nothing"`
}

// An EditOp is one change of a graph.
type EditOp struct {
	Op        string                     `json:"op"`
	ID        string                     `json:"id,omitempty"`
	NewID     string                     `json:"new_id,omitempty"`
	Node      json.RawMessage            `json:"node,omitempty"`
	After     string                     `json:"after,omitempty"`
	Set       map[string]json.RawMessage `json:"set,omitempty"`
	From      string                     `json:"from,omitempty"`
	To        string                     `json:"to,omitempty"`
	Branch    string                     `json:"branch,omitempty"`
	Reconnect *bool                      `json:"reconnect,omitempty"`
	Path      string                     `json:"path,omitempty"`
	Value     json.RawMessage            `json:"value,omitempty"`
}

// EditResult is the verdict on the edited graph, and what changed.
type EditResult struct {
	Valid    bool          `json:"valid"`
	Errors   diag.List     `json:"errors,omitempty"`
	Warnings diag.List     `json:"warnings,omitempty"`
	More     int           `json:"more,omitempty"`
	Diff     string        `json:"diff,omitempty"`
	Flow     string        `json:"flow,omitempty"`
	Revision string        `json:"revision"`
	Draft    string        `json:"draft,omitempty"`
	Saved    bool          `json:"saved,omitempty"`
	Catalog  *CatalogState `json:"catalog,omitempty"`

	Source string `json:"-"` // the edited text
}

// Edit applies operations to a graph, all or none, and checks the outcome. A
// saved graph is written back if the outcome is valid.
func (pb *Patchbay) Edit(ctx context.Context, in EditInput) (*EditResult, *diag.Fault) {
	s, fault := pb.editable(ctx, in)
	if fault != nil {
		return nil, fault
	}
	before := s.text
	if now := graph.Revision(before); in.Revision != "" && in.Revision != now {
		f := diag.Faultf("stale-revision", "the graph is at revision %s, not %s", now, in.Revision)
		f.Path, f.Got, f.Want, f.Hint = "/revision", in.Revision, now, "read it again and repeat the edit on what it says now"
		return nil, f
	}
	after, fault := applyOps(s, in)
	if fault != nil {
		return nil, fault
	}
	edited := *s
	edited.text = after
	c := pb.check(ctx, &edited, in.Tool)
	r := &EditResult{Valid: !c.found.HasErrors(), Flow: flowOf(c.plans), Revision: graph.Revision(after), Catalog: pb.catalogState(ctx), Source: after}
	list, more := s.shown(c.found)
	r.Errors, r.Warnings, r.More = list.With(diag.Error), list.With(diag.Warning), more
	r.Diff = graph.Diff(s.name, before, after)
	r.Draft = pb.drafts.put(principal(ctx), &edited)
	if in.Saved == "" || in.DryRun || !r.Valid || after == before {
		return r, nil
	}
	saved, fault := pb.graphs.Save(in.Saved, after, store.SaveOptions{Overwrite: true, Revision: graph.Revision(before)})
	if fault != nil {
		return nil, fault
	}
	pb.publishGraphs()
	pb.announce()
	r.Saved, r.Revision = true, saved.Revision
	return r, nil
}

// editable reads the graph to change.
func (pb *Patchbay) editable(ctx context.Context, in EditInput) (*source, *diag.Fault) {
	if in.Saved == "" {
		return pb.source(ctx, in.GraphInput)
	}
	if pb.graphs == nil {
		return nil, noGraphs()
	}
	g, fault := pb.graphs.Get(in.Saved)
	if fault != nil {
		return nil, fault
	}
	return &source{name: g.Name, text: g.Src, trusted: in.Trusted}, nil
}

// applyOps makes one edit after another, each on the text the one before left.
func applyOps(s *source, in EditInput) (string, *diag.Fault) {
	if len(in.Ops) == 0 {
		return "", badArgument("/ops", `such as [{"op": "connect", "from": "a", "to": "b"}]`, "there are no ops")
	}
	text := s.text
	for i, op := range in.Ops {
		for _, single := range op.singles() {
			e, fault := newEditor(s.name, text, in.Tool)
			if fault == nil {
				fault = e.apply(single)
			}
			if fault == nil {
				text, fault = e.text()
			}
			if fault != nil {
				fault.Path = opPath(i, fault.Path)
				return "", fault
			}
		}
	}
	return text, nil
}

// singles splits an update_node of several paths into one for each, in order of
// path: each then sees what the one before has made.
func (op EditOp) singles() []EditOp {
	if op.Op != "update_node" || len(op.Set) < 2 {
		return []EditOp{op}
	}
	paths := slices.Sorted(maps.Keys(op.Set))
	ops := make([]EditOp, len(paths))
	for i, path := range paths {
		ops[i] = op
		ops[i].Set = map[string]json.RawMessage{path: op.Set[path]}
	}
	return ops
}

func opPath(i int, path string) string {
	b, err := json.Marshal(i)
	if err != nil {
		return path
	}
	return "/ops/" + string(b) + path
}
