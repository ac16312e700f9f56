package app_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/request"
)

// What a filter leaves out is hidden from that client: it does not find, call or use it
// in graphs that it sends. Other clients, the operator and saved graphs do.
func TestHiddenTools(t *testing.T) {
	dir, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pb := overWith(t, app.Options{Graphs: dir}, offered)
	graph := json.RawMessage(`{"name":"issue","description":"Reads an issue","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"nodes":[{"id":"entry","type":"entry","next":"a"},{"id":"a","type":"mcp","server":"github","tool":"get_issue","args":{"owner":"o","repo":"r","issue_number":1},"next":"exit"},{"id":"exit","type":"exit"}]}`)
	if saved, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.GraphInput{Graph: graph}}); fault != nil || saved.Status != "saved" {
		t.Fatalf("%+v, %v", saved, fault)
	}
	pb.Views.Filter(func(_ context.Context, client string, tools []policy.ListedTool) ([]policy.ListedTool, error) {
		return slices.DeleteFunc(tools, func(l policy.ListedTool) bool { return client == "kept out" && l.Tool == "get_issue" }), nil
	})
	for client, want := range map[string]bool{"kept out": false, "another": true} {
		ctx := request.WithClientID(t.Context(), client)
		found, fault := pb.Search(ctx, discover.SearchInput{Query: "read an issue of a repository"})
		if fault != nil || slices.ContainsFunc(found.Results, func(h discover.SearchHit) bool { return h.Subtype == "github/get_issue" }) != want {
			t.Errorf("%s: the search finds %+v, %v", client, found, fault)
		}
		details, fault := pb.Details(ctx, discover.DetailsInput{Nodes: []plans.NodeRef{{ID: "mcp:github/get_issue"}}})
		if fault != nil || (details.Nodes[0].Code == "") != want || slices.Contains(details.Nodes[0].Suggestions, "mcp:github/get_issue") {
			t.Errorf("%s: the details are %+v, %v", client, details.Nodes[0], fault)
		}
		types, fault := pb.Types(ctx, discover.TypesInput{TypeFilter: "mcp"})
		if fault != nil || slices.Contains(types.Types["mcp"], "github/get_issue") != want {
			t.Errorf("%s: the types are %+v, %v", client, types, fault)
		}
		ran, fault := pb.RunNode(ctx, execution.RunNodeInput{ID: "mcp:github/get_issue", Arguments: json.RawMessage(`{"owner":"o","repo":"r","issue_number":1}`)})
		if (fault == nil) != want || want && ran.Failed() && ran.Error.Code != "invalid-result" {
			t.Errorf("%s: run_node: %+v, %v", client, ran, fault)
		}
		checked, fault := pb.Validate(ctx, author.ValidateInput{GraphInput: plans.GraphInput{Graph: graph}})
		if fault != nil || checked.Valid != want {
			t.Errorf("%s: the check: %+v, %v", client, checked, fault)
		}
		if pb.Views.Hidden(ctx, "github", "get_issue") == want {
			t.Errorf("%s: hidden is %t", client, !want)
		}
		if r, fault := pb.Run(ctx, execution.RunInput{Saved: "issue", Arguments: json.RawMessage(`{}`)}); fault != nil || r.Status == "rejected" {
			t.Errorf("%s: a saved graph: %+v, %v", client, r, fault)
		}
	}
	if pb.Views.Hidden(t.Context(), "github", "get_issue") {
		t.Error("it is hidden from the operator")
	}
}
