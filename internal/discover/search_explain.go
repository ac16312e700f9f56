package discover

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Explanation says what each part of the score gave, in the units of the ranking. It is
// "" unless the search was asked to explain.
func (h *SearchHit) Explanation() string {
	p := h.Parts
	if p == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "words %.2f", p.Words)
	for _, part := range []struct {
		name string
		gave float64
	}{{"name", p.Name}, {"word order", p.Order}, {"best clause", p.Clause}} {
		if part.gave > 0 {
			fmt.Fprintf(&b, " + %s %.2f", part.name, part.gave)
		}
	}
	fmt.Fprintf(&b, ", × %.2f for the share that matches", p.Share)
	if p.Exact > 0 {
		fmt.Fprintf(&b, ", + exact name %.2f", p.Exact)
	}
	return b.String()
}

// Bounds on the details that a search includes: an agent reads all of a reply to choose one
// node.
const (
	maxFullHits    = 3       // with a whole specification
	maxDetailBytes = 8 << 10 // of all results together, as JSON
)

// detail adds details to the results as long as there is room, the best ones first. A hint
// has the call that returns those of the others.
func (disc *Discovery) detail(snap *catalog.Snapshot, r *SearchResult, hits []search.Hit, detail Detail) {
	describer := disc.describer(DetailsInput{Detail: detail})
	bytes, full := jsonSize(r.Results), 0
	var others []string
	for i, h := range hits {
		hit := r.Results[i]
		hit.NodeDetails, hit.LeftOut = describer.describe(h.Spec)
		hit.ID, hit.FollowedBy = "", present(snap, hit.FollowedBy)
		more := jsonSize(hit) - jsonSize(r.Results[i])
		switch isFull := detail.full(h.Spec); {
		case isFull && full == maxFullHits, bytes+more > maxDetailBytes:
			others = append(others, h.Spec.ID())
		default:
			r.Results[i], bytes = hit, bytes+more
			if isFull {
				full++
			}
		}
	}
	if len(others) > 0 {
		call, _ := json.Marshal(map[string]any{"nodes": others}) // strings are JSON
		r.Hint = "other results have no details here: get_node_details " + string(call) + " returns them"
	}
}

// jsonSize is how many bytes a part of a reply has, which is JSON.
func jsonSize(part any) int {
	b, _ := json.Marshal(part)
	return len(b)
}

// Tagged gives the tools of a server the tags and the other names of its entry, for
// searches to find them by.
func (disc *Discovery) Tagged(server string, list []*specs.Spec) []*specs.Spec {
	for _, s := range disc.process.Config().Servers {
		if s.Name != server {
			continue
		}
		for _, tool := range list {
			tool.Tags = append(append(tool.Tags, s.Tags...), s.Aliases...)
		}
	}
	return list
}

// Widen makes searches use the word classes of the operator. A file that cannot be read
// is said in the log.
func Widen(cat *catalog.Catalog, cfg *config.Config, log *slog.Logger) {
	if cfg.Search.Synonyms == "" {
		return
	}
	synonyms, err := readSynonyms(cfg.Search.Synonyms)
	if err != nil {
		log.Warn("the word classes of search.synonyms are not used", "error", err)
		return
	}
	cat.Widen(synonyms)
}

func readSynonyms(file string) (*search.Synonyms, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, err := search.ReadSynonyms(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}
