package author

import (
	"cmp"
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// ExportInput asks for a picture of a graph, or for client code.
type ExportInput struct {
	plans.GraphInput `arg:"[FILE|NAME]"`
	Saved            string   `json:"name,omitempty" flag:"-" jsonschema:"a saved graph to draw instead of graph"`
	Format           string   `json:"format" default:"mermaid" enum:"mermaid,dot,typescript" jsonschema:"mermaid or dot: a picture of a graph; typescript: functions for tools and saved graphs"`
	Nodes            []string `json:"nodes,omitempty" arg:"[NODE|SERVER…]" flag:"-" jsonschema:"with typescript: only these tools, saved graphs and servers"`
}

// ExportResult is the picture's source or the client code, or why there is not one.
type ExportResult struct {
	Format      string              `json:"format"`
	Picture     string              `json:"picture,omitempty"`
	Code        string              `json:"code,omitempty"`
	Functions   int                 `json:"functions,omitempty"` // of the code
	Diagnostics diag.List           `json:"diagnostics,omitempty"`
	Catalog     *plans.CatalogState `json:"catalog,omitempty"` // servers whose tools the code lacks

	Rendered string `json:"-"`
}

// IsCode reports whether client code is asked for, and not a picture.
func (in *ExportInput) IsCode() bool { return in.Format == "typescript" }

// Failed reports whether the graph could not be drawn.
func (r *ExportResult) Failed() bool { return len(r.Diagnostics) > 0 }

// Export draws a graph, or writes functions for tools and saved graphs. To draw, no
// server is asked, so what is wrong with calls of tools does not matter.
func (au *Author) Export(ctx context.Context, in ExportInput) (*ExportResult, *diag.Fault) {
	in.Format = cmp.Or(in.Format, "mermaid")
	switch {
	case in.IsCode():
		return au.exportCode(ctx, in)
	case in.Format != "mermaid" && in.Format != "dot":
		return nil, diag.BadArgument("/format", "the formats are mermaid, dot and typescript", "unknown format %q", in.Format)
	case len(in.Nodes) > 0:
		return nil, diag.BadArgument("/nodes", "draw one graph at a time", "a picture is of one graph")
	}
	c, fault := au.drawable(ctx, in)
	switch {
	case fault != nil:
		return nil, fault
	case c.Plan == nil:
		r := &ExportResult{Format: in.Format}
		r.Diagnostics, _ = c.Source.Shown(c.Found.With(diag.Error))
		if !c.Source.Object {
			r.Rendered = diag.Format(c.Source.Name, c.Source.Text, r.Diagnostics)
		}
		return r, nil
	case in.Format == "dot":
		return &ExportResult{Format: in.Format, Picture: c.Plan.Dot()}, nil
	}
	return &ExportResult{Format: in.Format, Picture: c.Plan.Mermaid()}, nil
}

// drawable compiles the graph that is meant, without tools.
func (au *Author) drawable(ctx context.Context, in ExportInput) (*plans.Checked, *diag.Fault) {
	if in.Saved == "" {
		s, fault := au.plans.Source(ctx, in.GraphInput)
		if fault != nil {
			return nil, fault
		}
		c := plans.OneIn(ctx, au.plans.EnvAlone(!s.Trusted), s, in.Tool)
		c.Runnable()
		fault = c.Cancelled(nil)
		return c, fault
	}
	if !in.Empty() {
		return nil, diag.BadArgument("/name", "send graph or name, not both", "the call has both graph and name")
	}
	plan, found, fault := au.plans.SavedPlanIn(ctx, true, in.Saved)
	return &plans.Checked{Source: &plans.Source{Name: in.Saved}, Plan: plan, Found: found}, fault
}
