package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/specs"
)

// manySpecs are n nodes of a type.
func manySpecs(nodeType, prefix string, n int) []*specs.Spec {
	list := make([]*specs.Spec, n)
	for i := range list {
		list[i] = &specs.Spec{NodeType: nodeType, Subtype: fmt.Sprintf("%s%03d", prefix, i)}
	}
	return list
}

// The pages of an unfiltered list hold every node once, also where several types
// have more than a page.
func TestPagesOfTypesHoldEveryNodeOnce(t *testing.T) {
	cat := catalog.New()
	cat.Replace("server:files", manySpecs("mcp", "files/tool", 250))
	cat.Replace("saved", manySpecs("graph", "graph", 120))
	pb := app.New(app.Options{Catalog: cat})
	seen := map[string]int{}
	in := discover.TypesInput{}
	for range 10 {
		r, fault := pb.Types(t.Context(), in)
		if fault != nil {
			t.Fatal(fault)
		}
		for name, subtypes := range r.Types {
			for _, sub := range subtypes {
				seen[name+":"+sub]++
			}
		}
		if in.Cursor = r.NextCursor; in.Cursor == "" {
			break
		}
	}
	tools, graphs := 0, 0
	for i := range 250 {
		tools += seen[fmt.Sprintf("mcp:files/tool%03d", i)]
	}
	for i := range 120 {
		graphs += seen[fmt.Sprintf("graph:graph%03d", i)]
	}
	if tools != 250 || graphs != 120 || in.Cursor != "" {
		t.Errorf("the pages hold %d of 250 tools and %d of 120 graphs, and end with the cursor %q", tools, graphs, in.Cursor)
	}
}

// Only mcp nodes have a server: another type with a server is said to match
// nothing, and is not replaced.
func TestTypesOfAServer(t *testing.T) {
	cat := catalog.New()
	cat.Replace("server:files", manySpecs("mcp", "files/tool", 2))
	pb := app.New(app.Options{Catalog: cat})
	for filter, want := range map[string]int{"": 2, "mcp": 2, "transform": 0} {
		r, fault := pb.Types(t.Context(), discover.TypesInput{TypeFilter: filter, Server: "files"})
		if fault != nil {
			t.Fatal(fault)
		}
		if len(r.Types["mcp"]) != want || (want == 0) != (r.Hint != "") {
			t.Errorf("type_filter %q and a server list %v, with the hint %q", filter, r.Types, r.Hint)
		}
	}
}

// TestFunctionsAreListed: a client finds out which functions expressions have, with their
// arguments.
func TestFunctionsAreListed(t *testing.T) {
	pb := app.New(app.Options{Catalog: catalog.New()})
	r, fault := pb.Types(t.Context(), discover.TypesInput{TypeFilter: "functions"})
	if fault != nil || len(r.Types) != 1 {
		t.Fatal(fault, r.Types)
	}
	for _, want := range []string{"$length(text)", "$lines(text)", "$nodeExecution(id, i)"} {
		if !slices.Contains(r.Types["functions"], want) {
			t.Errorf("no %s in %v", want, r.Types["functions"])
		}
	}
	if n := r.Counts["functions"]; n != len(jsonata.Builtins()) {
		t.Errorf("%d functions, want those of the language: %d", n, len(jsonata.Builtins()))
	}
	if all, _ := pb.Types(t.Context(), discover.TypesInput{}); all.Types["functions"] != nil {
		t.Error("the functions are among the node types")
	}
	shown, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{ID: "$lines"}, {ID: "$split"}, {ID: "$none"}}})
	if fault != nil {
		t.Fatal(fault)
	}
	if d := shown.Nodes[0]; d.Error != "" || d.Signature != "$lines(text): strings" || !strings.Contains(d.Description, "\n$lines(\"one\") → [\"one\"]") {
		t.Errorf("the function is shown as %+v", d)
	}
	if shown.Nodes[2].Code != "unknown-node" || shown.Hint != "" {
		t.Errorf("%+v, hint %q", shown.Nodes[2], shown.Hint)
	}
}
