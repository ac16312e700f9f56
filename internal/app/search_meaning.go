package app

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/egress"
	"github.com/patchbay-mcp/patchbay/internal/embeddings"
	"github.com/patchbay-mcp/patchbay/specs"
)

// maxByMeaning is how many candidates a search takes by meaning.
const maxByMeaning = 50

// embeddingsOf is the index by meaning of a configuration, nil where that has none.
// Requests leave through egress, to the endpoint only.
func embeddingsOf(cfg *config.Config, requests *egress.Client, log *slog.Logger) *embeddings.Index {
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
func (pb *App) byMeaning(ctx context.Context, snap *catalog.Snapshot, in SearchInput) []*specs.Spec {
	if pb.meaning == nil || in.Query == "" || in.SimilarTo != "" || in.Mode == "all" {
		return nil
	}
	return pb.meaning.Near(ctx, snap.All(), in.Query[:min(len(in.Query), maxQuery)], maxByMeaning)
}
