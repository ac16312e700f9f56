package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

func kinds(names ...string) []*specs.Spec {
	var list []*specs.Spec
	for _, name := range names {
		list = append(list, &specs.Spec{NodeType: name, Description: "The " + name + " node", Category: "built-in"})
	}
	return list
}

func tools(server string, names ...string) []*specs.Spec {
	var list []*specs.Spec
	for _, name := range names {
		list = append(list, &specs.Spec{NodeType: "mcp", Subtype: server + "/" + name, Description: strings.ReplaceAll(name, "_", " "), Source: "server:" + server})
	}
	return list
}

func graphs(names ...string) []*specs.Spec {
	var list []*specs.Spec
	for _, name := range names {
		list = append(list, &specs.Spec{NodeType: "graph", Subtype: name, Description: strings.ReplaceAll(name, "_", " "), Source: "graphs"})
	}
	return list
}

// sample is a catalog with kinds, two servers whose names overlap, and graphs.
func sample() *catalog.Catalog {
	c := catalog.New()
	c.Replace("built-in", kinds("entry", "mcp", "transform", "switch", "exit", "graph"))
	c.Replace("server:filesystem", tools("filesystem", "list_directory", "list_directory_with_sizes", "read_text_file", "search"))
	c.Replace("server:git", tools("git", "hub-search", "log"))
	c.Replace("server:git-hub", tools("git-hub", "search", "list_issues"))
	c.Replace("graphs", graphs("count_files", "log"))
	c.Replace("pack:x", []*specs.Spec{{NodeType: "ACTION_NODE", Subtype: "HTTP_REQUEST", NotRunnable: true}})
	return c
}

func idsOf(list []*specs.Spec) []string {
	var out []string
	for _, sp := range list {
		out = append(out, sp.ID())
	}
	return out
}

func TestResolve(t *testing.T) {
	s := sample().Snapshot()
	for _, tt := range []struct {
		ref  catalog.Ref
		want string
	}{
		{catalog.Ref{ID: "transform"}, "transform"},
		{catalog.Ref{ID: "transform:transform"}, "transform"},
		{catalog.Ref{NodeType: "transform"}, "transform"},
		{catalog.Ref{NodeType: "transform", Subtype: "transform"}, "transform"},
		{catalog.Ref{NodeType: "mcp"}, "mcp"},
		{catalog.Ref{ID: "mcp:filesystem/list_directory"}, "mcp:filesystem/list_directory"},
		{catalog.Ref{NodeType: "mcp", Subtype: "filesystem/list_directory"}, "mcp:filesystem/list_directory"},
		{catalog.Ref{NodeType: "mcp:filesystem/list_directory"}, "mcp:filesystem/list_directory"},
		{catalog.Ref{NodeType: "mcp", Subtype: "mcp:filesystem/list_directory"}, "mcp:filesystem/list_directory"},
		{catalog.Ref{NodeType: "mcp", Subtype: "list_directory"}, "mcp:filesystem/list_directory"},
		{catalog.Ref{ID: " filesystem/list_directory "}, "mcp:filesystem/list_directory"},
		{catalog.Ref{ID: "list_directory"}, "mcp:filesystem/list_directory"},
		{catalog.Ref{ID: "mcp-filesystem-list_directory"}, "mcp:filesystem/list_directory"},
		{catalog.Ref{NodeType: "mcp-filesystem-list_directory", Subtype: "mcp-filesystem-list_directory"}, "mcp:filesystem/list_directory"},
		{catalog.Ref{ID: "mcp-git-hub-search"}, "mcp:git-hub/search"}, // not git's hub-search
		{catalog.Ref{ID: "mcp-git-log"}, "mcp:git/log"},
		{catalog.Ref{ID: "graph:count_files"}, "graph:count_files"},
		{catalog.Ref{ID: "count_files"}, "graph:count_files"},
		{catalog.Ref{NodeType: "graph", Subtype: "log"}, "graph:log"},
		{catalog.Ref{ID: "graph:log"}, "graph:log"},
		{catalog.Ref{ID: "mcp:log"}, "mcp:git/log"},
		{catalog.Ref{ID: "ACTION_NODE:HTTP_REQUEST"}, "ACTION_NODE:HTTP_REQUEST"},
		{catalog.Ref{ID: "exit", NodeType: "mcp", Subtype: "nonsense"}, "exit"}, // the id goes first
	} {
		sp, miss := s.Resolve(tt.ref)
		if sp == nil {
			t.Errorf("%+v: %+v", tt.ref, miss)
		} else if sp.ID() != tt.want {
			t.Errorf("%+v is %s, want %s", tt.ref, sp.ID(), tt.want)
		}
	}
}

