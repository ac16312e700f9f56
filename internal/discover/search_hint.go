package discover

import (
	"context"
	"log/slog"
	"math"
	"path/filepath"
	"strings"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover/embeddings"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// toGetOne is how to get what no node does.
const toGetOne = "an http node calls web APIs that the operator allows; patchbay mcp find WORD shows the operator servers to add"

// judge says how far the results can be trusted, and what to do if there is none or if it
// is likely that none is what was asked for.
func (r *SearchResult) judge(in SearchInput, found *search.Results) {
	if in.SimilarTo == "" {
		r.Confidence = math.Ceil(found.Confidence*100) / 100
	}
	hint := ""
	switch {
	case len(found.Hits) == 0:
		hint = emptyHint(in, found.Nearest)
	case in.Cursor != "" || in.SimilarTo != "" || in.TypeFilter != "":
	case found.Hits[0].Spec.NotRunnable && found.Hits[0].Spec.NodeType != specs.Idiom:
		hint = "the first result cannot run here; the argument runnable_only finds what can; " + toGetOne
	case found.Unsure():
		hint = "perhaps no node does this; if so, " + toGetOne
	}
	if hint != "" && r.Hint != "" {
		hint += "; "
	}
	r.Hint = hint + r.Hint
}

func emptyHint(in SearchInput, nearest []string) string {
	tips := []string{"nothing found"}
	if len(nearest) > 0 {
		tips = append(tips, "the nearest words in the catalog are "+strings.Join(nearest, ", "))
	}
	if in.Mode == "all" {
		tips = append(tips, "try mode any")
	}
	if in.TypeFilter != "" || in.Server != "" || in.CompatibleWith != "" || in.RunnableOnly {
		tips = append(tips, "search without filters")
	}
	tips = append(tips, "describe the node in other words, or list everything with get_node_types", toGetOne)
	return strings.Join(tips, "; ")
}

// maxByMeaning is how many candidates a search takes by meaning.
const maxByMeaning = 50

// NewEmbeddings is the index by meaning of a configuration, nil where that has none.
// Requests leave through egress, to the endpoint only.
func NewEmbeddings(cfg *config.Config, requests *egress.Client, log *slog.Logger) *embeddings.Index {
	e := cfg.Search.Embeddings
	if e.URL == "" {
		return nil
	}
	var dir string
	if cfg.CacheDir != "" {
		dir = filepath.Join(cfg.CacheDir, "embeddings")
	}
	return embeddings.New(embeddings.Options{URL: e.URL, Model: e.Model, APIKey: e.APIKey, Transport: requests.APITransport(e.URL), Dir: dir, Log: log})
}

// byMeaning is the nodes nearest to a query in meaning, none where there is no endpoint.
func (disc *Discovery) byMeaning(ctx context.Context, snap *catalog.Snapshot, in SearchInput) []*specs.Spec {
	if disc.Meaning == nil || in.Query == "" || in.SimilarTo != "" || in.Mode == "all" {
		return nil
	}
	return disc.Meaning.Near(ctx, snap.All(), in.Query[:min(len(in.Query), maxQuery)], maxByMeaning)
}
