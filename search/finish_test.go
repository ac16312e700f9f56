package search

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

// TestPartsOfAScore works each part out by hand.
func TestPartsOfAScore(t *testing.T) {
	x := New()
	x.Replace("server:s", []*specs.Spec{
		mcp("s", "paint_walls", "Makes every wall blue"),
		mcp("s", "sand", "Sands walls; paint is left alone"),
		mcp("s", "glue", "Glues paper"),
	})
	_, r := resultIDs(t, x.Snapshot(), Query{Text: "paint walls"})
	parts := map[string]Parts{}
	for _, h := range r.Hits {
		parts[h.Spec.Tool()] = h.Parts
	}
	idf := func(df float64) float64 { return math.Log(1 + (3-df+.5)/(df+.5)) }
	both := idf(2) // two nodes have "paint", two have "wall"
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %.6f, want %.6f", what, got, want)
		}
	}
	best := max(parts["paint_walls"].Words, parts["sand"].Words)
	near("name coverage of paint_walls", parts["paint_walls"].Name, .2*best)
	near("word order of paint_walls", parts["paint_walls"].Order, .2*both)
	near("word order of sand", parts["sand"].Order, 0)
	near("share of paint_walls", parts["paint_walls"].Share, 1)
	near("share of sand", parts["sand"].Share, 1)
	if _, ok := parts["glue"]; ok {
		t.Error("glue is found")
	}
	_, r = resultIDs(t, x.Snapshot(), Query{Text: "glue walls"})
	for _, h := range r.Hits {
		if h.Spec.Tool() == "glue" {
			near("share of glue", h.Parts.Share, math.Pow(idf(1)/(idf(1)+idf(2)), .25))
		}
	}
}

// TestClausesOfALongQuery prefers the node that one clause asks for to one that has
// words of all.
func TestClausesOfALongQuery(t *testing.T) {
	for text, want := range map[string]int{
		"list files, then send mail": 1,
		"first of all list the files of the folder, then send the mail to Bob.":  2,
		"please read v1.2 of node.js docs and tell me all that is new in it; ok": 3,
	} {
		if got := clauses(text); len(got) != want {
			t.Errorf("%q: %q, want %d clauses", text, got, want)
		}
	}
	x := New()
	x.Replace("server:s", []*specs.Spec{mcp("s", "send_mail", "Sends mail"), mcp("s", "list_files", "Lists files")})
	_, r := resultIDs(t, x.Snapshot(), Query{Text: "I would like to know the files of my folder, then send mail to my colleagues"})
	if len(r.Hits) == 0 || r.Hits[0].Spec.Tool() != "send_mail" || r.Hits[0].Parts.Clause == 0 {
		t.Errorf("got %+v", r.Hits)
	}
}

// TestNameTypedIsFirst: a query that is a name, title or id puts that node first, for
// every tool of the fixture.
func TestNameTypedIsFirst(t *testing.T) {
	all := fixture(t)
	snap := loaded(all).Snapshot()
	for server, tools := range all {
		for _, tool := range tools {
			for _, text := range []string{tool.Tool(), tool.Subtype, tool.ID(), strings.ReplaceAll(tool.Tool(), "_", " "), strings.ToUpper(tool.Tool())} {
				got, _ := resultIDs(t, snap, Query{Text: text, Max: 1})
				if len(got) == 0 || got[0] != tool.ID() && !strings.HasSuffix(got[0], "/"+tool.Tool()) {
					t.Errorf("%s: %q: got %v, want %s first", server, text, got, tool.ID())
				}
			}
		}
	}
}

func TestAppStandsBeforeItsTrigger(t *testing.T) {
	x := New()
	var list []*specs.Spec
	for i := range 5 {
		list = append(list, &specs.Spec{NodeType: "ACTION", Subtype: fmt.Sprintf("POST_%d", i), Title: "Post a message", Description: "Posts to Slack, the Slack way, in Slack", NotRunnable: true})
	}
	list = append(list,
		&specs.Spec{NodeType: "APP", Subtype: "N_SLACK", Title: "Slack", Description: "Consumes the API of a chat", NotRunnable: true},
		&specs.Spec{NodeType: "SLACK_TRIGGER", Subtype: "ON_SLACK", Title: "Slack", Description: "Slack: starts when Slack has news", NotRunnable: true})
	x.Replace("pack:p", list)
	got, _ := resultIDs(t, x.Snapshot(), Query{Text: "Slack", Max: 2})
	if len(got) != 2 || got[0] != "APP:N_SLACK" || got[1] != "SLACK_TRIGGER:ON_SLACK" {
		t.Errorf("got %v", got)
	}
}