func TestAmbiguousNamesListTheCandidates(t *testing.T) {
	s := sample().Snapshot()
	for ref, want := range map[catalog.Ref][]string{
		{ID: "search"}:                       {"mcp:filesystem/search", "mcp:git-hub/search"},
		{NodeType: "mcp", Subtype: "search"}: {"mcp:filesystem/search", "mcp:git-hub/search"},
		{ID: "log"}:                          {"graph:log", "mcp:git/log"},
	} {
		sp, miss := s.Resolve(ref)
		if sp != nil || miss == nil {
			t.Errorf("%+v resolves to %v", ref, sp)
			continue
		}
		if diff := cmp.Diff(want, miss.Ambiguous); diff != "" {
			t.Errorf("%+v: %s", ref, diff)
		}
		if sp, ok := s.Nearest(ref); ok {
			t.Errorf("%+v is taken for %s", ref, sp.ID())
		}
	}
}

func TestMissesSuggestAndAssumeOnlyWhatIsClear(t *testing.T) {
	c := sample()
	c.Replace("pack:y", []*specs.Spec{{NodeType: "FLOW_NODE", Subtype: "IF", NotRunnable: true}, {NodeType: "FLOW_NODE", Subtype: "LOOP", NotRunnable: true}})
	s := c.Snapshot()
	for _, tt := range []struct {
		ref     catalog.Ref
		nearest string
		suggest []string
	}{
		{catalog.Ref{ID: "trasnform"}, "transform", []string{"transform"}},
		{catalog.Ref{NodeType: "Transform"}, "transform", []string{"transform"}},
		{catalog.Ref{ID: "mcp:filesytem/list_directory"}, "mcp:filesystem/list_directory", []string{"mcp:filesystem/list_directory"}},
		{catalog.Ref{NodeType: "mcp", Subtype: "filesystem/list_dirctory"}, "mcp:filesystem/list_directory", []string{"mcp:filesystem/list_directory"}},
		{catalog.Ref{NodeType: "mcp", Subtype: "filesystem/read_text"}, "mcp:filesystem/read_text_file", []string{"mcp:filesystem/read_text_file"}},
		{catalog.Ref{ID: "filesystem/list_dir"}, "", []string{"mcp:filesystem/list_directory", "mcp:filesystem/list_directory_with_sizes"}},
		{catalog.Ref{ID: "mcp-filesystem-list_directry"}, "mcp:filesystem/list_directory", []string{"mcp:filesystem/list_directory"}},
		{catalog.Ref{NodeType: "mcp-tool", Subtype: "filesystem/list_directory"}, "mcp:filesystem/list_directory", []string{"mcp:filesystem/list_directory"}},
		{catalog.Ref{ID: "serch"}, "", []string{"mcp:filesystem/search", "mcp:git-hub/search"}},
		{catalog.Ref{ID: "quunt_filez"}, "graph:count_files", []string{"graph:count_files"}}, // three edits, five letters
		{catalog.Ref{ID: "count_file"}, "graph:count_files", []string{"graph:count_files"}},
		{catalog.Ref{NodeType: "graph", Subtype: "count_fils"}, "graph:count_files", []string{"graph:count_files"}},
		{catalog.Ref{ID: "issues list"}, "", []string{"mcp:git-hub/list_issues"}},      // by meaning
		{catalog.Ref{ID: "FLOW_NODE"}, "", []string{"FLOW_NODE:IF", "FLOW_NODE:LOOP"}}, // a type is not one of its nodes
		{catalog.Ref{NodeType: "flow_node"}, "", []string{"FLOW_NODE:IF", "FLOW_NODE:LOOP"}},
		{catalog.Ref{ID: "FLOW_NODE_IF"}, "FLOW_NODE:IF", []string{"FLOW_NODE:IF"}},
		{catalog.Ref{NodeType: "flow_node", Subtype: "if"}, "FLOW_NODE:IF", []string{"FLOW_NODE:IF"}},
		{catalog.Ref{ID: "zzzzzzzz"}, "", nil},
		{catalog.Ref{ID: "xy"}, "", nil},
		{catalog.Ref{}, "", nil},
		{catalog.Ref{ID: strings.Repeat("long", 100_000)}, "", nil},
		{catalog.Ref{ID: ":/-:\x00"}, "", nil},
	} {
		sp, miss := s.Resolve(tt.ref)
		if sp != nil {
			t.Errorf("%.60v resolves to %s", tt.ref, sp.ID())
			continue
		}
		if diff := cmp.Diff(tt.suggest, miss.Suggestions); diff != "" {
			t.Errorf("suggestions for %.60v: %s", tt.ref, diff)
		}
		got := ""
		if sp, ok := s.Nearest(tt.ref); ok {
			got = sp.ID()
		}
		if got != tt.nearest {
			t.Errorf("%.60v is taken for %q, want %q", tt.ref, got, tt.nearest)
		}
	}
}

