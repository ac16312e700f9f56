package mcpserver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/mcpserver"
	"github.com/patchbay-mcp/patchbay/specs"
)

func TestMetricsCountCallsAndMissedQueries(t *testing.T) {
	own := mcp.NewServer(&mcp.Implementation{Name: "near"}, nil)
	pb := app.New(app.Options{Servers: []downstream.Server{{Name: "near", InProcess: own}, {Name: "gone", Command: "no-such-program"}}})
	defer pb.Close()
	pb.Start(t.Context())
	metrics := mcpserver.NewMetrics(pb)
	near, far := mcp.NewInMemoryTransports()
	if _, err := mcpserver.New(pb, mcpserver.Options{Metrics: metrics}).Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	call := func(name string, args map[string]any) {
		_, _ = session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	}
	call("search_nodes", map[string]any{"query": "branch into yes and no"})
	call("search_nodes", map[string]any{"query": "qqqq xxxx zzzz"})
	call("search_nodes", map[string]any{"query": "qqqq xxxx zzzz"})
	call("run_graph", map[string]any{"name": "none"})
	call("no_such_tool", nil)
	call("run_graph", map[string]any{"graph": `{"nodes":[{"id":"entry","type":"entry","next":"t"},{"id":"t","type":"transform","foreach":{"items":[1,2]},"transform":{"expr":"$item"},"next":"exit"},{"id":"exit","type":"exit"}]}`})

	server := httptest.NewServer(metrics.Handler(httpd.Options{}))
	defer server.Close()
	get := func(path, origin string) (int, string) {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		b, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(b)
	}
	_, text := get("/metrics", "")
	for _, want := range []string{
		`patchbay_tool_calls_total{outcome="ok",tool="search_nodes"} 3`,
		`patchbay_tool_calls_total{outcome="error",tool="run_graph"} 1`,
		`patchbay_tool_calls_total{outcome="error",tool="unknown"} 1`,
		`patchbay_run_duration_seconds_count{outcome="succeeded"} 1`,
		`patchbay_run_duration_seconds_count{outcome="failed"} 0`,
		`patchbay_node_duration_seconds_count{outcome="succeeded",type="transform"} 3`,
		`patchbay_node_duration_seconds_count{outcome="caught",type="http"} 0`,
		`patchbay_runs_running 0`,
		`patchbay_runs_queued 0`,
		`patchbay_searches_total 3`,
		`patchbay_searches_empty_total 2`,
		`patchbay_server_ready{server="near"} 1`,
		`patchbay_server_sessions_total{server="near"} 1`,
		`patchbay_server_ready{server="gone"} 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("metrics lack %s", want)
		}
	}
	if _, lost := get("/searches", ""); !strings.Contains(lost, `"query":"qqqq xxxx zzzz","times":2`) {
		t.Errorf("lost searches: %s", lost)
	}
	if code, _ := get("/searches", "https://elsewhere.example"); code != http.StatusForbidden {
		t.Errorf("a foreign origin got %d", code)
	}
}

// BenchmarkNodeMetric is what a node execution costs besides where metrics are on.
func BenchmarkNodeMetric(b *testing.B) {
	m := mcpserver.NewMetrics(app.New(app.Options{}))
	b.ReportAllocs()
	for b.Loop() {
		m.Node("transform", execution.NodeSucceeded, 37*time.Microsecond)
	}
}

// A program's own node types are counted as the built-in ones are.
func TestMetricsOfALibrarysKind(t *testing.T) {
	kinds, err := engine.Extend(engine.Kind{
		Spec: specs.Spec{NodeType: "custom"}, Compile: func(*engine.Pass, *engine.Node) engine.Compiled { return engine.Compiled{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	metrics := mcpserver.NewMetrics(app.New(app.Options{Kinds: kinds}))
	metrics.Node("custom", execution.NodeSucceeded, time.Second)
	answer := httptest.NewRecorder()
	metrics.Handler(httpd.Options{}).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/metrics", nil))
	if want := `patchbay_node_duration_seconds_count{outcome="succeeded",type="custom"} 1`; !strings.Contains(answer.Body.String(), want) {
		t.Errorf("metrics lack %s", want)
	}
}
