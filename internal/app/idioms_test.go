package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/tests/searchdata"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Whoever asks how to do something finds the idiom first, among 300 tools.
func TestIdiomsAreFoundByWhatPeopleType(t *testing.T) {
	pb := withShelf(t)
	phrases := map[string]int{}
	for _, line := range searchdata.Lines(t, "../../testdata/search/phrases-idioms.txt") {
		text, want, _ := strings.Cut(line, " => ")
		phrases[want]++
		ids, _ := found(t, pb, discover.SearchInput{Query: text})
		if len(ids) == 0 || ids[0] != want {
			t.Errorf("%q: found %v, want %s first", text, ids[:min(4, len(ids))], want)
		}
	}
	for _, i := range idioms.All() {
		if phrases["idiom:"+i.Name] < 3 {
			t.Errorf("idiom:%s is looked for by %d phrases, want at least 3", i.Name, phrases["idiom:"+i.Name])
		}
	}
}

// Whoever looks for a tool finds the same one as without idioms.
func TestIdiomsDisplaceNoTool(t *testing.T) {
	pb, without := withShelf(t), withShelf(t)
	without.Catalog().Replace("idioms", nil)
	displaced, total := 0, 0
	for _, line := range searchdata.Lines(t, "../../testdata/search/phrases.txt") {
		text, want, _ := strings.Cut(line, " => ")
		before, _ := found(t, without, discover.SearchInput{Query: text})
		after, _ := found(t, pb, discover.SearchInput{Query: text})
		total++
		if strings.Contains(want, before[0]) && before[0] != after[0] {
			displaced++
			t.Logf("%q: found %v, without idioms %s", text, after[:min(3, len(after))], before[0])
		}
	}
	if displaced > 0 {
		t.Errorf("for %d of %d phrases an idiom takes the first place from the right tool", displaced, total)
	}
}

// One search answers a question: the first result has the graph to copy, and the reply
// is short.
func TestOneSearchAnswersHowDoI(t *testing.T) {
	tokens, pb := counter(t), withShelf(t)
	for _, line := range searchdata.Lines(t, "../../testdata/search/phrases-idioms.txt") {
		text, want, _ := strings.Cut(line, " => ")
		_, r := found(t, pb, discover.SearchInput{Query: text})
		if n := tokens(r); n > 900 {
			t.Errorf("%q: the reply has %d tokens, want at most 900", text, n)
		}
		first := r.Results[0]
		if isGuide := strings.HasPrefix(want, "idiom:guide"); !isGuide && !strings.Contains(first.Graph, "nodes:") {
			t.Errorf("%q: the first result has no graph: %+v", text, first)
		}
		for _, other := range r.Results[1:] {
			if other.Graph != "" {
				t.Errorf("%q: %s has a graph too", text, other.Name())
			}
		}
	}
	whole, _ := found(t, pb, discover.SearchInput{Query: "how do I loop", MaxResults: 50})
	var paged []string
	for in := (discover.SearchInput{Query: "how do I loop"}); ; {
		ids, r := found(t, pb, in)
		if paged = append(paged, ids...); r.NextCursor == "" {
			break
		}
		in.Cursor = r.NextCursor
	}
	if diff := cmp.Diff(whole, paged[:len(whole)]); diff != "" {
		t.Errorf("pages hold other results than one page: %s", diff)
	}
}

// An idiom is shown with its paragraph and its graph, the guide by its sections.
func TestDetailsOfIdioms(t *testing.T) {
	tokens, pb := counter(t), withShelf(t)
	details := func(id string) discover.NodeDetails {
		t.Helper()
		r, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{ID: id}}})
		if fault != nil || r.Nodes[0].Error != "" {
			t.Fatal(id, fault, r)
		}
		most := 1200
		if id == "idiom:guide" {
			most = 2000
		}
		if n := tokens(r); n > most {
			t.Errorf("%s: %d tokens, want at most %d", id, n, most)
		}
		return r.Nodes[0]
	}
	for _, i := range idioms.All() {
		if d := details("idiom:" + i.Name); d.Description != i.Text || d.Graph != i.Graph || d.Examples[0].Result == nil {
			t.Errorf("%s: %+v", i.Name, d)
		}
	}
	if guide := details("idiom:guide").Description; guide != discover.Guide().Text() {
		t.Errorf("it is not the guide: %s", guide)
	}
	for _, s := range discover.Guide().Sections() {
		if d := details("idiom:guide/" + s.Name); d.Description != s.Summary+"\n\n"+s.Text {
			t.Errorf("%s: %s", s.Name, d.Description)
		}
	}
	if d := details("loop"); d.ID != "idiom:loop" {
		t.Errorf("loop is taken for %s", d.ID)
	}
}

// get_node_types lists the idioms, and a type of that name is a pattern, not a node.
func TestIdiomsAreATypeOfTheCatalog(t *testing.T) {
	pb := withShelf(t)
	r, fault := pb.Types(t.Context(), discover.TypesInput{TypeFilter: "idiom"})
	if fault != nil {
		t.Fatal(fault)
	}
	for _, want := range []string{"loop", "paging", "guide", "guide/expressions"} {
		if !slices.Contains(r.Types["idiom"], want) {
			t.Errorf("%s is not listed: %v", want, r.Types)
		}
	}
	if _, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: "idiom:loop"}); fault == nil || fault.Code != "not-runnable" || !strings.Contains(fault.Hint, "get_node_details") {
		t.Errorf("run_node of an idiom: %v", fault)
	}
	if ids, _ := found(t, pb, discover.SearchInput{Query: "how do I loop", RunnableOnly: true}); slices.Contains(ids, "idiom:loop") {
		t.Error("an idiom is found among what runs")
	}
	pb.Catalog().Replace("server:own", []*specs.Spec{{NodeType: "mcp", Subtype: "own/loop"}})
	if d, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{ID: "loop"}}}); fault != nil || d.Nodes[0].ID != "mcp:own/loop" {
		t.Errorf("loop is taken for %+v, %v, where a tool has this name", d, fault)
	}
}

// The user's saved graphs are idioms too.
func TestSavedGraphsAreFoundAsIdioms(t *testing.T) {
	pb, _ := everyNode(t) // with the saved graph open_issues
	ids, r := found(t, pb, discover.SearchInput{Query: "count the open issues", TypeFilter: "idiom"})
	if len(ids) == 0 || ids[0] != "graph:open_issues" || !strings.Contains(r.Results[0].Pattern, `get_graph {"name": "open_issues"}`) {
		t.Errorf("found %v: %+v", ids, r.Results)
	}
	for _, id := range ids {
		if !strings.HasPrefix(id, "idiom:") && id != "graph:open_issues" {
			t.Errorf("%s is not an idiom", id)
		}
	}
	for detail, shown := range map[discover.Detail]bool{"full": true, "brief": false} {
		d, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{ID: "graph:open_issues"}}, Detail: detail})
		if fault != nil || strings.Contains(d.Nodes[0].Graph, "name: open_issues") != shown {
			t.Errorf("details %s of a saved graph: %v, text %q", detail, fault, d.Nodes[0].Graph)
		}
	}
}
