package author

import (
	"context"
	"slices"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/author/clientcode"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/specs"
)

// exportCode writes functions for the tools and saved graphs that are asked for, or for
// all.
func (au *Author) exportCode(ctx context.Context, in ExportInput) (*ExportResult, *diag.Fault) {
	if in.Saved != "" || !in.Empty() {
		return nil, diag.BadArgument("/graph", "save the graph, and name it in nodes", "functions are written for tools and saved graphs")
	}
	chosen, fault := au.callable(ctx, in.Nodes)
	if fault != nil {
		return nil, fault
	}
	tools := make([]clientcode.Tool, len(chosen))
	for i, s := range chosen {
		tools[i].Spec = s
		if seen := au.plans.Seen.Of(s); seen != nil {
			tools[i].Observed = seen.Schema
		}
	}
	r := &ExportResult{Format: in.Format, Functions: len(tools), Catalog: au.plans.CatalogState(ctx)}
	fault = au.process.Compute(ctx, 0, func(context.Context) {
		r.Code = clientcode.TypeScript(tools)
	})
	return r, fault
}

// callable are the nodes of some names that client code can call, each once: a server
// stands for its tools, and no name at all for all.
func (au *Author) callable(ctx context.Context, names []string) ([]*specs.Spec, *diag.Fault) {
	snap := au.plans.Catalog.Snapshot()
	if len(names) == 0 {
		return slices.DeleteFunc(slices.Clone(snap.All()), func(s *specs.Spec) bool { return !clientcode.Callable(s) }), nil
	}
	var chosen []*specs.Spec
	for _, name := range names {
		found, fault := au.named(ctx, snap, name)
		if fault != nil {
			return nil, fault
		}
		for _, s := range found {
			if !slices.Contains(chosen, s) {
				chosen = append(chosen, s)
			}
		}
	}
	return chosen, nil
}

func (au *Author) named(ctx context.Context, snap *catalog.Snapshot, name string) ([]*specs.Spec, *diag.Fault) {
	if slices.Contains(snap.Servers(), name) {
		return snap.Server(name), nil
	}
	if why := au.discover.NotListed(snap, name); why != "" {
		return nil, diag.BadArgument("/nodes", "", "%s", why)
	}
	spec, fault := au.discover.Exact(ctx, plans.NodeRef{ID: name}, "/nodes")
	if fault != nil {
		fault.Suggestions = append(fault.Suggestions, diag.Closer(name, snap.Servers(), 3)...)
		return nil, fault
	}
	if !clientcode.Callable(spec) {
		return nil, diag.Faultf(engine.CodeNotRunnable, "%q cannot be called by client code", spec.ID()).At("/nodes").WithHint("name tools, saved graphs and servers")
	}
	return []*specs.Spec{spec}, nil
}
