package search

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/tests/tokens"
	"github.com/patchbay-mcp/patchbay/specs"
)

func mcp(server, tool, description string) *specs.Spec {
	return &specs.Spec{NodeType: "mcp", Subtype: server + "/" + tool, Description: description}
}

// pages walks a query to its end, size hits at a time.
func pages(t *testing.T, s *Snapshot, q Query) (list []Hit, total int) {
	t.Helper()
	for range 1000 {
		r, err := s.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		list, total = append(list, r.Hits...), r.Total
		if q.Cursor = r.NextCursor; q.Cursor == "" {
			return list, total
		}
	}
	t.Fatal("paging does not end")
	return nil, 0
}

// TestVariantsDoNotFillTheFirstPlaces has thirty variants of one verb that all
// fit better than the rest.
func TestVariantsDoNotFillTheFirstPlaces(t *testing.T) {
	x := New()
	var variants, others []*specs.Spec
	for i := range 30 {
		variants = append(variants, mcp("sky", fmt.Sprintf("get_weather_v%d", i), "Get the weather of a city, today or later"))
	}
	for i := range 12 {
		others = append(others, mcp("misc", strings.Repeat("z", i+2)+"_report", "A report that says something of the weather"))
	}
	x.Replace("server:sky", variants)
	x.Replace("server:misc", others)
	for i := range 15 { // and one tool on many servers
		x.Replace(fmt.Sprintf("server:s%d", i), []*specs.Spec{mcp(fmt.Sprintf("s%d", i), "storm_warning", "Warns of storms, with the weather behind them")})
	}
	got, r := resultIDs(t, x.Snapshot(), Query{Text: "get weather"})
	count := func(part string) (n int) {
		for _, id := range got {
			if strings.Contains(id, part) {
				n++
			}
		}
		return n
	}
	if len(got) != 10 || count("get_weather") != 3 || count("storm_warning") > 3 {
		t.Errorf("first ten: %v", got)
	}
	if r.Total != 57 {
		t.Errorf("total %d, want 57", r.Total)
	}
	if len(r.Hits[0].Also) == 0 || !strings.Contains(r.Hits[0].Also[0], "get_weather") {
		t.Errorf("the first hit names %v as near-duplicates", r.Hits[0].Also)
	}
	all, _ := pages(t, x.Snapshot(), Query{Text: "get weather", Max: 7})
	seen := map[string]bool{}
	for _, h := range all {
		if seen[h.Spec.ID()] {
			t.Errorf("%s comes twice", h.Spec.ID())
		}
		seen[h.Spec.ID()] = true
	}
	if len(seen) != 57 {
		t.Errorf("paging shows %d of 57", len(seen))
	}
}

