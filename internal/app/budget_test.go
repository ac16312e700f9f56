package app_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/tests/searchdata"
	"github.com/patchbay-mcp/patchbay/internal/tests/tokens"
	"github.com/patchbay-mcp/patchbay/specs"
)

// counter counts the tokens of a reply as a current model does.
func counter(t *testing.T) func(any) int {
	t.Helper()
	return func(reply any) int {
		t.Helper()
		n, err := tokens.CountJSON(reply)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

func TestSearchRepliesAreShort(t *testing.T) {
	tokens, pb := counter(t), withShelf(t)
	hits, sum, longest := 0, 0, 0
	for _, line := range searchdata.Lines(t, "../../testdata/search/phrases.txt") {
		text, _, _ := strings.Cut(line, " => ")
		r, fault := pb.Search(t.Context(), discover.SearchInput{Query: text})
		if fault != nil {
			t.Fatal(fault)
		}
		n := tokens(r)
		hits, sum, longest = hits+len(r.Results), sum+n, max(longest, n)
		if n > 900 {
			t.Errorf("%q: a reply of %d hits has %d tokens, want at most 900", text, len(r.Results), n)
		}
	}
	t.Logf("%.1f tokens a hit, %d the longest reply", float64(sum)/float64(hits), longest)
	if sum > 90*hits {
		t.Errorf("a hit has %d tokens on average, want at most 90", sum/hits)
	}
}

// everyNode is a Patchbay with tools, built-in kinds and a saved graph, and the
// ids of its nodes.
func everyNode(t *testing.T) (*app.App, []string) {
	t.Helper()
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cat := catalog.New()
	for server, list := range shelf(t) {
		cat.Replace("server:"+server, list)
	}
	pb := app.New(app.Options{Catalog: cat, Graphs: graphs})
	saved, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText("g", `name: open_issues
description: Counts the open issues of a repository
inputSchema: {type: object, properties: {owner: {type: string}, repo: {type: string}}, required: [owner, repo]}
outputSchema: {type: object, properties: {count: {type: number}}, required: [count]}
nodes:
  - {id: entry, type: entry, next: count}
  - {id: count, type: transform, transform: {expr: '{"count": $length($.entry.owner & $.entry.repo)}'}, next: exit}
  - {id: exit, type: exit}
`, "")})
	if fault != nil || saved.Name != "open_issues" {
		t.Fatal(saved, fault)
	}
	var ids []string
	for _, spec := range cat.Snapshot().All() {
		ids = append(ids, spec.ID())
	}
	if !slices.Contains(ids, "graph:open_issues") || !slices.Contains(ids, "transform") {
		t.Fatal(ids)
	}
	return pb, ids
}

func TestDetailsAreShort(t *testing.T) {
	tokens := counter(t)
	pb, ids := everyNode(t)
	longest, of, sum := 0, "", 0
	for _, id := range ids {
		r, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{ID: id}}})
		if fault != nil {
			t.Fatal(fault)
		}
		n := tokens(r)
		sum += n
		if n > longest {
			longest, of = n, id
		}
		most := 1000
		if id == "idiom:guide" {
			most = 2000 // the essential sections in one text
		}
		if n >= most {
			t.Errorf("%s: %d tokens, want under %d", id, n, most)
		}
	}
	t.Logf("%d on average, %d for %s", sum/len(ids), longest, of)
}

