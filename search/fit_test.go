package search

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

// TestScoreIsOfTheWholeQuery works out by hand how well hits fit, and how sure the reply is.
func TestScoreIsOfTheWholeQuery(t *testing.T) {
	x := New()
	x.Replace("server:s", []*specs.Spec{
		mcp("s", "sand", "Sands walls"),
		mcp("s", "paint_walls", "Makes every wall blue"),
		mcp("s", "glue", "Glues paper"),
	})
	_, r := resultIDs(t, x.Snapshot(), Query{Text: "paint walls green"})
	idf := func(df float64) float64 { return math.Log(1 + (3-df+.5)/(df+.5)) }
	mass := idf(1) + idf(2) + idf(0) // "paint", "walls" and, in no node, "green"
	fits := map[string]float64{"paint_walls": (idf(1) + idf(2)) / mass, "sand": idf(2) / mass / 2}
	lacks := map[string][]string{"paint_walls": {"green"}} // sand lacks most
	for _, h := range r.Hits {
		tool := h.Spec.Tool()
		if math.Abs(h.Score-fits[tool]) > 1e-9 || !slices.Equal(h.Unmatched, lacks[tool]) {
			t.Errorf("%s fits %.4f and lacks %q, want %.4f and %q", tool, h.Score, h.Unmatched, fits[tool], lacks[tool])
		}
	}
	if len(r.Hits) != len(fits) || r.Hits[0].Spec.Tool() != "paint_walls" {
		t.Fatalf("%d hits, want paint_walls and sand", len(r.Hits))
	}
	sure := func(s *specs.Spec, text string) float64 {
		t.Helper()
		_, r := resultIDs(t, x.Snapshot(), Query{Text: text})
		if len(r.Hits) == 0 || r.Hits[0].Spec.Tool() != s.Tool() {
			t.Fatalf("%q does not find %s first", text, s.Tool())
		}
		return r.Confidence
	}
	sand, paint := mcp("s", "sand", ""), mcp("s", "paint_walls", "")
	most, some, least := sure(paint, "paint walls"), sure(paint, "paint walls green"), sure(sand, "sand bridges green somewhere")
	if most <= some || some <= least || most >= 1 || least <= 0 {
		t.Errorf("confidence is %.3f with all words, %.3f without one, %.3f with one of four", most, some, least)
	}
	for i := range 200 {
		x.Publish(fmt.Sprintf("server:%d", i), []*specs.Spec{mcp("other", "other", "Something else")})
	}
	long := "paint walls blue yellow orange purple violet indigo scarlet"
	if _, r := resultIDs(t, x.Snapshot(), Query{Text: long}); len(r.Hits) == 0 || len(r.Hits[0].Unmatched) != maxUnmatched {
		t.Errorf("%q: %+v", long, r.Hits)
	}
}

// TestExactNameIsFirstInAnyCatalog: a thousand tools have its words more often.
func TestExactNameIsFirstInAnyCatalog(t *testing.T) {
	x := New()
	var list []*specs.Spec
	for i := range 3 * pool {
		list = append(list, mcp("s", fmt.Sprintf("message_post_%d", i), "Post message, message post, post message"))
	}
	wanted := mcp("t", "post_message_to", "Explains at some length, over many words about other matters of the house, how letters are written, sealed, stamped, weighed, carried and, in the end, read")
	wanted.Title = "Post message"
	x.Replace("server:s", list)
	x.Replace("server:t", []*specs.Spec{wanted, mcp("t", "other", "Does something else")})
	for _, q := range []Query{{Text: "post message"}, {Text: "Post-Message!"}, {Text: "post_message", Near: list[:3]}} {
		got, r := resultIDs(t, x.Snapshot(), q)
		if len(got) == 0 || got[0] != wanted.ID() || r.Hits[0].Score != 1 {
			t.Errorf("%q: got %v with %v, want %s with 1", q.Text, got[0], r.Hits[0].Score, wanted.ID())
		}
	}
	if got, _ := resultIDs(t, x.Snapshot(), Query{Text: "post message", Server: "s"}); slices.Contains(got, wanted.ID()) {
		t.Error("the node is found on another server")
	}
}

// TestWhatRunsIsFirstAtEqualFit: of nodes with the same text the one that can run is first.
func TestWhatRunsIsFirstAtEqualFit(t *testing.T) {
	node := func(nodeType, subtype string) *specs.Spec {
		return &specs.Spec{NodeType: nodeType, Subtype: subtype, Description: "Sends a letter"}
	}
	knowledge, runs := node("a", "x/send_letter"), node("mcp", "x/send_letter")
	knowledge.NotRunnable = true
	waits, saved := node("graph", "letter_a"), node("graph", "letter_b")
	waits.NotApproved = "not approved yet"
	for _, pair := range [][2]*specs.Spec{{knowledge, runs}, {waits, saved}} {
		x := New()
		x.Replace("built-in", pair[:])
		for _, text := range []string{"send letter", "letter"} {
			if got, _ := resultIDs(t, x.Snapshot(), Query{Text: text}); !slices.Equal(got, []string{pair[1].ID(), pair[0].ID()}) {
				t.Errorf("%q: got %v, want %s first", text, got, pair[1].ID())
			}
		}
	}
}
