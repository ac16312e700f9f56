package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/sys/audit"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// The audit log and the warnings about slow calls say who called what, when and how large
// it was, of clients and of runs, and nothing of what was sent or answered.
func TestCallsAreReportedWithoutTheirTexts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	entries, err := audit.Open(audit.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer // read after the session has ended
	downstreamServer := mcp.NewServer(&mcp.Implementation{Name: "near"}, nil)
	downstreamServer.AddTool(&mcp.Tool{Name: "tell", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "swordfish"}}}, nil
	})
	pb := app.New(app.Options{
		Servers: []downstream.Server{{Name: "near", InProcess: downstreamServer}}, Audit: entries, SlowCall: time.Nanosecond,
		Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	pb.Start(t.Context())
	near, far := mcp.NewInMemoryTransports()
	served, err := mcpserver.New(pb, mcpserver.Options{}).Connect(t.Context(), far, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "probe"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	var runID string
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"run_graph", map[string]any{"arguments": map[string]any{"password": "hunter2"}, "graph": `{"name":"g","nodes":[{"id":"entry","type":"entry","next":"ask"},{"id":"ask","type":"mcp","server":"near","tool":"tell","args":{"p":{"expr":"$.entry.password"}},"next":"exit"},{"id":"exit","type":"exit"}]}`}},
		{"evaluate", map[string]any{"expr": "hunter2 +"}},
		{"no_such_hunter2", nil},
	} {
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
		if c.tool == "run_graph" {
			if err != nil || res.IsError {
				t.Fatal(res, err)
			}
			runID = res.StructuredContent.(map[string]any)["run_id"].(string)
		}
	}
	_ = session.Close()
	_ = served.Wait()
	pb.Close()

	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hunter2", "swordfish"} {
		if strings.Contains(string(b), secret) || strings.Contains(log.String(), secret) {
			t.Errorf("%s is told:\n%s\n%s", secret, b, &log)
		}
	}
	var got []audit.Entry
	for line := range strings.Lines(string(b)) {
		var e audit.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Time.IsZero() || e.Ms < 0 || e.Event == audit.Call && (e.Sent != len(`{"p":"hunter2"}`) || e.Received == 0) {
			t.Errorf("the entry %s lacks a time or a size", line)
		}
		got = append(got, e)
	}
	want := []audit.Entry{
		{Event: audit.Call, Principal: "local", Server: "near", Tool: "tell", Graph: "g", Run: runID, Node: "ask", Step: "ask#0/call", Outcome: "ok"},
		{Event: audit.Request, Principal: "local", Client: "probe", Tool: "run_graph", Run: runID, Outcome: "ok"},
		{Event: audit.Request, Principal: "local", Client: "probe", Tool: "evaluate", Outcome: "bad-argument"},
		{Event: audit.Request, Principal: "local", Client: "probe", Tool: "unknown", Outcome: "refused"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(audit.Entry{}, "Time", "Ms", "Sent", "Received")); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	for _, want := range []string{
		`"msg":"a slow call","server":"near","tool":"tell","ms":`, `"run":"` + runID + `","graph":"g","node":"ask","principal":"local"}`,
		`"msg":"a slow request","tool":"run_graph","ms":`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, &log)
		}
	}
}
