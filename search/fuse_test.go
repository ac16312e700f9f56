package search

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

// TestCandidatesByMeaning: a node that shares no word with the query is found, one that
// both lists have comes first, and filters hold.
func TestCandidatesByMeaning(t *testing.T) {
	x := New()
	post, mail, other := mcp("a", "post", "Sends letters"), mcp("a", "mail", "Sends mail"), mcp("b", "other", "Sends mail somewhere")
	x.Replace("server:a", []*specs.Spec{post, mail})
	x.Replace("server:b", []*specs.Spec{other})
	got, r := resultIDs(t, x.Snapshot(), Query{Text: "mail", Near: []*specs.Spec{mail, post, mcp("gone", "x", "Is no longer there")}})
	if len(got) != 3 || got[0] != "mcp:a/mail" || r.Total != 3 || r.Hits[0].Score != 1 || r.Hits[2].Score > r.Hits[1].Score {
		t.Errorf("%v of %d: %+v", got, r.Total, r.Hits)
	}
	if got, _ := resultIDs(t, x.Snapshot(), Query{Text: "mail", Server: "b", Near: []*specs.Spec{post}}); len(got) != 1 || got[0] != "mcp:b/other" {
		t.Errorf("on one server: %v", got)
	}
	if got, _ := resultIDs(t, x.Snapshot(), Query{Text: "correspondence", Near: []*specs.Spec{post}}); len(got) != 1 || got[0] != "mcp:a/post" {
		t.Errorf("without a word in common: %v", got)
	}
}
