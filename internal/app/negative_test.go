package app_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// A negative number of things is refused, not taken for none or all.
func TestNegativeNumbers(t *testing.T) {
	pb := app.New(app.Options{})
	_, limit := pb.Runs(t.Context(), execution.RunsInput{Limit: -1})
	_, tokens := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{ID: "transform"}}, MaxTokens: -4})
	_, size := pb.PruneRuns(t.Context(), execution.PruneInput{MaxMB: -1})
	if limit == nil || limit.Path != "/limit" || tokens == nil || tokens.Path != "/max_tokens" || size == nil || size.Path != "/max_mb" {
		t.Error(limit, tokens, size)
	}
}