func TestListings(t *testing.T) {
	s := sample().Snapshot()
	all := idsOf(s.All())
	if len(all) != 17 || all[0] != "ACTION_NODE:HTTP_REQUEST" || all[16] != "transform" {
		t.Errorf("%d: %v", len(all), all)
	}
	if diff := cmp.Diff([]string{"filesystem", "git", "git-hub"}, s.Servers()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"mcp:git/hub-search", "mcp:git/log"}, idsOf(s.Server("git"))); diff != "" {
		t.Error(diff)
	}
	if s.Tool("git", "log") == nil || s.Tool("git", "search") != nil || s.Server("none") != nil {
		t.Error("a tool is missing, or there is one that should not be")
	}
	var types []string
	for _, ty := range s.Types() {
		types = append(types, fmt.Sprint(ty.Name, " ", len(ty.Subtypes)))
		if ty.Name == "mcp" {
			if diff := cmp.Diff([]catalog.Count{{Server: "filesystem", Tools: 4}, {Server: "git", Tools: 2}, {Server: "git-hub", Tools: 2}}, ty.Servers); diff != "" {
				t.Error(diff)
			}
		}
	}
	if diff := cmp.Diff([]string{"ACTION_NODE 1", "entry 0", "exit 0", "graph 2", "mcp 8", "switch 0", "transform 0"}, types); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"git-hub/list_issues", "git-hub/search"}, s.Subtypes("mcp", "git-hub")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"count_files", "log"}, s.Subtypes("graph", "")); diff != "" {
		t.Error(diff)
	}
}

func TestPagesCoverAListOnce(t *testing.T) {
	list := []string{"a", "b", "c", "d", "e"}
	for limit := range 7 {
		var got []string
		after := ""
		for range 10 {
			page, next := catalog.Page(list, after, limit)
			got = append(got, page...)
			if after = next; next == "" {
				break
			}
		}
		if diff := cmp.Diff(list, got); diff != "" {
			t.Errorf("limit %d: %s", limit, diff)
		}
	}
	if page, next := catalog.Page(list, "bb", 2); !cmp.Equal(page, []string{"c", "d"}) || next != "d" {
		t.Errorf("after an item that is gone: %v, %q", page, next)
	}
	if page, next := catalog.Page(nil, "x", 2); len(page) > 0 || next != "" {
		t.Errorf("of nothing: %v, %q", page, next)
	}
}

func TestSnapshotsDoNotChange(t *testing.T) {
	c := sample()
	before := c.Snapshot()
	c.Replace("server:git", tools("git", "status"))
	c.Replace("graphs", nil)
	after := c.Snapshot()
	if before.Tool("git", "log") == nil || before.Tool("git", "status") != nil || before.Spec("graph:log") == nil {
		t.Error("a snapshot changed")
	}
	if after.Tool("git", "log") != nil || after.Tool("git", "status") == nil || after.Spec("graph:log") != nil {
		t.Error("the change is not in the new snapshot")
	}
	for s, want := range map[*catalog.Snapshot]int{before: 1, after: 0} {
		r, err := s.Search(t.Context(), search.Query{Text: "count files", TypeFilter: "graph"})
		if err != nil || r.Total < want || want == 0 && r.Total > 0 {
			t.Errorf("the search found %+v, %v, want %d", r, err, want)
		}
	}
}

