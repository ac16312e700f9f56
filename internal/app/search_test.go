package app_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/tests/searchdata"
	"github.com/patchbay-mcp/patchbay/specs"
)

// narrowing is a Patchbay over three servers and a pack.
func narrowing() *app.App {
	tool := func(id, description, takes, gives string) *specs.Spec {
		s := &specs.Spec{NodeType: "mcp", Subtype: id, Description: description, Source: "server"}
		if takes != "" {
			s.InputSchema = json.RawMessage(`{"type":"object","properties":{"in":{"type":"` + takes + `"}},"required":["in"]}`)
			s.Parameters = []specs.Parameter{{Name: "in", Type: takes, Required: true}}
		}
		if gives != "" {
			s.OutputSchema = json.RawMessage(`{"type":"object","properties":{"out":{"type":"` + gives + `"}},"required":["out"],"additionalProperties":false}`)
		}
		return s
	}
	cat := catalog.New()
	cat.Replace("server:mail", []*specs.Spec{
		tool("mail/send_letter", "Sends a letter", "string", ""),
		tool("mail/count_letters", "Counts the letters", "", "integer"),
	})
	cat.Replace("server:post", []*specs.Spec{
		tool("post/weigh_letter", "Weighs a letter of so many grams", "number", ""),
		tool("post/read_letter", "Reads a letter", "", "string"),
	})
	cat.Replace("server:shop", []*specs.Spec{tool("shop/order", "Orders goods", "string", "")})
	cat.Replace("pack:old", []*specs.Spec{{NodeType: "ACTION_NODE", Subtype: "LETTER", Description: "Sends a letter elsewhere", NotRunnable: true}})
	return app.New(app.Options{Catalog: cat})
}

func found(t *testing.T, pb *app.App, in discover.SearchInput) (ids []string, r *discover.SearchResult) {
	t.Helper()
	r, fault := pb.Search(t.Context(), in)
	if fault != nil {
		t.Fatalf("%+v: %v", in, fault)
	}
	for _, h := range r.Results {
		ids = append(ids, h.Name())
	}
	return ids, r
}

func TestSearchesAreNarrowed(t *testing.T) {
	pb := narrowing()
	letters := []string{"ACTION_NODE:LETTER", "mcp:mail/count_letters", "mcp:mail/send_letter", "mcp:post/read_letter", "mcp:post/weigh_letter"}
	for _, tt := range []struct {
		name string
		in   discover.SearchInput
		want []string
	}{
		{"not at all", discover.SearchInput{}, letters},
		{"to a type", discover.SearchInput{TypeFilter: "ACTION_NODE"}, letters[:1]},
		{"to a type, nearly", discover.SearchInput{TypeFilter: "action_node"}, letters[:1]},
		{"to a server", discover.SearchInput{Server: "post"}, letters[3:]},
		{"to a server, nearly", discover.SearchInput{Server: "psot"}, letters[3:]},
		{"to what runs", discover.SearchInput{RunnableOnly: true}, letters[1:]},
		{"to what takes a number", discover.SearchInput{CompatibleWith: "mcp:mail/count_letters", Server: "post"}, letters[3:]},
		{"to what takes text", discover.SearchInput{CompatibleWith: "mcp:post/read_letter", TypeFilter: "mcp"}, letters[1:4]},
		{"to all words", discover.SearchInput{Query: "letter grams", Mode: "all"}, letters[4:]},
		{"to all words of one server", discover.SearchInput{Query: "letter grams", Mode: "all", Server: "mail"}, nil},
		{"to an unknown server", discover.SearchInput{Server: "qqqqqqqq"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.in.Query == "" {
				tt.in.Query = "letter"
			}
			got, r := found(t, pb, tt.in)
			got = slices.DeleteFunc(got, func(id string) bool { return !strings.Contains(id, ":") }) // a built-in kind may say letter too
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if len(got) == 0 && r.Hint == "" {
				t.Error("nothing is found, and no hint says what to try")
			}
			if r.Total != len(r.Results) {
				t.Errorf("total %d, %d results", r.Total, len(r.Results))
			}
		})
	}
}

