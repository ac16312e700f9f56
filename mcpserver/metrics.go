package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/run"
)

// Metrics count what a server does, for Prometheus.
type Metrics struct {
	registry *prometheus.Registry
	pb       *app.App
	redact   func(json.RawMessage) json.RawMessage // nil: nothing is masked
	calls    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	runs     map[string]prometheus.Observer // by outcome
	nodes    map[nodeLabels]prometheus.Observer
	tokens   *prometheus.CounterVec   // of models
	around   *prometheus.HistogramVec // by what workflows have made of a request
}

// nodeLabels are the labels of the time of a node execution.
type nodeLabels struct{ kind, outcome string }

// NewMetrics returns metrics of one Patchbay, with a registry of their own.
func NewMetrics(pb *app.App) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		pb:       pb,
		calls:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "patchbay_tool_calls_total", Help: "Tool calls received from clients, by tool and outcome (ok or error)."}, []string{"tool", "outcome"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "patchbay_tool_call_seconds", Help: "Time of calls of tools.", Buckets: prometheus.ExponentialBuckets(0.0005, 4, 10)}, []string{"tool"}),
	}
	m.around = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "patchbay_workflow_duration_seconds", Help: "Duration of requests that a workflow handled, by its effect: passed, changed, blocked or failed.", Buckets: prometheus.ExponentialBuckets(0.0001, 4, 10)}, []string{"outcome"})
	m.tokens = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "patchbay_model_tokens_total", Help: "Tokens that requests of model nodes have cost, by model and direction (input or output)."}, []string{"model", "direction"})
	m.registry.MustRegister(m.around, m.tokens)
	m.measureRuns(pb)
	u := pb.Usage()
	m.registry.MustRegister(m.calls, m.seconds, serverMetrics{pb}, cacheMetrics{pb}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		counter("patchbay_searches_total", "Searches of nodes.", u.Searches.Load),
		counter("patchbay_searches_empty_total", "Searches that found nothing.", u.Empty.Load),
		counter("patchbay_searches_corrected_total", "Searches in which a word was corrected.", u.Corrected.Load),
	)
	return m
}

// measureRuns makes every series at once: there are as many as node types and
// outcomes, and none of them is looked up by its labels when a node has ended.
func (m *Metrics) measureRuns(pb *app.App) {
	runs := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "patchbay_run_duration_seconds", Help: "Time of runs, by how they stopped.", Buckets: prometheus.ExponentialBuckets(0.001, 4, 10)}, []string{"outcome"})
	nodes := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "patchbay_node_duration_seconds", Help: "Time of node executions, by type and outcome.", Buckets: prometheus.ExponentialBuckets(0.00001, 8, 9)}, []string{"type", "outcome"})
	m.runs, m.nodes = map[string]prometheus.Observer{}, map[nodeLabels]prometheus.Observer{}
	for _, status := range []run.Status{run.Succeeded, run.Failed, run.Cancelled, run.Interrupted} {
		m.runs[string(status)] = runs.WithLabelValues(string(status))
	}
	for _, kind := range pb.Kinds().Kinds() {
		for _, outcome := range []string{execution.NodeSucceeded, execution.NodeFailed, execution.NodeCaught} {
			l := nodeLabels{kind.Spec.NodeType, outcome}
			m.nodes[l] = nodes.WithLabelValues(l.kind, l.outcome)
		}
	}
	gauge := func(name, help string, of func() int) prometheus.GaugeFunc {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(of()) })
	}
	m.registry.MustRegister(runs, nodes,
		gauge("patchbay_runs_running", "Runs in progress.", func() int { running, _ := pb.Runner.InFlight(); return running }),
		gauge("patchbay_runs_queued", "Runs that wait for their turn.", func() int { _, queued := pb.Runner.InFlight(); return queued }),
		gauge("patchbay_turns_used", "Computation slots in use by checks, evaluations and runs.", func() int { return pb.Load().Turns }),
		gauge("patchbay_turns_waiting", "Checks, evaluations and runs that wait for a computation slot or for memory.", func() int {
			l := pb.Load()
			return l.Waiting + l.WaitingForMemory + l.Runs.Waiting
		}),
		gauge("patchbay_memory_reserved_bytes", "Memory that checks and long evaluations have reserved.", func() int { return int(pb.Load().Reserved) }),
		gauge("patchbay_memory_kept_bytes", "Memory held by the inputs and outputs of runs that each hold 1 MiB or more.", func() int { return int(pb.Load().Runs.Kept) }),
	)
	pb.AddMetrics(m)
}

// Run implements [app.Metrics].
func (m *Metrics) Run(outcome string, d time.Duration) {
	if o := m.runs[outcome]; o != nil {
		o.Observe(d.Seconds())
	}
}

