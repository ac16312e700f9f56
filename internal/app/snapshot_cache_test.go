package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/request"
)

// TestOldCatalogsAreForgotten: whatever graphs are saved and run one after the other, and
// whoever asks what there is, the states of the catalog before are not kept in memory.
func TestOldCatalogsAreForgotten(t *testing.T) {
	dir, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	all := catalog.New()
	pb := app.New(app.Options{Graphs: dir, Catalog: all})
	defer pb.Close()
	pb.Views.Filter(func(_ context.Context, _ string, tools []policy.ListedTool) ([]policy.ListedTool, error) {
		return tools, nil
	})
	save := func(i int) string {
		name := fmt.Sprint("g", i)
		graph := json.RawMessage(`{"name":"` + name + `","description":"Does nothing","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]}`)
		if saved, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.GraphInput{Graph: graph}}); fault != nil || saved.Status != "saved" {
			t.Fatalf("%+v, %v", saved, fault)
		}
		return name
	}
	const rounds = 20
	var old []weak.Pointer[catalog.Snapshot]
	for i := range rounds {
		name := save(i)
		if r, fault := pb.Run(t.Context(), execution.RunInput{Saved: name, Arguments: json.RawMessage(`{}`)}); fault != nil || r.Status != "succeeded" {
			t.Fatalf("%+v, %v", r, fault)
		}
		client := request.WithClientID(t.Context(), fmt.Sprint("client ", i))
		limited := request.WithRights(client, &access.Rights{Scopes: []string{"read"}, Deny: []string{fmt.Sprint("graph:other", i)}})
		for _, ctx := range []context.Context{client, limited} {
			if _, fault := pb.Search(ctx, discover.SearchInput{Query: "does nothing"}); fault != nil {
				t.Fatal(fault)
			}
			if _, fault := pb.Details(ctx, discover.DetailsInput{Nodes: []plans.NodeRef{{ID: "graph:" + name}}}); fault != nil {
				t.Fatal(fault)
			}
			if _, fault := pb.Types(ctx, discover.TypesInput{}); fault != nil {
				t.Fatal(fault)
			}
		}
		old = append(old, weak.Make(all.Snapshot()))
	}
	runtime.GC()
	runtime.GC()
	kept := 0
	for _, s := range old {
		if s.Value() != nil {
			kept++
		}
	}
	if kept > 3 {
		t.Errorf("%d of %d states of the catalog are in memory after as many saves, want the latest", kept, rounds)
	}
}