// TestPagesHoldEveryMatchOnce walks a search over the fixture by cursor.
func TestPagesHoldEveryMatchOnce(t *testing.T) {
	pb := withShelf(t)
	const query = "list the files, issues or messages"
	seen := map[string]bool{}
	in := discover.SearchInput{Query: query, MaxResults: 7}
	_, first := found(t, pb, in)
	for range 100 {
		ids, r := found(t, pb, in)
		if r.Total != first.Total {
			t.Errorf("total %d, on the first page %d", r.Total, first.Total)
		}
		again, _ := found(t, pb, in)
		if diff := cmp.Diff(ids, again); diff != "" {
			t.Errorf("the same cursor shows another page: %s", diff)
		}
		for _, id := range ids {
			if seen[id] {
				t.Errorf("%s comes twice", id)
			}
			seen[id] = true
		}
		if in.Cursor = r.NextCursor; in.Cursor == "" {
			break
		}
	}
	if len(seen) != first.Total || first.Total < 50 {
		t.Errorf("the pages hold %d of %d", len(seen), first.Total)
	}

	in.Cursor = first.NextCursor
	pb.Catalog().Replace("server:new", []*specs.Spec{{NodeType: "mcp", Subtype: "new/list_files", Description: "List files"}})
	if _, fault := pb.Search(t.Context(), in); fault == nil || fault.Path != "/cursor" || fault.Hint == "" {
		t.Errorf("a cursor of the catalog as it was: %v", fault)
	}
}

// TestNoiseChangesNoReply dresses phrases as people, models and forms do.
func TestNoiseChangesNoReply(t *testing.T) {
	pb := withShelf(t)
	r := rand.New(rand.NewPCG(1, 6))
	noise := []string{". ", "! ", "? ", ", ", " \"", "\" ", " AND ", " OR ", " NOT ", " (", ") ", " [", "] ", " 🚀 ", "\n", "\t", " - ", " + ", ": ", " ~ ", " ^ ", "* ", " / ", "\\ ", " && ", "{} ", " — ", " “", "\u00a0", "\u200b "}
	for _, line := range searchdata.Lines(t, "../../testdata/search/phrases.txt") {
		text, _, _ := strings.Cut(line, " => ")
		want, plain := found(t, pb, discover.SearchInput{Query: text})
		for range 5 {
			var b strings.Builder
			for w := range strings.FieldsSeq(text) {
				if r.IntN(3) == 0 {
					w = strings.ToUpper(w)
				}
				b.WriteString(noise[r.IntN(len(noise))] + w + noise[r.IntN(len(noise))])
			}
			got, noisy := found(t, pb, discover.SearchInput{Query: b.String()})
			if diff := cmp.Diff(want, got); diff != "" || noisy.Total != plain.Total {
				t.Errorf("%q finds %d, %q finds %d:\n%s", text, plain.Total, b.String(), noisy.Total, diff)
			}
		}
	}
}

func TestAnyQueryIsAnswered(t *testing.T) {
	pb := withShelf(t)
	for _, query := range []string{"", " \n\t", "the of and", strings.Repeat("send mail ", 1000), strings.Repeat("x", 50_000), "\xff\xfe", "🚀", "AND OR NOT", `"`, "a:b^2 (c", "مرحبا بالعالم", "查询城市的天气", "\x00"} {
		_, r := found(t, pb, discover.SearchInput{Query: query})
		if r.Total == 0 && r.Hint == "" {
			t.Errorf("%.20q finds nothing, and no hint says what to try", query)
		}
		for _, h := range r.Results {
			if h.Score < 0 || h.Score > 1 {
				t.Errorf("%.20q: %s scores %v", query, h.Name(), h.Score)
			}
		}
	}
	for _, in := range []discover.SearchInput{{MaxResults: -1}, {MaxResults: 51}, {Mode: "some"}, {Cursor: "?"}, {CompatibleWith: "no such node at all"}} {
		in.Query = "send mail"
		if r, fault := pb.Search(t.Context(), in); fault == nil || fault.Hint == "" {
			t.Errorf("%+v: got %+v, %v", in, r, fault)
		}
	}
}

// TestServersThatChangeAreSeenAtOnce changes one server of a large catalog, so
// often that the index is merged meanwhile.
func TestServersThatChangeAreSeenAtOnce(t *testing.T) {
	cat := catalog.New()
	pb := app.New(app.Options{Catalog: cat})
	for i := range 30 {
		var list []*specs.Spec
		for j := range 100 {
			list = append(list, &specs.Spec{NodeType: "mcp", Subtype: fmt.Sprintf("s%d/juggle_%d", i, j), Description: "Juggles"})
		}
		list[0].Description += fmt.Sprintf(" quokka%d", i)
		cat.Replace(fmt.Sprintf("server:s%d", i), list)
		if ids, r := found(t, pb, discover.SearchInput{Query: fmt.Sprintf("quokka%d", i), Mode: "all"}); len(ids) == 0 || ids[0] != fmt.Sprintf("mcp:s%d/juggle_0", i) {
			t.Errorf("server %d: found %v of %d", i, ids, r.Total)
		}
	}
}