// Node implements [app.Metrics].
func (m *Metrics) Node(kind, outcome string, d time.Duration) {
	if o := m.nodes[nodeLabels{kind, outcome}]; o != nil {
		o.Observe(d.Seconds())
	}
}

// Tokens counts what a request to a model has cost.
func (m *Metrics) Tokens(model string, t run.Tokens) {
	m.tokens.WithLabelValues(model, "input").Add(float64(t.Input))
	m.tokens.WithLabelValues(model, "output").Add(float64(t.Output))
}

// Workflow counts a request that a workflow has answered.
func (m *Metrics) Workflow(outcome string, d time.Duration) {
	m.around.WithLabelValues(outcome).Observe(d.Seconds())
}

func counter(name, help string, load func() uint64) prometheus.CounterFunc {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(load()) })
}

// unknownTool stands for the name of a tool that does not exist: callers must not be able
// to grow the series.
const unknownTool = "unknown"

// middleware counts every call of a tool.
func (m *Metrics) middleware(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	if method != "tools/call" {
		return next(ctx, method, req)
	}
	started := time.Now()
	res, err := next(ctx, method, req)
	name, outcome := unknownTool, "ok"
	if params, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && err == nil {
		name = params.Name
	}
	switch r := res.(type) {
	case *mcp.CallToolResult:
		if r != nil && r.IsError {
			outcome = "error"
		}
	case *passedResult:
		if r.IsError {
			outcome = "error"
		}
	}
	if err != nil {
		outcome = "error"
	}
	m.calls.WithLabelValues(name, outcome).Inc()
	m.seconds.WithLabelValues(name).Observe(time.Since(started).Seconds())
	return res, err
}

// Registry has all metrics, to be sent elsewhere.
func (m *Metrics) Registry() prometheus.Gatherer { return m.registry }

// Handler serves /metrics for Prometheus, and /searches: the queries that found
// nothing and the words of all queries, as JSON.
func (m *Metrics) Handler(o httpd.Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /searches", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		b, err := plainjson.Marshal(map[string]any{"searches": m.pb.Usage().Missed(), "words": m.pb.Usage().Words()})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if m.redact != nil {
			b = m.redact(b)
		}
		_, _ = w.Write(append(b, '\n'))
	})
	return o.Guard(mux, access.Admin)
}

// serverMetrics says how the downstream servers are when it is asked.
type serverMetrics struct{ pb *app.App }

var (
	serverReady    = prometheus.NewDesc("patchbay_server_ready", "1 while a downstream server can be called, else 0.", []string{"server"}, nil)
	serverTools    = prometheus.NewDesc("patchbay_server_tools", "Tools of a downstream server.", []string{"server"}, nil)
	serverSessions = prometheus.NewDesc("patchbay_server_sessions_total", "Sessions with a downstream server: its start, and each time that it was started or reached again.", []string{"server"}, nil)
	serverFailures = prometheus.NewDesc("patchbay_server_failures_total", "Attempts to start or reach a downstream server that failed.", []string{"server"}, nil)
)

// Describe implements [prometheus.Collector].
func (m serverMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{serverReady, serverTools, serverSessions, serverFailures} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (m serverMetrics) Collect(to chan<- prometheus.Metric) {
	for _, s := range m.pb.Status() {
		ready := 0.0
		if s.State == "ready" {
			ready = 1
		}
		to <- prometheus.MustNewConstMetric(serverReady, prometheus.GaugeValue, ready, s.Name)
		to <- prometheus.MustNewConstMetric(serverTools, prometheus.GaugeValue, float64(s.Tools), s.Name)
		to <- prometheus.MustNewConstMetric(serverSessions, prometheus.CounterValue, float64(s.Sessions), s.Name)
		to <- prometheus.MustNewConstMetric(serverFailures, prometheus.CounterValue, float64(s.Failures), s.Name)
	}
}

// cacheMetrics say how often the caches had what was asked of them.
type cacheMetrics struct{ pb *app.App }

var (
	cacheHits   = prometheus.NewDesc("patchbay_cache_hits_total", "Questions to a cache that had the answer.", []string{"cache"}, nil)
	cacheMisses = prometheus.NewDesc("patchbay_cache_misses_total", "Questions to a cache that did not have the answer.", []string{"cache"}, nil)
)

// Describe implements [prometheus.Collector].
func (m cacheMetrics) Describe(to chan<- *prometheus.Desc) { to <- cacheHits; to <- cacheMisses }

// Collect implements [prometheus.Collector].
func (m cacheMetrics) Collect(to chan<- prometheus.Metric) {
	for name, use := range m.pb.Caches() {
		to <- prometheus.MustNewConstMetric(cacheHits, prometheus.CounterValue, float64(use.Hits.Load()), name)
		to <- prometheus.MustNewConstMetric(cacheMisses, prometheus.CounterValue, float64(use.Misses.Load()), name)
	}
}
