package app

import (
	"log/slog"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// The operator's limit of calls holds for every server of the configuration.
func TestServersHaveTheLimitOfCalls(t *testing.T) {
	cfg := &config.Config{Servers: []config.Server{{Name: "local", Command: "x"}, {Name: "remote", URL: "https://example.org/mcp"}}}
	cfg.Limits.MaxCallTime = time.Second
	for _, s := range serversOf(cfg, slog.New(slog.DiscardHandler)) {
		if s.CallTimeout != time.Second {
			t.Errorf("%s: %s", s.Name, s.CallTimeout)
		}
	}
}
