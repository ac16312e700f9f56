package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

const watched = `
name: watched
nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: mcp, server: tap, tool: drip, args: {n: {expr: $item}}, foreach: {items: [1, 2], onItemError: continue}, next: bad}
  - {id: bad, type: transform, transform: {expr: '$error("it said " & $.entry.password)'}, onError: exit, next: exit}
  - {id: exit, type: exit, result: {expr: '{"ok": true}'}}
`

// tap is a server whose tool fails on 2 and tells the trace of each call.
func tap(traces chan<- string) downstream.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "tap", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "drip", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		trace, _ := r.Params.Meta["traceparent"].(string)
		traces <- trace
		return &mcp.CallToolResult{IsError: strings.Contains(string(r.Params.Arguments), "2"), Content: []mcp.Content{&mcp.TextContent{Text: "drop"}}}, nil
	})
	return downstream.Server{Name: "tap", InProcess: s}
}

// The log says when a run began and how it ended, and of its nodes on request,
// but nothing of what it was given or made.
func TestLogOfARun(t *testing.T) {
	for level, nodes := range map[slog.Level]int{slog.LevelInfo: 0, slog.LevelDebug: 6} {
		var mu sync.Mutex
		var log bytes.Buffer
		logger := slog.New(slog.NewJSONHandler(lockedWriter{&mu, &log}, &slog.HandlerOptions{Level: level}))
		pb := overWith(t, app.Options{Logger: logger}, nil, tap(make(chan string, 2)))
		r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(watched)}, Arguments: json.RawMessage(`{"password":"hunter2"}`)})
		r = ran(t, r, fault, run.Succeeded)
		mu.Lock()
		got := log.String()
		mu.Unlock()
		for _, want := range []string{
			`"msg":"run started","run":"` + r.RunID + `","graph":"watched"}`,
			`"msg":"run ended","run":"` + r.RunID + `","graph":"watched","status":"succeeded"`, `"node_executions":5}`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the log lacks %s:\n%s", level, want, got)
			}
		}
		if n := strings.Count(got, `"msg":"node ended"`); n != nodes {
			t.Errorf("%s: %d nodes are logged, want %d", level, n, nodes)
		}
		if strings.Contains(got, "hunter2") || strings.Contains(got, "drop") {
			t.Errorf("%s: the log tells arguments or outputs:\n%s", level, got)
		}
	}
}

// A detached branch that fails is logged while the run goes on.
func TestLogOfADetachedBranch(t *testing.T) {
	logged := make(chan string, 10)
	server := mcp.NewServer(&mcp.Implementation{Name: "slow", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "wait", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for line := range logged {
			if strings.Contains(line, "a detached branch failed") {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: line}}}, nil
			}
		}
		return nil, context.Canceled
	})
	pb := started(t, app.Options{Logger: slog.New(slog.NewJSONHandler(lineWriter(logged), nil)), Servers: []downstream.Server{{Name: "slow", InProcess: server}}})
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", `nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, detach: [bad], join: wait}
  - {id: bad, type: transform, transform: {expr: '$error("secret")'}, next: wait}
  - {id: wait, type: mcp, server: slow, tool: wait, args: {}, next: exit}
  - {id: exit, type: exit}
`, "")})
	r = ran(t, r, fault, run.Succeeded)
	if got := string(r.Result); !strings.Contains(got, `"branch":"fork#0/bad","node":"bad","code":"expression-failed"`) || strings.Contains(got, "secret") {
		t.Errorf("logged: %s", got)
	}
}

// A detached hook that fails is logged with the code and the message of its fault.
func TestLogOfADetachedHook(t *testing.T) {
	logged := make(chan string, 10)
	d := newDesk()
	pb := withWorkflows(t, d, app.Options{Logger: slog.New(slog.NewJSONHandler(lineWriter(logged), nil))}, `name: w
workflow: {on: tools/call}
nodes:
  - {id: start, type: start, next: call, detach: [note]}
  - {id: note, type: hook, blocking: false, hook: {expr: '$error("no paper")'}}
  - {id: call, type: mcp-call, next: end}
  - {id: end, type: end}
`)
	write(t, pb)
	for line := range logged {
		if strings.Contains(line, "a detached branch failed") {
			if !strings.Contains(line, `"node":"note","code":"SCRIPT_ERROR","error":"`) || !strings.Contains(line, "no paper") {
				t.Errorf("logged: %s", line)
			}
			return
		}
	}
}

