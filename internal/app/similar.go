package app

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Bounds on what a node says of itself in a search for nodes like it, in characters and
// parameters: what comes first tells most.
const (
	maxSimilarText       = 300
	maxSimilarParameters = 8
)

// similar makes a search one for nodes like a given one: nodes whose texts have the same
// words, the rare ones above all. Idioms are not nodes, so each finds only its own kind.
func (pb *App) similar(snap *catalog.Snapshot, q *search.Query, in SearchInput, r *SearchResult) *diag.Fault {
	like, fault := pb.near(snap, NodeRef{ID: in.SimilarTo}, "/similar_to", r.Assumed)
	if fault != nil {
		return fault
	}
	q.Text = strings.TrimSpace(q.Text + " " + wordsOf(like))
	also := q.Accept
	q.Accept = func(s *specs.Spec) bool {
		return s != like && s.ID() != like.ID() && (s.NodeType == specs.Idiom) == (like.NodeType == specs.Idiom) && (also == nil || also(s))
	}
	return nil
}

// wordsOf is what a node says it does.
func wordsOf(s *specs.Spec) string {
	words := []string{nameOf(s), s.Title, diag.Cut(firstLine(s.Description), maxSimilarText)}
	words = append(words, s.Tags...)
	for _, p := range s.Parameters[:min(maxSimilarParameters, len(s.Parameters))] {
		words = append(words, p.Name)
	}
	return strings.Join(words, " ")
}