// TestMaxTokensIsHonoured asks for one node and for twenty with ever fewer tokens.
func TestMaxTokensIsHonoured(t *testing.T) {
	tokens := counter(t)
	pb, ids := everyNode(t)
	var twenty []plans.NodeRef
	for i := range 20 {
		twenty = append(twenty, plans.NodeRef{ID: ids[i*len(ids)/20]})
	}
	for _, nodes := range [][]plans.NodeRef{{{ID: "mcp:github/create_pull_request"}}, {{ID: "switch"}}, {{ID: "graph:open_issues"}}, twenty} {
		whole, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: nodes})
		if fault != nil {
			t.Fatal(fault)
		}
		for limit := tokens(whole) * 3 / 2; limit >= 80; limit = limit * 4 / 5 {
			r, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: nodes, MaxTokens: limit})
			if fault != nil {
				t.Fatal(fault)
			}
			n := tokens(r)
			if n > limit {
				t.Errorf("%d nodes, %s first: %d tokens of %d: %v", len(nodes), nodes[0].ID, n, limit, r.LeftOut)
			}
			if n < tokens(whole) && len(r.LeftOut) == 0 {
				t.Errorf("%d of %d tokens, and nothing is said to be left out", n, tokens(whole))
			}
			if limit > tokens(whole)*5/4 && len(r.LeftOut) > 0 {
				t.Errorf("%d nodes: %v is left out of %d tokens, where %d are allowed", len(nodes), r.LeftOut, tokens(whole), limit)
			}
			if n < limit/2 && len(r.Nodes) < len(nodes) {
				t.Errorf("%d of %d nodes in %d tokens of %d", len(r.Nodes), len(nodes), n, limit)
			}
			if hasSchemas(whole) && !hasSchemas(r) && hasTexts(r) {
				t.Errorf("schemas are left out before descriptions: %v", r.LeftOut)
			}
		}
	}
}

func hasSchemas(r *discover.DetailsResult) bool {
	return slices.ContainsFunc(r.Nodes, func(n discover.NodeDetails) bool {
		return slices.ContainsFunc(slices.Concat(n.InputPorts, n.OutputPorts), func(p specs.Port) bool { return p.ValidationSchema != nil || p.DataFormat != nil })
	})
}

func hasTexts(r *discover.DetailsResult) bool {
	return slices.ContainsFunc(r.Nodes, func(n discover.NodeDetails) bool {
		return len(n.Examples) > 0 || slices.ContainsFunc(n.Parameters, func(p specs.Parameter) bool { return p.Description != "" })
	})
}

// TestTypesOfManyToolsAreShort lists 5,000 tools with names as long as real ones,
// on few servers and on many.
func TestTypesOfManyToolsAreShort(t *testing.T) {
	tokens := counter(t)
	all := shelf(t)
	var names []string
	for _, server := range slices.Sorted(maps.Keys(all)) {
		for _, spec := range all[server] {
			names = append(names, spec.Tool())
		}
	}
	counts := []int{1, 20, 100, 1000}
	if testing.Short() {
		counts = []int{20}
	}
	for _, servers := range counts {
		cat := catalog.New()
		for s := range servers {
			var list []*specs.Spec
			server := fmt.Sprintf("%s-server-%d", names[s%len(names)], s)
			for i := range 5000 / servers {
				list = append(list, &specs.Spec{NodeType: "mcp", Subtype: fmt.Sprintf("%s/%s_%d", server, names[(s+i)%len(names)], i)})
			}
			cat.Replace("server:"+server, list)
		}
		pb := app.New(app.Options{Catalog: cat})
		seen := map[string]bool{}
		in := discover.TypesInput{}
		for page := range 200 {
			r, fault := pb.Types(t.Context(), in)
			if fault != nil {
				t.Fatal(fault)
			}
			if n := tokens(r); n >= 2000 {
				t.Errorf("%d servers, page %d: %d tokens, want under 2,000", servers, page, n)
			}
			if page == 0 && (r.Counts["mcp"] != 5000 || servers > 1 && len(r.Counts) < 20) {
				t.Errorf("%d servers: %d of 5,000 tools counted, %d counts", servers, r.Counts["mcp"], len(r.Counts))
			}
			for _, name := range r.Types["mcp"] {
				seen[name] = true
			}
			if in.Cursor = r.NextCursor; in.Cursor == "" {
				break
			}
		}
		if len(seen) != 5000 {
			t.Errorf("%d servers: the pages hold %d of 5,000 tools", servers, len(seen))
		}
	}
}