// A lineWriter sends what is written, as far as somebody takes it.
type lineWriter chan string

func (w lineWriter) Write(p []byte) (int, error) {
	select {
	case w <- string(p):
	default:
	}
	return len(p), nil
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// A run is a span of its caller's trace, and holds one of each node execution,
// each item in that of its foreach; a server is called in the span of the call, which is in that of its node.
func TestSpansOfARun(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	traces := make(chan string, 2)
	pb := overWith(t, app.Options{Tracer: provider.Tracer("test")}, nil, tap(traces))
	ctx := propagation.TraceContext{}.Extract(t.Context(), propagation.MapCarrier{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	r, fault := pb.Run(ctx, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(watched)}, Arguments: json.RawMessage(`{"password":"hunter2"}`)})
	ran(t, r, fault, run.Succeeded)
	names := map[string]string{"b7ad6b7169203331": "the caller"} // by span id
	outcomes, parents := map[string]string{}, map[string]string{}
	spans := exporter.GetSpans()
	called := map[string]bool{<-traces: true, <-traces: true}
	for _, s := range spans {
		name := s.Name
		for _, a := range s.Attributes {
			switch a.Key {
			case "patchbay.step":
				name = a.Value.AsString()
			case "patchbay.outcome":
				outcomes[s.SpanContext.SpanID().String()] = a.Value.AsString()
			}
			if strings.Contains(a.Value.String(), "hunter2") {
				t.Errorf("span %s tells arguments: %v", name, a)
			}
		}
		names[s.SpanContext.SpanID().String()] = name
		if strings.HasSuffix(name, "/call") && !called["00-0af7651916cd43dd8448eb211c80319c-"+s.SpanContext.SpanID().String()+"-01"] {
			t.Errorf("the server was not called in the span of %s: %v", name, slices.Collect(maps.Keys(called)))
		}
	}
	for _, s := range spans {
		id := s.SpanContext.SpanID().String()
		parents[names[id]] = names[s.Parent.SpanID().String()] + " " + outcomes[id] + " " + s.Status.Description
	}
	want := map[string]string{
		"run watched": "the caller succeeded ", "entry#0": "run watched succeeded ", "exit#0": "run watched succeeded ",
		"each#0": "run watched succeeded ", "each#0[0]": "each#0 succeeded ", "each#0[1]": "each#0 caught tool-failed",
		"each#0[0]/call": "each#0[0] ok ", "each#0[1]/call": "each#0[1] tool-failed tool-failed", "bad#0": "run watched caught expression-failed",
	}
	if diff := cmp.Diff(want, parents); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// The spans of a run that waits for a person end with what has been done of it.
func TestSpansOfAParkedRun(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	pb := overWith(t, app.Options{Tracer: sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter)).Tracer("test")}, nil)
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(asking)}, Arguments: json.RawMessage(`{"n":3}`)})
	ran(t, r, fault, run.Interrupted)
	var names []string
	for _, s := range exporter.GetSpans() {
		names = append(names, s.Name+" "+s.Status.Description)
	}
	if diff := cmp.Diff([]string{"entry ", "ask ", "run approve needs-answer"}, names); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// tally is a meter that counts.
type tally struct {
	mu   sync.Mutex
	seen map[string]int
}

func (m *tally) Run(outcome string, _ time.Duration) { m.note("run " + outcome) }

func (m *tally) Node(kind, outcome string, _ time.Duration) {
	m.note(kind + " " + outcome)
}

func (m *tally) note(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen[what]++
}

func TestMetricsCountOfEveryExecution(t *testing.T) {
	m := &tally{seen: map[string]int{}}
	pb := over(t, nil, tap(make(chan string, 2)))
	pb.AddMetrics(m)
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(watched)}, Arguments: json.RawMessage(`{"password":"hunter2"}`)})
	ran(t, r, fault, run.Succeeded)
	want := map[string]int{"run succeeded": 1, "entry succeeded": 1, "exit succeeded": 1, "mcp succeeded": 2, "mcp caught": 1, "transform caught": 1}
	if diff := cmp.Diff(want, m.seen); diff != "" {
		t.Errorf("heard of (-want +got):\n%s", diff)
	}
}
