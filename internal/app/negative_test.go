package app_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// A negative number of things is refused, not taken for none or all.
func TestNegativeNumbers(t *testing.T) {
	pb := app.New(app.Options{})
	_, limit := pb.Runs(t.Context(), app.RunsInput{Limit: -1})
	_, tokens := pb.Details(t.Context(), app.DetailsInput{Nodes: []app.NodeRef{{ID: "transform"}}, MaxTokens: -4})
	_, size := pb.PruneRuns(t.Context(), app.PruneInput{MaxMB: -1})
	if limit == nil || limit.Path != "/limit" || tokens == nil || tokens.Path != "/max_tokens" || size == nil || size.Path != "/max_mb" {
		t.Error(limit, tokens, size)
	}
}
