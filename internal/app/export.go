package app

import (
	"cmp"
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
)

// ExportInput asks for a picture of a graph.
type ExportInput struct {
	GraphInput `arg:"FILE|NAME"`
	Saved      string `json:"name,omitempty" flag:"-" jsonschema:"a saved graph to draw instead of graph"`
	Format     string `json:"format" default:"mermaid" jsonschema:"mermaid or dot"`
}

// ExportResult is the picture's source, or why there is not one.
type ExportResult struct {
	Format      string    `json:"format"`
	Picture     string    `json:"picture,omitempty"`
	Diagnostics diag.List `json:"diagnostics,omitempty"`

	Rendered string `json:"-"`
}

// Failed reports whether the graph could not be drawn.
func (r *ExportResult) Failed() bool { return len(r.Diagnostics) > 0 }

// Export draws a graph. No server is asked, so what is wrong with calls of tools does
// not matter.
func (pb *App) Export(ctx context.Context, in ExportInput) (*ExportResult, *diag.Fault) {
	in.Format = cmp.Or(in.Format, "mermaid")
	if in.Format != "mermaid" && in.Format != "dot" {
		return nil, diag.BadArgument("/format", "the formats are mermaid and dot", "unknown format %q", in.Format)
	}
	c, fault := pb.drawable(ctx, in)
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
func (pb *App) drawable(ctx context.Context, in ExportInput) (*checked, *diag.Fault) {
	if in.Saved == "" {
		s, fault := pb.source(ctx, in.GraphInput)
		if fault != nil {
			return nil, fault
		}
		c := oneIn(ctx, pb.envAlone(!s.trusted), s, in.Tool)
		c.runnable()
		fault = c.cancelled(nil)
		return c, fault
	}
	if !in.empty() {
		return nil, diag.BadArgument("/name", "send graph or name, not both", "the call has both graph and name")
	}
	plan, found, fault := pb.savedPlanIn(ctx, true, in.Saved)
	return &checked{source: &source{name: in.Saved}, plan: plan, found: found}, fault
}
