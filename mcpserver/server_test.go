package mcpserver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/servers"
)

// A first list has the saved graphs, also where there are so many that a client is greeted
// before they are read.
func TestManySavedGraphsAreListed(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		text := fmt.Sprintf("name: g%03d\ndescription: Gives %[1]d\ninputSchema: {type: object}\noutputSchema: {type: object}\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit, result: {n: %[1]d}}\n", i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("g%03d.yaml", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	graphs, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	pb := app.New(app.Options{Graphs: graphs})
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	list, err := clientOf(t, New(pb, Options{Version: "test"}), nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"g000", "g019", "search_nodes"} {
		if !slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == name }) {
			t.Errorf("%s is not among %d tools", name, len(list.Tools))
		}
	}
}

// What reads the catalog waits until it is loaded, also to complete the name of a node.
func TestRequestsWaitForTheCatalog(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	for method, waits := range map[string]bool{
		"initialize": false, "server/discover": false, "ping": false, "logging/setLevel": false, "notifications/initialized": false, "subscriptions/listen": false,
		"tools/list": true, "tools/call": true, "resources/read": true, "prompts/list": true, "prompts/get": true, "completion/complete": true, "tasks/get": true,
	} {
		served := false
		serve := after(make(chan struct{}), greets).around(func(context.Context, string, mcp.Request) (mcp.Result, error) {
			served = true
			return nil, nil
		})
		if _, err := serve(ctx, method, nil); served == waits || waits != (err != nil) {
			t.Errorf("%s: served %t before the catalog is loaded, %v", method, served, err)
		}
	}
}

// A list of tools waits only for what is in it: saved graphs, tools that pass through, and a
// workflow that looks at it.
func TestAListOfToolsWaitsForWhatIsInIt(t *testing.T) {
	dir := t.TempDir()
	graphs, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	waits := func(o Options, in app.Options) bool {
		pb := app.New(in)
		defer pb.Close()
		return !o.atOnce(pb)("tools/list")
	}
	doc, _ := graph.Parse("w.yaml", "name: w\nworkflow: {on: tools/list}\nnodes: [{id: entry, type: entry, next: end}, {id: end, type: end}]\n")
	if waits(Options{}, app.Options{Graphs: graphs}) || !waits(Options{Expose: &servers.Expose{}}, app.Options{}) || !waits(Options{}, app.Options{Workflows: []*graph.Document{doc}}) {
		t.Error("the wrong ones wait")
	}
	if err := os.WriteFile(filepath.Join(dir, "g.yaml"), []byte("name: g\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !waits(Options{}, app.Options{Graphs: graphs}) {
		t.Error("it does not wait for a saved graph")
	}
}