// TestBuiltInKindsAreFoundByIntent asks for the built-in kinds as people do, among
// the tools of twenty servers.
func TestBuiltInKindsAreFoundByIntent(t *testing.T) {
	pb := withShelf(t)
	for text, want := range map[string]string{
		"run every item through":        "graph mcp",
		"branch into yes and no":        "switch",
		"pause until a person approves": "ask",
		"call a tool":                   "mcp",
		"reshape JSON":                  "transform",
		"process data":                  "transform",
		"sleep for a while":             "wait",
		"do two things in parallel":     "parallel",
	} {
		if ids, _ := found(t, pb, discover.SearchInput{Query: text}); len(ids) == 0 || !slices.Contains(strings.Fields(want), ids[0]) {
			t.Errorf("%q: found %v, want %s first", text, ids, want)
		}
	}
}

// TestSavedGraphsAreFoundByWhatTheyDo saves a graph that does what a tool does too.
func TestSavedGraphsAreFoundByWhatTheyDo(t *testing.T) {
	pb, _ := everyNode(t) // with the saved graph open_issues
	for _, text := range []string{"count the open issues of a repository", "how many issues are open?", "open issues count"} {
		if ids, _ := found(t, pb, discover.SearchInput{Query: text}); len(ids) == 0 || ids[0] != "graph:open_issues" {
			t.Errorf("%q: found %v", text, ids)
		}
	}
	pb.Catalog().Replace("server:twin", []*specs.Spec{{NodeType: "mcp", Subtype: "twin/open_issues", Description: "Counts the open issues of a repository", Source: "server:twin"}})
	if ids, _ := found(t, pb, discover.SearchInput{Query: "open issues"}); len(ids) < 2 || ids[0] != "graph:open_issues" {
		t.Errorf("a tool that fits as well: found %v", ids)
	}
	if ids, _ := found(t, pb, discover.SearchInput{Query: "commits", TypeFilter: "graph"}); slices.Contains(ids, "graph:open_issues") {
		t.Errorf("a saved graph is found by what it does not do: %v", ids)
	}
}

// TestOnlyNodesThatFitAreCompatible goes from the output of one node to the
// inputs of others.
func TestOnlyNodesThatFitAreCompatible(t *testing.T) {
	tool := func(name, in, out string) *specs.Spec {
		return &specs.Spec{NodeType: "mcp", Subtype: "s/" + name, Description: "Handles letters", InputSchema: json.RawMessage(in), OutputSchema: json.RawMessage(out)}
	}
	cat := catalog.New()
	cat.Replace("server:s", []*specs.Spec{
		tool("counts", `{"type":"object"}`, `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`),
		tool("takes_number", `{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}`, ``),
		tool("takes_text", `{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}`, ``),
		tool("takes_list", `{"type":"object","properties":{"x":{"type":"array"}},"required":["x"]}`, ``),
		tool("may_take_text", `{"type":"object","properties":{"x":{"type":"string"}}}`, ``),
		tool("takes_either", `{"type":"object","properties":{"x":{"type":["string","integer"]}},"required":["x"]}`, ``),
		tool("takes_both", `{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"string"}},"required":["x","y"]}`, ``),
	})
	pb := app.New(app.Options{Catalog: cat})
	ids, r := found(t, pb, discover.SearchInput{Query: "letters", CompatibleWith: "s/counts", Server: "s"})
	slices.Sort(ids)
	want := []string{"mcp:s/counts", "mcp:s/may_take_text", "mcp:s/takes_either", "mcp:s/takes_number"}
	if diff := cmp.Diff(want, ids); diff != "" || r.Total != len(want) {
		t.Errorf("total %d, want %d: %s", r.Total, len(want), diff)
	}
	if ids, r := found(t, pb, discover.SearchInput{Query: "letters", CompatibleWith: "s/count", Server: "s"}); len(ids) != len(want) || r.Assumed["s/count"] != "mcp:s/counts" {
		t.Errorf("nearly a node's name: found %v, assumed %v", ids, r.Assumed)
	}
}

// A server that is configured and has no tools yet is not an unknown one.
func TestSearchOfAServerThatHasNotStarted(t *testing.T) {
	pb := app.New(app.Options{Servers: []downstream.Server{{Name: "stripe", Command: "stripe-server"}}})
	defer pb.Close()
	r, fault := pb.Search(t.Context(), discover.SearchInput{Query: "refund a payment", Server: "stripe"})
	if fault != nil {
		t.Fatal(fault)
	}
	if want := `the server "stripe" is still starting; search again in a few seconds`; r.Hint != want {
		t.Errorf("the hint is %q, want %q", r.Hint, want)
	}
}

