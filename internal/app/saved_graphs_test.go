package app_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/specs"
)

// savedGraph is the text of a graph that adds a number and, if tool is not "", calls it.
func savedGraph(name string, number int, tool string) string {
	call := ""
	next := "exit"
	if tool != "" {
		next = "call"
		call = fmt.Sprintf("  - {id: call, type: mcp, server: shop, tool: %s, args: {}, next: exit}\n", tool)
	}
	return fmt.Sprintf(`name: %s
description: Adds %d to the invoice
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: add}
  - {id: add, type: transform, transform: {expr: '{"sum": $.entry.n + %[2]d}'}, next: %[3]s}
%[4]s  - {id: exit, type: exit, result: {}}
`, name, number, next, call)
}

// TestSavedGraphsAreThoseOfANewProcess changes saved graphs, on disk and by operations, and
// the tools that they call. What the catalog, searches and the list of tools say of them is
// what a process says that has just been started.
func TestSavedGraphsAreThoseOfANewProcess(t *testing.T) {
	t.Run("198 graphs", func(t *testing.T) { compareWithNewProcess(t, 198, false) })
	t.Run("230 graphs in a folder that is watched", func(t *testing.T) { compareWithNewProcess(t, 230, true) })
}

func compareWithNewProcess(t *testing.T, count int, watched bool) {
	t.Helper()
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, uint64(count)))
	touched := func(string) {}
	tools := map[string]bool{} // by name: read-only
	shop := func() (list []*specs.Spec) {
		for name, readOnly := range tools {
			list = append(list, &specs.Spec{NodeType: specs.MCP, Subtype: "shop/" + name, InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &specs.Annotations{ReadOnly: &readOnly, Trusted: true}})
		}
		return list
	}
	open := func() (*app.App, *catalog.Catalog) {
		graphs, err := graphfiles.OpenGraphs(dir)
		if err != nil {
			t.Fatal(err)
		}
		all := catalog.New()
		all.Replace("server:shop", shop())
		graphs.UseApprovals(graphfiles.Approvals{File: filepath.Join(dir, ".approvals.json")})
		pb := app.New(app.Options{Graphs: graphs, Catalog: all})
		t.Cleanup(pb.Close)
		return pb, all
	}
	says := func(pb *app.App, all *catalog.Catalog) string {
		found, fault := pb.Search(t.Context(), discover.SearchInput{Query: "add 3 to the invoice", MaxResults: 20})
		list, fault2 := pb.Graphs(t.Context(), library.GraphsInput{All: true})
		if fault != nil || fault2 != nil {
			t.Fatal(fault, fault2)
		}
		var nodes []any
		for _, sp := range all.Snapshot().All() {
			nodes = append(nodes, []any{sp.ID(), sp.Title, sp.Description, sp.Version, sp.NotApproved, sp.Annotations, sp.InputSchema, sp.OutputSchema, sp.Skeleton})
		}
		text, err := json.Marshal([]any{nodes, pb.GraphTools.List(), found, list})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	kinds := []string{"", "", "sell", "buy", "none"}
	write := func(i int) {
		path := filepath.Join(dir, fmt.Sprintf("g%03d.yaml", i))
		if err := os.WriteFile(path, []byte(savedGraph(fmt.Sprintf("g%03d", i), i, kinds[i%len(kinds)])), 0o600); err != nil {
			t.Fatal(err)
		}
		defer touched(path)
		if old := time.Now().Add(-time.Hour); i%2 == 0 { // its time is trusted
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range count {
		write(i)
	}
	pb, all := open()
	if watched {
		pb.Saved.Watched(true)
		touched = pb.Saved.Touched
	}
	for step := range 20 {
		what := ""
		switch random.IntN(6) {
		case 0:
			what = "a tool changes"
			tools["sell"] = !tools["sell"]
			all.Replace("server:shop", shop())
			pb.Refresh()
		case 1:
			what = "a tool comes or goes"
			if _, there := tools["buy"]; there {
				delete(tools, "buy")
			} else {
				tools["buy"] = false
			}
			all.Replace("server:shop", shop())
			pb.Refresh()
		case 2:
			what = "files come and go"
			for i := range 3 {
				_ = os.Remove(filepath.Join(dir, fmt.Sprintf("g%03d.yaml", random.IntN(count))))
				write(count + random.IntN(9)*(i+1))
			}
			pb.Refresh()
		case 3:
			what = "a file with errors"
			if err := os.WriteFile(filepath.Join(dir, "g007.yaml"), []byte("nodes: [{id: entry, type: entry, next: gone}]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			touched(filepath.Join(dir, "g007.yaml"))
			pb.Refresh()
		case 4:
			what = "a graph is deleted"
			_, _ = pb.Delete(operator(t), library.DeleteInput{Name: fmt.Sprintf("g%03d", random.IntN(count))}) // unless it has gone
		default:
			what = "graphs are saved"
			for range 3 {
				i, expose := random.IntN(count+12), random.IntN(2) == 0
				name := fmt.Sprintf("g%03d", i)
				in := library.SaveInput{GraphInput: plans.GraphInput{Graph: text(savedGraph(name, random.IntN(1000), ""))}, Overwrite: true, Expose: &expose}
				if tools["sell"] {
					in.Expose = nil
				}
				if r, fault := pb.Save(operator(t), in); fault != nil || r.Status != "saved" {
					t.Fatalf("%+v, %v", r, fault)
				}
			}
		}
		if got, want := says(pb, all), says(open()); got != want {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Fatalf("step %d, %s: a new process says other than this one:\n%.300s\n%.300s", step, what, want[max(0, i-100):], got[max(0, i-100):])
		}
	}
}
