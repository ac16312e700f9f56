package app_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// A run, its nodes and their calls are spans within one another at the collector that the
// environment names, and a server over HTTP is told the span of its call.
func TestSpansAtACollector(t *testing.T) {
	bodies := make(chan []byte, 20)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Error(r.URL, err)
		}
		bodies <- b
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)

	traceparent := make(chan string, 1)
	tools := mcp.NewServer(&mcp.Implementation{Name: "far"}, nil)
	tools.AddTool(&mcp.Tool{Name: "drip", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		traceparent <- r.GetExtra().Header.Get("Traceparent")
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "drop"}}}, nil
	})
	far := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, nil))
	defer far.Close()

	pb, err := app.Open(t.Context(), &config.Config{Runs: config.Runs{Memory: true}}, app.Setup{Version: "1", Servers: []downstream.Server{{Name: "far", URL: far.URL}}})
	if err != nil {
		t.Fatal(err)
	}
	defer pb.Close()
	pb.Start(t.Context())
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", `name: g
nodes:
  - {id: entry, type: entry, next: ask}
  - {id: ask, type: mcp, server: far, tool: drip, args: {}, next: exit}
  - {id: exit, type: exit}
`, "")})
	ran(t, r, fault, run.Succeeded)
	pb.Close() // sends the last spans
	close(bodies)
	spans := map[string]*tracepb.Span{}
	for b := range bodies {
		var data tracepb.TracesData
		if err := proto.Unmarshal(b, &data); err != nil {
			t.Fatal(err)
		}
		for _, r := range data.GetResourceSpans() {
			for _, s := range r.GetScopeSpans() {
				for _, span := range s.GetSpans() {
					spans[span.GetName()] = span
				}
			}
		}
	}
	call, node, whole := spans["call far drip"], spans["ask"], spans["run g"]
	if call == nil || string(call.GetParentSpanId()) != string(node.GetSpanId()) || string(node.GetParentSpanId()) != string(whole.GetSpanId()) || len(whole.GetParentSpanId()) > 0 {
		t.Fatalf("the spans are %v", spans)
	}
	if got, want := <-traceparent, "00-"+hex.EncodeToString(call.GetTraceId())+"-"+hex.EncodeToString(call.GetSpanId())+"-01"; got != want {
		t.Errorf("the server is told %q, want %q", got, want)
	}
}
