package discover

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
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
func (disc *Discovery) similar(snap *catalog.Snapshot, q *search.Query, in SearchInput, r *SearchResult) *diag.Fault {
	like, fault := disc.near(snap, plans.NodeRef{ID: in.SimilarTo}, "/similar_to", r.Assumed)
	if fault != nil {
		return fault
	}
	q.Text = strings.TrimSpace(q.Text + " " + searchWords(like))
	also := q.Accept
	q.Accept = func(s *specs.Spec) bool {
		return s != like && s.ID() != like.ID() && (s.NodeType == specs.Idiom) == (like.NodeType == specs.Idiom) && (also == nil || also(s))
	}
	return nil
}

// searchWords is what a node says it does.
func searchWords(s *specs.Spec) string {
	words := []string{reply.SignatureName(s), s.Title, diag.Cut(reply.FirstLine(s.Description), maxSimilarText)}
	words = append(words, s.Tags...)
	for _, p := range s.Parameters[:min(maxSimilarParameters, len(s.Parameters))] {
		words = append(words, p.Name)
	}
	return strings.Join(words, " ")
}

// Bounds on what is shown of one node, whatever its server lists. Those of real
// servers have up to 3 kB.
const (
	maxNodeBytes = 32 << 10
	maxEnum      = 50
)

// boundings are how a node that is too large is made smaller: by its surplus of
// parameters, and then as a reply is that has too many tokens.
var boundings = append([]shortening{{fmt.Sprintf("parameters but the first %d", reply.MaxParameters), func(d *NodeDetails) {
	d.Parameters = append([]specs.Parameter(nil), d.Parameters[:min(reply.MaxParameters, len(d.Parameters))]...)
	for i := range d.Parameters {
		p := &d.Parameters[i]
		p.EnumValues = p.EnumValues[:min(maxEnum, len(p.EnumValues))]
	}
	d.InputPorts = d.InputPorts[:min(reply.MaxParameters, len(d.InputPorts))]
}}}, shortenings...)

// bound drops what is least needed of a node that is larger than a reply can show,
// and returns what it has dropped.
func (d *NodeDetails) bound() (leftOut []string) {
	for _, b := range boundings {
		before := d.weight()
		if before <= maxNodeBytes {
			return leftOut
		}
		if b.cut(d); d.weight() < before {
			leftOut = append(leftOut, b.what+" of "+d.ID)
		}
	}
	return leftOut
}

// weight is about how many bytes a node's knowledge has.
func (d *NodeDetails) weight() int {
	n := len(d.Title) + len(d.Signature) + len(d.Description) + len(d.Skeleton) + len(d.Graph)
	for _, p := range d.Parameters {
		n += 60 + len(p.Name) + len(p.Description) + len(p.ValidationPattern) + valueWeight(p.EnumValues) + valueWeight(p.DefaultValue)
	}
	for _, ports := range [][]specs.Port{d.InputPorts, d.OutputPorts} {
		for _, p := range ports {
			n += 60 + len(p.Name) + len(p.Description) + len(p.ValidationSchema)
			if p.DataFormat != nil {
				n += len(p.DataFormat.Schema)
			}
		}
	}
	for _, e := range d.Examples {
		n += len(e.Title) + len(e.Graph) + len(e.Arguments)
	}
	for _, s := range d.Suggestions {
		n += len(s)
	}
	return n
}

// valueWeight is about how many bytes a value of a parameter has as JSON.
func valueWeight(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case json.RawMessage:
		return len(v)
	case []any:
		n := 0
		for _, item := range v {
			n += 1 + valueWeight(item)
		}
		return n
	case map[string]any:
		n := 0
		for key, item := range v {
			n += len(key) + valueWeight(item)
		}
		return n
	}
	return 8
}
