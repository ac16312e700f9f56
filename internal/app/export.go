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

// Export draws a valid graph.
func (pb *App) Export(ctx context.Context, in ExportInput) (*ExportResult, *diag.Fault) {
	in.Format = cmp.Or(in.Format, "mermaid")
	if in.Format != "mermaid" && in.Format != "dot" {
		return nil, diag.BadArgument("/format", "the formats are mermaid and dot", "unknown format %q", in.Format)
	}
	plan, rejected, fault := pb.runnable(ctx, RunInput{GraphInput: in.GraphInput, Saved: in.Saved})
	switch {
	case fault != nil:
		return nil, fault
	case rejected != nil:
		return &ExportResult{Format: in.Format, Diagnostics: rejected.Diagnostics, Rendered: rejected.Rendered}, nil
	case in.Format == "dot":
		return &ExportResult{Format: in.Format, Picture: plan.Dot()}, nil
	}
	return &ExportResult{Format: in.Format, Picture: plan.Mermaid()}, nil
}