func TestRunnableAndSavedGraphsComeFirst(t *testing.T) {
	x := New()
	const text = "Sends the weekly report to the team"
	x.Replace("pack:p", []*specs.Spec{{NodeType: "ACTION", Subtype: "send_weekly_report", Description: text, NotRunnable: true}})
	x.Replace("server:a", []*specs.Spec{mcp("a", "send_weekly_report", text)})
	x.Replace("graphs", []*specs.Spec{{NodeType: "graph", Subtype: "send_weekly_report", Description: text + " nicely"}})
	got, _ := resultIDs(t, x.Snapshot(), Query{Text: "send the weekly report"})
	want := []string{"graph:send_weekly_report", "mcp:a/send_weekly_report", "ACTION:send_weekly_report"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestNarrowing(t *testing.T) {
	x := small()
	x.Replace("pack:p", []*specs.Spec{{NodeType: "ACTION_NODE", Subtype: "SEND", Description: "Sends an issue by email", NotRunnable: true}})
	for _, tc := range []struct {
		name string
		q    Query
		want []string
	}{
		{"type", Query{Text: "send email", TypeFilter: "ACTION_NODE"}, []string{"ACTION_NODE:SEND"}},
		{"server", Query{Text: "issue message", Server: "github"}, []string{"mcp:github/create_issue", "mcp:github/list_issues"}},
		{"runnable", Query{Text: "sends email", RunnableOnly: true}, []string{"mcp:mail/send_email"}},
		{"all", Query{Text: "create issue", All: true}, []string{"mcp:github/create_issue"}},
		{"all, one word nowhere", Query{Text: "create issue qqqqqq", All: true}, nil},
		{"accept", Query{Text: "issue", Accept: func(s *specs.Spec) bool { return s.Tool() == "list_issues" }}, []string{"mcp:github/list_issues"}},
		{"nothing of the kind", Query{Text: "issue", TypeFilter: "nope"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, r := resultIDs(t, x.Snapshot(), tc.q)
			if tc.name == "server" {
				slices.Sort(got)
			}
			if tc.name == "runnable" {
				got = got[:1]
			} else if r.Total != len(tc.want) {
				t.Errorf("total %d, want %d", r.Total, len(tc.want))
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestPagesAgree holds pages of any size against each other, in a small catalog
// and in one that bleve searches.
func TestPagesAgree(t *testing.T) {
	asked := questions(5, 4)
	if testing.Short() {
		asked = asked[:len(asked)/4]
	}
	for _, n := range []int{300, 2200} {
		snap := loaded(synthetic(n)).Snapshot()
		for _, q := range asked {
			want, total := pages(t, snap, Query{Text: q, Max: 50})
			if len(want) != total {
				t.Errorf("%d tools, %q: pages hold %d of %d", n, q, len(want), total)
			}
			got, _ := pages(t, snap, Query{Text: q, Max: 13})
			for i := range min(len(want), len(got)) {
				if want[i].Spec != got[i].Spec {
					t.Errorf("%d tools, %q: place %d is %s in pages of 50 and %s in pages of 13", n, q, i, want[i].Spec.ID(), got[i].Spec.ID())
					break
				}
			}
		}
	}
}

func TestCursorOfAnotherCatalogIsRefused(t *testing.T) {
	x := small()
	_, r := resultIDs(t, x.Snapshot(), Query{Text: "issue message email", Max: 1})
	if r.NextCursor == "" {
		t.Fatal("one page")
	}
	for name, q := range map[string]Query{
		"another query": {Text: "issue", Max: 1, Cursor: r.NextCursor},
		"not a cursor":  {Text: "issue message email", Cursor: "zzz"},
		"bytes":         {Text: "issue message email", Cursor: "AAAAAAAAAAAAAAAAAAAAAAAA"},
	} {
		if _, err := x.Search(t.Context(), q); !errors.Is(err, ErrStaleCursor) {
			t.Errorf("%s: %v", name, err)
		}
	}
	x.Replace("server:new", []*specs.Spec{mcp("new", "x", "an issue")})
	if _, err := x.Search(t.Context(), Query{Text: "issue message email", Cursor: r.NextCursor}); !errors.Is(err, ErrStaleCursor) {
		t.Errorf("after a change: %v", err)
	}
	x.Replace("server:new", nil)
	if _, err := x.Search(t.Context(), Query{Text: "issue message email", Cursor: r.NextCursor}); err != nil {
		t.Errorf("after the change was undone: %v", err)
	}
}

func TestSignature(t *testing.T) {
	param := func(name, typ string, required bool) specs.Parameter {
		return specs.Parameter{Name: name, Type: typ, Required: required}
	}
	many := []specs.Parameter{param("o1", "string", false), param("r1", "string", true)}
	for i := 2; i < 12; i++ {
		many = append(many, param(fmt.Sprintf("o%d", i), "integer", false), param(fmt.Sprintf("r%d", i), "string", true))
	}
	for _, tc := range []struct {
		spec *specs.Spec
		want string
	}{
		{&specs.Spec{NodeType: "mcp", Subtype: "fs/list_directory", Parameters: []specs.Parameter{param("path", "string", true)}, OutputSchema: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}}}`)}, "list_directory(path*: string) -> {content: string}"},
		{&specs.Spec{NodeType: "mcp", Subtype: "a/b"}, "b()"},
		{&specs.Spec{NodeType: "transform", Parameters: []specs.Parameter{param("transform.expr", "jsonata", true)}}, "transform(transform.expr*: jsonata)"},
		{&specs.Spec{NodeType: "mcp", Subtype: "a/b", Parameters: many}, "b(r1*: string, r2*: string, r3*: string, r4*: string, r5*: string, r6*: string, r7*: string, r8*: string, r9*: string, r10*: string, r11*: string, o1: string, o2: integer, o3: integer, o4: integer, o5: integer, o6: integer, …)"},
		{&specs.Spec{NodeType: "mcp", Subtype: "a/b", Parameters: []specs.Parameter{{Name: "mode", Type: "string", EnumValues: []any{"any", "all"}}}, OutputSchema: json.RawMessage(`{"type":"array","items":{"type":"object"}}`)}, "b(mode: any|all) -> object[]"},
		{&specs.Spec{NodeType: "mcp", Subtype: "a/b", OutputSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":["string","null"]},"a":{"type":"array","items":{"type":["integer","string"]}},"m":{"anyOf":[{"type":"string"},{"type":"null"}]},"x":{}}}`)}, "b() -> {z: string, a: (integer|string)[], m: string, x}"},
		{&specs.Spec{NodeType: "mcp", Subtype: "a/b", OutputSchema: json.RawMessage(`true`)}, "b()"},
		{&specs.Spec{NodeType: "ACTION_NODE", Subtype: "SEND", Parameters: []specs.Parameter{param("to", "string", true)}, OutputPorts: []specs.Port{{Name: "main"}, {Name: "error"}}}, "SEND(to*: string) -> {main, error}"},
	} {
		if got := Signature(tc.spec); got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.spec.ID(), got, tc.want)
		}
	}
}

// TestHitsAreShort counts what a search costs an agent, in the tokens of a
// current model, in the form that search_nodes answers in.
func TestHitsAreShort(t *testing.T) {
	type result struct {
		NodeType    string   `json:"node_type"`
		Subtype     string   `json:"subtype"`
		Description string   `json:"description"`
		Signature   string   `json:"signature"`
		Score       float64  `json:"relevance_score"`
		Unmatched   []string `json:"unmatched,omitempty"`
		Also        []string `json:"also,omitempty"`
	}
	snap := loaded(fixture(t)).Snapshot()
	hits, sum, longest := 0, 0, 0
	for _, p := range phrases(t, "../testdata/search/phrases.txt") {
		_, r := resultIDs(t, snap, Query{Text: p.text})
		var list []result
		for _, h := range r.Hits {
			list = append(list, result{h.Spec.NodeType, h.Spec.Subtype, h.Spec.Description, Signature(h.Spec), float64(int(h.Score*100)) / 100, h.Unmatched, h.Also})
		}
		n, err := tokens.CountJSON(list)
		if err != nil {
			t.Fatal(err)
		}
		hits, sum, longest = hits+len(list), sum+n, max(longest, n)
	}
	t.Logf("%.1f tokens a hit, %d the longest page of ten", float64(sum)/float64(hits), longest)
	if sum > 90*hits || longest > 900 {
		t.Errorf("a hit costs %d tokens on average and a page of ten up to %d, want at most 90 and 900", sum/hits, longest)
	}
}
