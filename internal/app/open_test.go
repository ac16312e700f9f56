package app

import (
	"log/slog"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// The operator's limit of calls holds for every server of the configuration.
func TestServersHaveTheLimitOfCalls(t *testing.T) {
	cfg := &config.Config{Servers: []config.Server{{Name: "local", Command: "x"}, {Name: "remote", URL: "https://example.org/mcp"}}}
	cfg.Limits.MaxCallTime = time.Second
	for _, s := range downstreamServers(cfg, nil, "", slog.New(slog.DiscardHandler)) {
		if s.CallTimeout != time.Second {
			t.Errorf("%s: %s", s.Name, s.CallTimeout)
		}
	}
}

// A built-in server that configured ones replace is not merely unknown.
func TestWorkspaceThatIsReplaced(t *testing.T) {
	for _, test := range []struct {
		cfg     config.Config
		message string
	}{
		{config.Config{WorkspaceReplaced: true}, `the built-in server "workspace" is off because servers are configured`},
		{config.Config{WorkspaceOff: diag.Faultf("workspace-off", "off for a reason")}, "off for a reason"},
		{config.Config{}, `there is no server "workspace"`},
	} {
		pb := New(Options{})
		pb.SetConfig(&test.cfg)
		_, fault := (&plans.ToolResolver{Plans: pb.Plans, Ctx: t.Context()}).Tool("workspace", "read_text_file")
		if fault == nil || fault.Code != "unknown-server" || fault.Message != test.message {
			t.Errorf("%+v", fault)
		}
	}
}
