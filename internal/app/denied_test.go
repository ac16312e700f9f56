package app_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// A denied tool is not found, not described, not called and not used in graphs.
func TestDeniedTools(t *testing.T) {
	pb := overWith(t, app.Options{Denied: func(server, tool string) string {
		if server+"/"+tool == "github/get_issue" {
			return "expose.deny"
		}
		return ""
	}}, offered)
	ctx := t.Context()
	found, fault := pb.Search(ctx, discover.SearchInput{Query: "read an issue of a repository", TypeFilter: "mcp"})
	if fault != nil || slices.ContainsFunc(found.Results, func(h discover.SearchHit) bool { return h.Name() == "mcp:github/get_issue" }) || len(found.Results) == 0 {
		t.Errorf("the search finds %+v, %v", found, fault)
	}
	details, fault := pb.Details(ctx, discover.DetailsInput{Nodes: []plans.NodeRef{{ID: "mcp:github/get_issue"}}})
	if fault != nil || details.Nodes[0].Code != "tool-denied" {
		t.Errorf("the details are %+v, %v", details, fault)
	}
	if _, fault := pb.RunNode(ctx, execution.RunNodeInput{ID: "mcp:github/get_issue", Arguments: json.RawMessage(`{}`)}); fault == nil || fault.Code != "tool-denied" {
		t.Errorf("run_node: %v", fault)
	}
	if _, err := pb.CallDownstream(ctx, execution.GatewayCall{Server: "github", Tool: "get_issue"}); !isFault(err, "tool-denied") {
		t.Errorf("the gateway: %v", err)
	}
	graph := json.RawMessage(`{"name":"g","nodes":[{"id":"entry","type":"entry","next":"a"},{"id":"a","type":"mcp","server":"github","tool":"get_issue","args":{},"next":"exit"},{"id":"exit","type":"exit"}]}`)
	checked, fault := pb.Validate(ctx, author.ValidateInput{GraphInput: plans.GraphInput{Graph: graph}})
	if fault != nil || checked.Valid || len(checked.Errors) != 1 || checked.Errors[0].Code != "tool-denied" || checked.Errors[0].Hint != "the operator denies it by expose.deny in the configuration" {
		t.Errorf("the check: %+v, %v", checked, fault)
	}
}

func isFault(err error, code string) bool {
	f, ok := errors.AsType[*diag.Fault](err)
	return ok && f.Code == code
}