// Words of programming languages find the nodes and idioms for them, among 300 tools.
func TestControlWordsFindTheirNodes(t *testing.T) {
	pb := withShelf(t)
	for text, want := range map[string][]string{
		"if": {"switch"}, "switch": {"switch"}, "loop": {"idiom:loop"}, "for each": {"idiom:each"},
		"when": {"switch"}, "wait": {"wait"}, "else": {"switch"}, "not": {"switch"},
	} {
		ids, _ := found(t, pb, discover.SearchInput{Query: text})
		if len(ids) == 0 || !slices.Contains(want, ids[0]) {
			t.Errorf("%q: found %v, want %v first", text, ids[:min(4, len(ids))], want)
		}
	}
}

// The queries that the description of search_nodes gives as examples find their nodes.
func TestExamplesOfTheDescription(t *testing.T) {
	pb := withShelf(t)
	var description string
	for _, op := range app.Operations() {
		if op.Tool == "search_nodes" {
			description = op.Description
		}
	}
	want := map[string]string{"ask a person for approval": "ask"}
	examples := regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(description, -1)
	if len(examples) != len(want) {
		t.Errorf("the description has %d examples, the test %d", len(examples), len(want))
	}
	for _, e := range examples {
		ids, _ := found(t, pb, discover.SearchInput{Query: e[1]})
		if !slices.Contains(ids[:min(3, len(ids))], want[e[1]]) {
			t.Errorf("%q: found %v, want %q in the first three", e[1], ids[:min(4, len(ids))], want[e[1]])
		}
	}
}

// A hit can be called as it is: by its type and subtype. It has no id, its title where
// that says more than the name, and the parts of its score where that is asked.
func TestHitsNameTheirNode(t *testing.T) {
	pb := narrowing()
	pb.Catalog().Replace("server:chat", []*specs.Spec{
		{NodeType: "mcp", Subtype: "chat/post", Title: "Send a chat message", Description: "Posts"},
		{NodeType: "mcp", Subtype: "chat/list_channels", Title: "List Channels", Description: "Lists"},
	})
	_, r := found(t, pb, discover.SearchInput{Query: "send a chat message", Explain: true})
	text, err := json.Marshal(r.Results[0])
	if err != nil {
		t.Fatal(err)
	}
	if first := r.Results[0]; first.Name() != "mcp:chat/post" || strings.Contains(string(text), `"id"`) || first.Title != "Send a chat message" ||
		!strings.Contains(string(text), `"score_parts":{"words":`) || !strings.Contains(first.Explanation(), "exact name") {
		t.Errorf("%s; %s", text, first.Explanation())
	}
	_, r = found(t, pb, discover.SearchInput{Query: "list channels"})
	if first := r.Results[0]; first.Name() != "mcp:chat/list_channels" || first.Title != "" || first.Explanation() != "" {
		t.Errorf("%+v", first)
	}
	for _, in := range []execution.RunNodeInput{{NodeType: "mcp", Subtype: "chat/post"}, {ID: "chat/post"}, {Subtype: "chat/post"}} {
		if list := pb.Completion.Arguments(t.Context(), &in); list == nil {
			if _, fault := pb.RunNode(t.Context(), in); fault != nil && fault.Code == "unknown-node" {
				t.Errorf("%+v: %v", in, fault)
			}
		}
	}
}

// The right tool is in the first reply for nine of ten short queries, among 300 tools,
// the nodes of graphs and idioms; and a reply stays below 900 tokens.
func TestShortQueriesFindTheirTools(t *testing.T) {
	tokens, pb := counter(t), withShelf(t)
	shown, first, hits, spent := 0, 0, 0, 0
	lines := searchdata.Lines(t, "../../testdata/search/short.txt")
	for _, line := range lines {
		text, want, _ := strings.Cut(line, " => ")
		ids, r := found(t, pb, discover.SearchInput{Query: text})
		n := tokens(r.Results)
		if n > 900 {
			t.Errorf("%q: the results have %d tokens, want at most 900", text, n)
		}
		hits, spent = hits+len(ids), spent+n
		switch place := slices.IndexFunc(ids, func(id string) bool { return slices.Contains(strings.Split(want, ", "), id) }); {
		case place < 0:
			t.Logf("%q: not found; %v", text, ids[:min(3, len(ids))])
		case place == 0:
			first++
			shown++
		default:
			shown++
		}
	}
	t.Logf("the right tool is shown for %d of %d queries, and is first for %d; %.1f tokens a hit", shown, len(lines), first, float64(spent)/float64(hits))
	if 10*shown < 9*len(lines) {
		t.Errorf("the right tool is in the first reply for %d of %d queries, want 90%%", shown, len(lines))
	}
	if spent > 90*hits {
		t.Errorf("%d hits have %d tokens, want at most 90 each", hits, spent)
	}
}
