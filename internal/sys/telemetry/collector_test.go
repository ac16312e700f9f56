package telemetry

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	collectormetrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/patchbay-mcp/patchbay/diag"
)

// received is a request as a collector gets it.
type received struct {
	path, auth string
	body       []byte
}

// startCollector answers each request with the next of the statuses, then with 200.
func startCollector(t *testing.T, statuses ...int) (endpoint string, requests <-chan received) {
	t.Helper()
	got := make(chan received, 20)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			var err error
			if body, err = gzip.NewReader(r.Body); err != nil {
				t.Error(err)
				return
			}
		}
		b, err := io.ReadAll(body)
		if err != nil || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Error(r.Header, err)
		}
		if len(statuses) > 0 {
			status := statuses[0]
			statuses = statuses[1:]
			w.WriteHeader(status)
			return
		}
		got <- received{r.URL.Path, r.Header.Get("Authorization"), b}
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func environment(vars map[string]string) Environ {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

// A span arrives at the collector that the standard variables name, with its attributes,
// parent and resource.
func TestSpansReachACollector(t *testing.T) {
	endpoint, requests := startCollector(t)
	tracer, end, err := Tracing(t.Context(), "1.2.3", environment(map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint + "/", "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20abc,x=y", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
	}), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, run := tracer.Start(t.Context(), "run x")
	_, node := tracer.Start(ctx, "node")
	node.SetAttributes(attribute.String("patchbay.node", "a"))
	node.End()
	run.End()
	end()
	r := <-requests
	var data collectortrace.TracesData
	if err := proto.Unmarshal(r.body, &data); err != nil {
		t.Fatal(err)
	}
	if r.path != "/v1/traces" || r.auth != "Bearer abc" {
		t.Errorf("the request is to %s with authorization %q", r.path, r.auth)
	}
	about := map[string]string{}
	for _, a := range data.GetResourceSpans()[0].GetResource().GetAttributes() {
		about[a.GetKey()] = a.GetValue().GetStringValue()
	}
	if about["service.name"] != "patchbay" || about["service.version"] != "1.2.3" {
		t.Errorf("the resource is %v", about)
	}
	spans := data.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()
	if len(spans) != 2 || spans[0].GetName() != "node" || string(spans[0].GetParentSpanId()) != string(spans[1].GetSpanId()) || spans[0].GetAttributes()[0].GetValue().GetStringValue() != "a" {
		t.Errorf("the spans are %v", spans)
	}
}

// Metrics are those of the registry, by name, label, kind and value.
func TestMetricsReachACollector(t *testing.T) {
	endpoint, requests := startCollector(t)
	registry := prometheus.NewRegistry()
	calls := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "calls_total", Help: "Calls."}, []string{"tool"})
	seconds := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "seconds", Buckets: []float64{1, 2}})
	ready := prometheus.NewGauge(prometheus.GaugeOpts{Name: "ready"})
	registry.MustRegister(calls, seconds, ready)
	calls.WithLabelValues("evaluate").Add(3)
	for _, s := range []float64{0.5, 1.5, 1.7, 9} {
		seconds.Observe(s)
	}
	ready.Set(1)
	stop, err := SendMetrics(t.Context(), "1", environment(map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": endpoint + "/here", "OTEL_SERVICE_NAME": "shop"}), registry)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	r := <-requests
	var data collectormetrics.MetricsData
	if err := proto.Unmarshal(r.body, &data); err != nil {
		t.Fatal(err)
	}
	if r.path != "/here" || data.GetResourceMetrics()[0].GetResource().GetAttributes() == nil {
		t.Errorf("the request is to %s, of %v", r.path, data.GetResourceMetrics()[0].GetResource())
	}
	got := map[string]*collectormetrics.Metric{}
	for _, m := range data.GetResourceMetrics()[0].GetScopeMetrics()[0].GetMetrics() {
		got[m.GetName()] = m
	}
	sum := got["calls_total"].GetSum()
	if p := sum.GetDataPoints(); !sum.GetIsMonotonic() || len(p) != 1 || p[0].GetAsDouble() != 3 || p[0].GetAttributes()[0].GetValue().GetStringValue() != "evaluate" || p[0].GetStartTimeUnixNano() == 0 {
		t.Errorf("the counter is %v", sum)
	}
	h := got["seconds"].GetHistogram().GetDataPoints()[0]
	if c := h.GetBucketCounts(); h.GetCount() != 4 || h.GetSum() != 12.7 || len(c) != 3 || c[0] != 1 || c[1] != 2 || c[2] != 1 || len(h.GetExplicitBounds()) != 2 {
		t.Errorf("the histogram is %v", h)
	}
	if p := got["ready"].GetGauge().GetDataPoints(); len(p) != 1 || p[0].GetAsDouble() != 1 {
		t.Errorf("the gauge is %v", p)
	}
}

// What the collector cannot take just now is sent again, what it refuses is not.
func TestSendingAgain(t *testing.T) {
	for name, test := range map[string]struct {
		statuses []int
		arrives  bool
		pauses   int
	}{
		"at once":       {nil, true, 0},
		"later":         {[]int{503, 429}, true, 2},
		"never":         {[]int{503, 503, 503, 503, 503}, false, maxSends - 1},
		"not wanted":    {[]int{400}, false, 0},
		"moved":         {[]int{302}, false, 0},
		"wrong address": {[]int{404}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			endpoint, requests := startCollector(t, test.statuses...)
			c, err := newCollector(environment(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT": "600000"}), "TRACES")
			if err != nil {
				t.Fatal(err)
			}
			pauses := 0
			c.pause = func(context.Context, time.Duration) error { pauses++; return nil }
			err = c.send(t.Context(), &collectortrace.TracesData{})
			if (err == nil) != test.arrives || len(requests) != map[bool]int{true: 1}[test.arrives] || pauses != test.pauses {
				t.Errorf("%d arrived after %d pauses: %v", len(requests), pauses, err)
			}
		})
	}
}

func TestWrongCollectors(t *testing.T) {
	for variable, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_CERTIFICATE": "no such file",
	} {
		_, err := newCollector(environment(map[string]string{variable: value}), "TRACES")
		if f, ok := errors.AsType[*diag.Fault](err); !ok || f.Path != variable || f.Hint == "" {
			t.Errorf("%s=%s: %v", variable, value, err)
		}
	}
	_, err := SendMetrics(t.Context(), "", environment(map[string]string{"OTEL_METRICS_EXPORTER": "statsd"}), prometheus.NewRegistry())
	if f, ok := errors.AsType[*diag.Fault](err); !ok || !strings.Contains(f.Message, "statsd") {
		t.Error(err)
	}
}
