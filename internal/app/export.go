package app

import (
	"cmp"
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
)

// ExportInput asks for a picture of a graph, or for client code.
type ExportInput struct {
	GraphInput `arg:"[FILE|NAME]"`
	Saved      string   `json:"name,omitempty" flag:"-" jsonschema:"a saved graph to draw instead of graph"`
	Format     string   `json:"format" default:"mermaid" enum:"mermaid,dot,typescript" jsonschema:"mermaid or dot: a picture of a graph; typescript: functions for tools and saved graphs"`
	Nodes      []string `json:"nodes,omitempty" arg:"[NODE|SERVER…]" flag:"-" jsonschema:"with typescript: only these tools, saved graphs and servers"`
}

// ExportResult is the picture's source or the client code, or why there is not one.
type ExportResult struct {
	Format      string        `json:"format"`
	Picture     string        `json:"picture,omitempty"`
	Code        string        `json:"code,omitempty"`
	Functions   int           `json:"functions,omitempty"` // of the code
	Diagnostics diag.List     `json:"diagnostics,omitempty"`
	Catalog     *CatalogState `json:"catalog,omitempty"` // servers whose tools the code lacks

	Rendered string `json:"-"`
}

// IsCode reports whether client code is asked for, and not a picture.
func (in *ExportInput) IsCode() bool { return in.Format == "typescript" }

// Failed reports whether the graph could not be drawn.
func (r *ExportResult) Failed() bool { return len(r.Diagnostics) > 0 }

// Export draws a graph, or writes functions for tools and saved graphs. To draw, no
// server is asked, so what is wrong with calls of tools does not matter.
func (a *App) Export(ctx context.Context, in ExportInput) (*ExportResult, *diag.Fault) {
	in.Format = cmp.Or(in.Format, "mermaid")
	switch {
	case in.IsCode():
		return a.exportCode(ctx, in)
	case in.Format != "mermaid" && in.Format != "dot":
		return nil, diag.BadArgument("/format", "the formats are mermaid, dot and typescript", "unknown format %q", in.Format)
	case len(in.Nodes) > 0:
		return nil, diag.BadArgument("/nodes", "draw one graph at a time", "a picture is of one graph")
	}
	c, fault := a.drawable(ctx, in)
	switch {
	case fault != nil:
		return nil, fault
	case c.plan == nil:
		r := &ExportResult{Format: in.Format}
		r.Diagnostics, _ = c.source.shown(c.found.With(diag.Error))
		if !c.source.object {
			r.Rendered = diag.Format(c.source.name, c.source.text, r.Diagnostics)
		}
		return r, nil
	case in.Format == "dot":
		return &ExportResult{Format: in.Format, Picture: c.plan.Dot()}, nil
	}
	return &ExportResult{Format: in.Format, Picture: c.plan.Mermaid()}, nil
}

// drawable compiles the graph that is meant, without tools.
func (a *App) drawable(ctx context.Context, in ExportInput) (*checked, *diag.Fault) {
	if in.Saved == "" {
		s, fault := a.source(ctx, in.GraphInput)
		if fault != nil {
			return nil, fault
		}
		c := oneIn(ctx, a.envAlone(!s.trusted), s, in.Tool)
		c.runnable()
		fault = c.cancelled(nil)
		return c, fault
	}
	if !in.empty() {
		return nil, diag.BadArgument("/name", "send graph or name, not both", "the call has both graph and name")
	}
	plan, found, fault := a.savedPlanIn(ctx, true, in.Saved)
	return &checked{source: &source{name: in.Saved}, plan: plan, found: found}, fault
}
