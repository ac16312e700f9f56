package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/tests/searchdata"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// npmServers are the npm servers of testdata/npm, none where they are not installed.
func npmServers(t testing.TB) (servers []downstream.Server) {
	t.Helper()
	modules, err := filepath.Abs("../../testdata/npm/node_modules/@modelcontextprotocol")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		return nil
	}
	if _, err := os.Stat(modules); err != nil {
		return nil
	}
	dir := t.TempDir()
	for name, args := range map[string][]string{"filesystem": {dir}, "everything": nil, "memory": nil} {
		servers = append(servers, downstream.Server{
			Name: name, Command: "node", Args: append([]string{filepath.Join(modules, "server-"+name, "dist", "index.js")}, args...),
			Env: map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.jsonl")},
		})
	}
	return servers
}

// withTyped is a Patchbay over the servers of typed.txt and others.
func withTyped(t testing.TB, others ...downstream.Server) *app.App {
	t.Helper()
	offered := map[string][]mcp.Tool{}
	for _, tool := range searchdata.TypedTools(t, "../../testdata/search/typed.txt") {
		offered[tool.Server] = append(offered[tool.Server], mcp.Tool{Name: tool.Name, Description: tool.Description, InputSchema: tool.Input, OutputSchema: tool.Output})
	}
	pb := overWith(t, app.Options{}, offered, others...)
	if err := pb.AwaitServers(t.Context(), func(downstream.Status) time.Duration { return testenv.Limit(time.Minute) }); err != nil {
		t.Fatal(err)
	}
	return pb
}

// foundPairs counts pairs that are found.
type foundPairs struct{ nodes, nodesOf, chains, chainsOf, text int }

func (c foundPairs) String() string {
	return fmt.Sprintf("node in the first three %d of %d, chain %d of %d; the node by words %d", c.nodes, c.nodesOf, c.chains, c.chainsOf, c.text)
}

// TestSearchByTypeFindsPairs asks for the pairs of pairs.txt. The thresholds are for the
// half that was not used to choose anything.
func TestSearchByTypeFindsPairs(t *testing.T) {
	npm := npmServers(t)
	pb := withTyped(t, npm...)
	var halves [2]foundPairs
	for i, p := range searchdata.Pairs(t, "../../testdata/search/pairs.txt") {
		if len(npm) == 0 && slices.ContainsFunc(p.Nodes, func(id string) bool {
			return strings.HasPrefix(id, "mcp:memory/") || strings.HasPrefix(id, "mcp:everything/")
		}) {
			continue
		}
		r, fault := pb.Search(t.Context(), discover.SearchInput{Has: p.Has, Wants: p.Wants})
		if fault != nil {
			t.Fatal(fault)
		}
		if text, _ := json.Marshal(r); len(text) > 1500 {
			t.Errorf("%s: the reply has %d bytes, want at most 1500:\n%s", p.Text, len(text), text)
		}
		for _, c := range r.Chains {
			checkChain(t, pb, p.Text, c)
		}
		half := &halves[i%2]
		found := false
		if p.Chain {
			half.chainsOf++
			if found = slices.ContainsFunc(r.Chains, func(c discover.SearchChain) bool { return slices.Equal(c.Nodes, p.Nodes) }); found {
				half.chains++
			}
		} else {
			half.nodesOf++
			is := func(h discover.SearchHit) bool { return slices.Contains(p.Nodes, h.Name()) }
			if found = slices.ContainsFunc(r.Results[:min(3, len(r.Results))], is); found {
				half.nodes++
			}
			words, fault := pb.Search(t.Context(), discover.SearchInput{Query: p.Text[:strings.LastIndex(p.Text, " => ")], TypeFilter: "mcp"})
			if fault != nil {
				t.Fatal(fault)
			}
			if slices.ContainsFunc(words.Results[:min(3, len(words.Results))], is) {
				half.text++
			}
		}
		if !found {
			t.Logf("not found: %s", p.Text)
		}
	}
	t.Logf("half for choosing: %v", halves[0])
	t.Logf("other half: %v", halves[1])
	if h := halves[1]; h.nodes*100 < 80*h.nodesOf || h.chains*100 < 60*h.chainsOf {
		t.Errorf("found too little: %v", h)
	}
}

// checkChain checks that a draft is valid and that its holes are those that are named.
func checkChain(t *testing.T, pb *app.App, text string, c discover.SearchChain) {
	t.Helper()
	r, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.GraphInput{Graph: graph.Encode(c.Draft)}})
	if fault != nil {
		t.Fatal(fault)
	}
	open := 0
	for _, w := range r.Warnings {
		if w.Code == "placeholder" {
			open++
		}
	}
	for _, hole := range c.Holes {
		if !strings.HasPrefix(hole, "wants.") {
			open--
		}
	}
	if !r.Valid || open != 0 {
		t.Errorf("%s: the draft of %v with the holes %v is not valid, or has other holes: %s%s", text, c.Nodes, c.Holes, r.Rendered, r.Source)
	}
}

// TestSearchByTypeTakesWordsAndFilters has words decide between nodes that connect, filters
// that leave nodes out, and arguments that are wrong.
func TestSearchByTypeTakesWordsAndFilters(t *testing.T) {
	pb := withTyped(t)
	has, wants := json.RawMessage(`{"text": "hello"}`), json.RawMessage(`{"type": "object"}`)
	first := func(in discover.SearchInput) string {
		t.Helper()
		r, fault := pb.Search(t.Context(), in)
		if fault != nil {
			t.Fatal(fault)
		}
		if len(r.Results) == 0 {
			return r.Hint
		}
		return r.Results[0].Name()
	}
	for words, want := range map[string]string{"shorten": "mcp:media/summarize", "positive or negative": "mcp:media/sentiment", "read aloud": "mcp:media/synthesize_speech"} {
		if got := first(discover.SearchInput{Query: words, Has: has}); got != want {
			t.Errorf("%s: %s, want %s", words, got, want)
		}
	}
	if got := first(discover.SearchInput{Has: has, Wants: wants, Server: "slack"}); strings.Contains(got, "media/") {
		t.Errorf("of slack: %s", got)
	}
	if got := first(discover.SearchInput{Has: json.RawMessage(`{"zzz": 1}`)}); !strings.Contains(got, "connect") {
		t.Errorf("nothing connects: %s", got)
	}
	r, fault := pb.Search(t.Context(), discover.SearchInput{Has: json.RawMessage(`{"email": "a@b.example"}`), Wants: json.RawMessage(`{"plan": "", "colour": ""}`)})
	if fault != nil || len(r.Chains) == 0 || !slices.Equal(r.Chains[0].Holes, []string{"wants.colour"}) {
		t.Errorf("a field that nothing gives is not named: %+v, %v", r, fault)
	}
	for _, in := range []discover.SearchInput{{Has: json.RawMessage(`{a`)}, {Wants: json.RawMessage(`nope`)}} {
		if _, fault := pb.Search(t.Context(), in); fault == nil || !strings.HasPrefix(fault.Path, "/") {
			t.Errorf("%+v: %v", in, fault)
		}
	}
}
