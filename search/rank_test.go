package search

import (
	"math"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

// TestScoreIsBM25F works the score of a node out by hand: fields weigh what
// docs/measured/search.md says, each is normalised by its own length, and idf counts
// nodes.
func TestScoreIsBM25F(t *testing.T) {
	x := New()
	x.Replace("server:s", []*specs.Spec{
		{NodeType: "mcp", Subtype: "s/paint", Description: "paint walls blue", Parameters: []specs.Parameter{{Name: "colour", Description: "blue paint"}}},
		{NodeType: "mcp", Subtype: "s/sand", Description: "sand floors smooth"},
		{NodeType: "mcp", Subtype: "s/glue", Description: "glue walls"},
	})
	got := map[string]float64{}
	_, r := resultIDs(t, x.Snapshot(), Query{Text: "paint walls"})
	for _, h := range r.Hits {
		got[h.Spec.Tool()] = h.Parts.Words
	}
	const k1, b = 1.2, .75
	idf := func(df float64) float64 { return math.Log(1 + (3-df+.5)/(df+.5)) }
	norm := func(weight, length, mean float64) float64 { return weight / (1 - b + b*length/mean) }
	part := func(tf float64) float64 { return tf * (k1 + 1) / (k1 + tf) }
	// The descriptions' terms: "paint walls blue", "sand floors smooth", "glue walls".
	const description = (3 + 3 + 2) / 3.
	paint := part(norm(2, 1, 1) + norm(1, 3, description) + norm(.5, 2, 2))
	want := map[string]float64{
		"paint": idf(1)*paint + idf(2)*part(norm(1, 3, description)),
		"glue":  idf(2) * part(norm(1, 2, description)),
	}
	for tool, score := range want {
		if math.Abs(got[tool]-score) > 1e-9 {
			t.Errorf("%s scores %.6f, want %.6f", tool, got[tool], score)
		}
	}
	if len(got) != 2 {
		t.Errorf("found %v", got)
	}
}

// A change of one origin leaves the tables of the others as they are.
func TestOneOriginIsIndexedAgain(t *testing.T) {
	x := loaded(synthetic(500))
	before := x.Snapshot().segments
	x.Replace("server:new", []*specs.Spec{mcp("new", "tool", "Something new")})
	x.Replace("server:new", []*specs.Spec{mcp("new", "tool", "Something newer")})
	after := x.Snapshot().segments
	kept := 0
	for _, sl := range after {
		for _, old := range before {
			if sl == old {
				kept++
			}
		}
	}
	if kept != len(before) || len(after) != len(before)+1 {
		t.Errorf("%d of %d slices are the same after another has changed", kept, len(before))
	}
}
