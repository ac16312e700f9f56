package main

import (
	"strconv"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/mcpserver"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestDefaultsOfSettings compares the defaults that the reference states with those
// that the program uses.
func TestDefaultsOfSettings(t *testing.T) {
	want := map[string]int64{
		"limits.maxNodeExecutions":  int64(run.DefaultCeiling.MaxNodeExecutions),
		"limits.maxExecutionTimeMs": run.DefaultCeiling.MaxExecutionTime.Milliseconds(),
		"limits.maxResultBytes":     int64(run.DefaultCeiling.MaxResultBytes),
		"limits.maxTraceBytes":      int64(run.DefaultCeiling.MaxTraceBytes),
		"limits.maxRuns":            runs.DefaultMaxRuns,
		"limits.maxQueuedRuns":      runs.DefaultMaxQueued,
		"serve.maxSessions":         mcpserver.DefaultMaxSessions,
		"serve.maxConnections":      httpd.DefaultMaxConnections,
		"serve.bodyTimeoutMs":       httpd.DefaultBodyTimeout.Milliseconds(),
		"log.slowMs":                config.DefaultSlowCall.Milliseconds(),
		"egress.timeoutMs":          egress.DefaultTimeout.Milliseconds(),
		"egress.maxBytes":           egress.DefaultMaxBytes,
	}
	for _, s := range config.Settings() {
		if n, ok := want[s.Key]; ok && s.Default != strconv.FormatInt(n, 10) {
			t.Errorf("the default of %s is %d, the reference says %s", s.Key, n, s.Default)
		}
		delete(want, s.Key)
		if s.Doc == "" || s.Type == "" {
			t.Errorf("%s has no description or type", s.Key)
		}
	}
	for key := range want {
		t.Errorf("there is no setting %s", key)
	}
}