// Every part of a spec counts when a list is compared with the one before.
func TestAnyChangeOfASpecIsPublished(t *testing.T) {
	for name, change := range map[string]func(*specs.Spec){
		"description": func(sp *specs.Spec) { sp.Description = "other" },
		"schema":      func(sp *specs.Spec) { sp.InputSchema = json.RawMessage(`{"type":"object"}`) },
		"bad schema":  func(sp *specs.Spec) { sp.OutputSchema = json.RawMessage(`{`) },
		"annotations": func(sp *specs.Spec) { sp.Annotations = &specs.Annotations{Trusted: true} },
		"port": func(sp *specs.Spec) {
			sp.OutputPorts = []specs.Port{{DataFormat: &specs.DataFormat{Schema: json.RawMessage(`[]`)}}}
		},
		"example": func(sp *specs.Spec) { sp.Examples = []specs.Example{{Result: json.RawMessage(`1`)}} },
		"default": func(sp *specs.Spec) { sp.Parameters = []specs.Parameter{{Name: "a", DefaultValue: 1}} },
	} {
		c := sample()
		calls := 0
		c.OnChange(func() { calls++ })
		list := tools("git", "hub-search", "log")
		c.Replace("server:git", list)
		was := calls
		c.Replace("server:git", tools("git", "hub-search", "log"))
		if calls != was {
			t.Errorf("%s: a list that says the same is published again", name)
		}
		list = tools("git", "hub-search", "log")
		change(list[1])
		c.Replace("server:git", list)
		if calls != was+1 || c.Snapshot().Spec(list[1].ID()) != list[1] {
			t.Errorf("a changed %s is not published", name)
		}
	}
}

func TestOnChange(t *testing.T) {
	c := sample()
	calls := 0
	stop := c.OnChange(func() {
		calls++
		if c.Snapshot().Spec("graph:new") == nil && calls == 1 {
			t.Error("the change is not yet to be seen")
		}
	})
	c.Replace("graphs", graphs("new"))
	c.Replace("graphs", graphs("new")) // says the same
	if calls != 1 {
		t.Errorf("%d calls for one change", calls)
	}
	c.Replace("graphs", nil)
	stop()
	c.Replace("graphs", graphs("other"))
	if calls != 2 {
		t.Errorf("%d calls, want 2", calls)
	}
}

func TestOddLists(t *testing.T) {
	c := catalog.New()
	if s := c.Snapshot(); len(s.All()) != 0 || len(s.Types()) != 0 || len(s.Servers()) != 0 {
		t.Error("an empty catalog has something")
	}
	if _, miss := c.Snapshot().Resolve(catalog.Ref{ID: "x"}); miss == nil {
		t.Error("an empty catalog resolves x")
	}
	first, again := &specs.Spec{NodeType: "a", Description: "first"}, &specs.Spec{NodeType: "a", Description: "again"}
	c.Replace("b", []*specs.Spec{first, nil, again, {}})
	c.Replace("c", []*specs.Spec{{NodeType: "a", Description: "of a later origin"}})
	c.Replace("d", nil)
	s := c.Snapshot()
	if got := s.Spec("a"); got != first || len(s.All()) != 2 {
		t.Errorf("a is %+v, of %d", got, len(s.All()))
	}
}

// Readers see one state from beginning to end, whatever writers do meanwhile.
func TestConcurrentReaders(t *testing.T) {
	c := catalog.New()
	state := func(n int) []*specs.Spec {
		return tools("s", fmt.Sprintf("weather_%d", n), fmt.Sprintf("forecast_%d", n))
	}
	c.Replace("server:s", state(0))
	var done atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !done.Load() {
				s := c.Snapshot()
				list := s.Server("s")
				if len(list) != 2 {
					t.Errorf("%d tools", len(list))
					return
				}
				n := strings.TrimPrefix(list[0].Tool(), "forecast_")
				if sp, _ := s.Resolve(catalog.Ref{ID: "weather_" + n}); sp == nil {
					t.Errorf("weather_%s does not go with forecast_%s", n, n)
				}
				r, err := s.Search(context.Background(), search.Query{Text: "forecast", Server: "s"})
				if err != nil || len(r.Hits) == 0 || r.Hits[0].Spec != list[0] {
					t.Errorf("the search does not go with the catalog: %+v, %v", r, err)
				}
				s.Types()
			}
		})
	}
	for w := range 2 {
		wg.Go(func() {
			for i := range 100 {
				c.Replace(fmt.Sprint("other ", w), tools(fmt.Sprint("o", w), fmt.Sprint("t", i)))
			}
		})
	}
	for i := range 200 {
		c.Replace("server:s", state(i))
	}
	done.Store(true)
	wg.Wait()
}

