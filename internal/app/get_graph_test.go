package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestGetGraphOfDraftAndRun: what a draft handle and a run ID stand for can be read, by the
// caller that they belong to.
func TestGetGraphOfDraftAndRun(t *testing.T) {
	const text = "# mine\nname: twice\nnodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]\n"
	pb := app.New(app.Options{})
	t.Cleanup(pb.Close)
	graph, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	mine, other := request.WithActor(t.Context(), run.Actor{Principal: "me"}), request.WithActor(t.Context(), run.Actor{Principal: "other"})
	checked, fault := pb.Validate(mine, author.ValidateInput{GraphInput: plans.GraphInput{Graph: graph}})
	if fault != nil {
		t.Fatal(fault)
	}
	ran, fault := pb.Run(mine, execution.RunInput{GraphInput: plans.GraphInput{Graph: graph}})
	if fault != nil {
		t.Fatal(fault)
	}
	for _, name := range []string{checked.Draft, ran.RunID} {
		got, fault := pb.GetGraph(mine, library.GetGraphInput{Name: name})
		if fault != nil || got.Graph != text || got.Revision == "" {
			t.Errorf("%s: %+v, %v", name, got, fault)
		}
		if got, fault := pb.GetGraph(other, library.GetGraphInput{Name: name}); fault == nil || !strings.HasPrefix(fault.Code, "unknown-") || fault.Path != "/name" {
			t.Errorf("%s of another: %+v, %v", name, got, fault)
		}
	}
}
