package search

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/packs"
	"github.com/patchbay-mcp/patchbay/internal/tests/searchdata"
	"github.com/patchbay-mcp/patchbay/specs"
)

// fixture is the tools of testdata/search/servers.txt, by server.
func fixture(t testing.TB) map[string][]*specs.Spec {
	t.Helper()
	all := map[string][]*specs.Spec{}
	for server, tools := range searchdata.Tools(t, "../testdata/search/servers.txt") {
		for _, tool := range tools {
			all[server] = append(all[server], &specs.Spec{
				NodeType: "mcp", Subtype: server + "/" + tool.Name, Description: tool.Description, Source: "server:" + server,
				Parameters: tool.Parameters, OutputSchema: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}}}`),
			})
		}
	}
	return all
}

type phrase struct {
	text string
	want []string
}

func phrases(t testing.TB, path string) []phrase {
	t.Helper()
	var list []phrase
	for _, line := range searchdata.Lines(t, path) {
		text, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("%s: %s", path, line)
		}
		list = append(list, phrase{text, strings.Split(want, ", ")})
	}
	return list
}

// TestEverydayPhrases asks for nodes as people do.
func TestEverydayPhrases(t *testing.T) {
	servers := loaded(fixture(t))
	if n := servers.Snapshot().Len(); n < 300 {
		t.Errorf("the fixture has %d tools, want 300", n)
	}
	pack, _, err := packs.LoadPack("../examples/packs/automation")
	if err != nil {
		t.Fatal(err)
	}
	packs := New()
	packs.Replace("pack:automation", pack.Specs)
	both := loaded(fixture(t))
	both.Replace("pack:automation", pack.Specs)

	for name, c := range map[string]struct {
		index   *Index
		phrases string
	}{
		"servers":              {servers, "phrases.txt"},
		"pack":                 {packs, "phrases-pack.txt"},
		"servers and the pack": {both, "phrases.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			list := phrases(t, "../testdata/search/"+c.phrases)
			first, five := 0, 0
			for _, p := range list {
				rank := rankOf(t.Context(), t, c.index, p)
				if rank == 0 {
					first++
				}
				if rank >= 0 && rank < 5 {
					five++
				}
				if rank != 0 {
					got, _ := resultIDs(t, c.index.Snapshot(), Query{Text: p.text, Max: 3})
					t.Logf("%-45q place %2d, before it %v", p.text, rank+1, got)
				}
			}
			t.Logf("first: %d of %d, in the first five: %d", first, len(list), five)
			if 100*first < 80*len(list) || 100*five < 95*len(list) {
				t.Errorf("right node first for %d of %d phrases and in the first five for %d, want 80%% and 95%%", first, len(list), five)
			}
		})
	}
}

// rankOf is the place of the first wanted id from 0, or -1.
func rankOf(ctx context.Context, t testing.TB, x *Index, p phrase) int {
	r, err := x.Search(ctx, Query{Text: p.text, Max: 20})
	if err != nil {
		t.Fatal(err)
	}
	return slices.IndexFunc(r.Hits, func(h Hit) bool { return slices.Contains(p.want, h.Spec.ID()) })
}