// many is a catalog of 100 servers with 100 tools each.
func many() *catalog.Catalog {
	c := catalog.New()
	c.Replace("built-in", kinds("entry", "mcp", "transform", "switch", "exit"))
	for i := range 100 {
		server := fmt.Sprintf("server%02d", i)
		var names []string
		for j := range 100 {
			names = append(names, fmt.Sprintf("do_%s_%d", []string{"list", "read", "write", "search", "count"}[j%5], j))
		}
		list := tools(server, names...)
		for _, sp := range list {
			sp.InputSchema = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"where to look"}},"required":["path"]}`)
		}
		c.Replace("server:"+server, list)
	}
	return c
}

func BenchmarkReplaceOneOfAHundred(b *testing.B) {
	c := many()
	n := 0
	for b.Loop() {
		n++
		c.Replace("server:server50", tools("server50", "one", fmt.Sprint("two", n)))
	}
}

// BenchmarkChangeIsSeen changes one server of a hundred, of 10,000 tools, until a
// search shows it, on the clock: the median and the slowest but one in a hundred.
func BenchmarkChangeIsSeen(b *testing.B) {
	c := many()
	for !c.Settled() {
		runtime.Gosched()
	}
	var took []time.Duration
	n := 0
	for b.Loop() {
		n++
		word := fmt.Sprintf("quokka%d", n)
		list := tools("server50", word)
		for j := range 99 {
			list = append(list, tools("server50", fmt.Sprintf("do_list_%d_%d", n, j))...)
		}
		began := time.Now()
		c.Replace("server:server50", list)
		r, err := c.Snapshot().Search(b.Context(), search.Query{Text: word})
		took = append(took, time.Since(began))
		if err != nil || len(r.Hits) == 0 || r.Hits[0].Spec.Tool() != word {
			b.Fatalf("%+v, %v", r, err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
}

func BenchmarkReplaceUnchanged(b *testing.B) {
	c := many()
	same := c.Snapshot().Server("server50")
	for b.Loop() {
		c.Replace("server:server50", same)
	}
}

func BenchmarkResolve(b *testing.B) {
	s := many().Snapshot()
	s.Servers()
	for name, ref := range map[string]catalog.Ref{
		"id":         {ID: "mcp:server77/do_list_5"},
		"hyphenated": {ID: "mcp-server77-do_list_5"},
		"miss":       {ID: "mcp:server77/do_lsit_5x"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Resolve(ref)
			}
		})
	}
}

func BenchmarkAll(b *testing.B) {
	c := many()
	n := 0
	for b.Loop() {
		n++
		c.Replace("server:server50", tools("server50", fmt.Sprint("two", n)))
		c.Snapshot().Types()
	}
}

// TestChangesOfALargeCatalogAreSeenAtOnce replaces slices one after the other in
// a catalog so large that its index is merged from time to time.
func TestChangesOfALargeCatalogAreSeenAtOnce(t *testing.T) {
	c := catalog.New()
	for i := range 25 {
		server := fmt.Sprintf("s%d", i)
		var names []string
		for j := range 200 {
			names = append(names, fmt.Sprintf("juggle_%d_of_%d", j, i))
		}
		c.Replace("server:"+server, tools(server, names...))
		snap := c.Snapshot()
		if n := len(snap.All()); n != 200*(i+1) {
			t.Fatalf("after server %d there are %d tools", i, n)
		}
		if r, err := snap.Search(t.Context(), search.Query{Text: "juggle", Server: server}); err != nil || r.Total != 200 {
			t.Errorf("server %d: %+v, %v", i, r.Total, err)
		}
	}
	for !c.Settled() {
		runtime.Gosched()
	}
	if r, err := c.Snapshot().Search(t.Context(), search.Query{Text: "juggle"}); err != nil || r.Total != 5000 {
		t.Errorf("after the merge: %+v, %v", r.Total, err)
	}
}

// TestShortSpellings names nodes of a pack as authors do, and types that need a
// subtype, which are never guessed.
func TestShortSpellings(t *testing.T) {
	c := catalog.New()
	foreign := func(nodeType string, subtypes ...string) (list []*specs.Spec) {
		for _, subtype := range subtypes {
			list = append(list, &specs.Spec{NodeType: nodeType, Subtype: subtype, NotRunnable: true})
		}
		return list
	}
	c.Replace("pack:x", slices.Concat(
		foreign("FLOW_NODE", "IF", "LOOP"), foreign("ACTION_NODE", "HTTP_REQUEST"), foreign("AI_AGENT_NODE", "OPENAI_NODE"),
		foreign("TRIGGER_NODE", "TRIGGER_CRON", "TRIGGER_EMAIL"), foreign("HUMAN_LOOP_NODE", "HUMAN_SLACK"), foreign("EXTERNAL_ACTION_NODE", "EXTERNAL_SLACK", "EXTERNAL_EMAIL")))
	s := c.Snapshot()
	for _, tc := range []struct {
		ref                     catalog.Ref
		want, needs, alternates string
	}{
		{catalog.Ref{NodeType: "FLOW", Subtype: "IF"}, "FLOW_NODE:IF", "", ""},
		{catalog.Ref{ID: "FLOW/IF"}, "FLOW_NODE:IF", "", ""},
		{catalog.Ref{ID: "flow if"}, "FLOW_NODE:IF", "", ""},
		{catalog.Ref{NodeType: "flow-node", Subtype: "if"}, "FLOW_NODE:IF", "", ""},
		{catalog.Ref{ID: "http_request"}, "ACTION_NODE:HTTP_REQUEST", "", ""},
		{catalog.Ref{ID: "HttpRequest"}, "ACTION_NODE:HTTP_REQUEST", "", ""},
		{catalog.Ref{ID: "ai agent openai"}, "AI_AGENT_NODE:OPENAI_NODE", "", ""},
		{catalog.Ref{NodeType: "TRIGGER_NODE", Subtype: "CRON"}, "TRIGGER_NODE:TRIGGER_CRON", "", ""},
		{catalog.Ref{ID: "cron"}, "TRIGGER_NODE:TRIGGER_CRON", "", ""},
		{catalog.Ref{ID: "slack"}, "", "", "EXTERNAL_ACTION_NODE:EXTERNAL_SLACK HUMAN_LOOP_NODE:HUMAN_SLACK"},
		{catalog.Ref{NodeType: "FLOW_NODE"}, "", "FLOW_NODE", "FLOW_NODE:IF FLOW_NODE:LOOP"},
		{catalog.Ref{ID: "flow"}, "", "FLOW_NODE", "FLOW_NODE:IF FLOW_NODE:LOOP"},
		{catalog.Ref{ID: "Human Loop"}, "", "HUMAN_LOOP_NODE", "HUMAN_LOOP_NODE:HUMAN_SLACK"},
		{catalog.Ref{ID: "action_node"}, "", "ACTION_NODE", "ACTION_NODE:HTTP_REQUEST"},
	} {
		got := ""
		if sp, ok := s.Nearest(tc.ref); ok {
			got = sp.ID()
		}
		if got != tc.want {
			t.Errorf("%+v: nearest is %q, want %q", tc.ref, got, tc.want)
		}
		_, miss := s.Resolve(tc.ref)
		if tc.want != "" {
			if miss == nil || !slices.Equal(miss.Suggestions, []string{tc.want}) {
				t.Errorf("%+v: resolving does not only suggest %s: %+v", tc.ref, tc.want, miss)
			}
			continue
		}
		if alternates := strings.Join(slices.Concat(miss.Suggestions, miss.Ambiguous), " "); miss.Type != tc.needs || alternates != tc.alternates {
			t.Errorf("%+v: needs %q, alternatives %q", tc.ref, miss.Type, alternates)
		}
	}
}
