package app

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// tagged gives the tools of a server the tags and the other names of its entry, for
// searches to find them by.
func (pb *App) tagged(server string, list []*specs.Spec) []*specs.Spec {
	cfg := pb.config.Load()
	if cfg == nil {
		return list
	}
	for _, s := range cfg.Servers {
		if s.Name != server {
			continue
		}
		for _, tool := range list {
			tool.Tags = append(append(tool.Tags, s.Tags...), s.Aliases...)
		}
	}
	return list
}

// widen makes searches use the word classes of the operator. A file that cannot be read
// is said in the log.
func widen(cat *catalog.Catalog, cfg *config.Config, log *slog.Logger) {
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
