package search

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/packs"
	"github.com/patchbay-mcp/patchbay/specs"
)

// fixture is the tools of testdata/search/servers.txt, by server.
func fixture(t testing.TB) map[string][]*specs.Spec {
	t.Helper()
	all := map[string][]*specs.Spec{}
	var server string
	var words map[string]specs.Parameter
	eachTextLine(t, "../testdata/search/servers.txt", func(line string) {
		switch key, rest, _ := strings.Cut(line, " "); {
		case key == "server":
			server, words = rest, map[string]specs.Parameter{}
		case strings.HasPrefix(line, "  "):
			f := strings.SplitN(strings.TrimSpace(line), " ", 3)
			words[f[0]] = specs.Parameter{Name: f[0], Type: f[1], Description: f[2]}
		case key == "tool":
			name, rest, _ := strings.Cut(rest, "(")
			params, description, ok := strings.Cut(rest, ") ")
			if !ok {
				t.Fatalf("servers.txt: %s", line)
			}
			s := &specs.Spec{NodeType: "mcp", Subtype: server + "/" + name, Description: description, Source: "server:" + server}
			for p := range strings.SplitSeq(params, ", ") {
				if p == "" {
					continue
				}
				bare := strings.TrimSuffix(p, "*")
				w, ok := words[bare]
				if !ok {
					w = specs.Parameter{Name: bare, Type: "string"}
				}
				w.Required = bare != p
				s.Parameters = append(s.Parameters, w)
			}
			s.OutputSchema = json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}}}`)
			all[server] = append(all[server], s)
		}
	})
	return all
}

func eachTextLine(t testing.TB, path string, use func(line string)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		if line := sc.Text(); line != "" && line[0] != '#' {
			use(line)
		}
	}
	if sc.Err() != nil {
		t.Fatal(sc.Err())
	}
}

type phrase struct {
	text string
	want []string
}

func phrases(t testing.TB, path string) []phrase {
	t.Helper()
	var list []phrase
	eachTextLine(t, path, func(line string) {
		text, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("%s: %s", path, line)
		}
		list = append(list, phrase{text, strings.Split(want, ", ")})
	})
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
