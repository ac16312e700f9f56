package app_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/run"
)

// A call of the gateway passes meta and progress, returns what the server sent, and is
// not a run.
func TestCallDownstreamIsNoRun(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 4, Message: "a quarter"})
		return &mcp.CallToolResult{Meta: mcp.Meta{"kept": r.Params.Meta["kept"]}, StructuredContent: r.Params.Arguments, Content: []mcp.Content{&mcp.AudioContent{Data: []byte("x"), MIMEType: "audio/wav"}}}, err
	})
	pb := startedOver(t, app.Options{}, map[string]*mcp.Server{"s": s})
	heard := make(chan transport.Progress, 1)
	res, err := pb.CallDownstream(t.Context(), execution.GatewayCall{
		Server: "s", Tool: "echo", Arguments: json.RawMessage(`{"n":9007199254740993}`), Passed: run.Passed{Meta: map[string]any{"kept": "yes"}},
		OnProgress: func(p transport.Progress) { heard <- p },
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := <-heard; p.Done != 1 || p.Total != 4 || p.Message != "a quarter" {
		t.Errorf("the progress is %+v", p)
	}
	var got struct {
		Meta       map[string]any    `json:"_meta"`
		Structured json.RawMessage   `json:"structuredContent"`
		Content    []json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(res.Raw, &got); err != nil || got.Meta["kept"] != "yes" || string(got.Structured) != `{"n":9007199254740993}` || len(got.Content) != 1 {
		t.Errorf("the result is %s, %v", res.Raw, err)
	}
	if list, fault := pb.Runs(t.Context(), execution.RunsInput{}); fault != nil || len(list.Runs) > 0 {
		t.Errorf("it has left runs: %+v, %v", list, fault)
	}
}
