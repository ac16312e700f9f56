package plans

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// Editable reads the graph to change: a saved one, with the tool of that name, or the one given.
func (pl *Plans) Editable(ctx context.Context, in GraphInput, saved string) (*Source, *graph.Tool, *diag.Fault) {
	if saved == "" {
		s, fault := pl.Source(ctx, in)
		return s, nil, fault
	}
	if pl.Saved == nil {
		return nil, nil, NoGraphs()
	}
	if fault := pl.GraphHidden(ctx, saved); fault != nil {
		return nil, nil, fault
	}
	g, tool, fault := pl.Saved.Find(saved)
	if fault != nil {
		return nil, nil, fault
	}
	return &Source{Name: g.Name, Text: g.Src, Trusted: in.Trusted}, tool, nil
}
