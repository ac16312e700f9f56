package telemetry

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/otel"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
)

// SendsMetrics reports whether the environment asks for metrics at a collector.
func SendsMetrics(environ Environ) bool { return exporterName(environ, "METRICS") == exportOTLP }

// SendMetrics sends what a registry has to the collector that the environment names, every
// minute or as OTEL_METRIC_EXPORT_INTERVAL says. It returns what sends them a last
// time and stops; without a collector that does nothing. The error is a [diag.Fault].
func SendMetrics(ctx context.Context, version string, environ Environ, from prometheus.Gatherer) (stop func(), err error) {
	switch kind := exporterName(environ, "METRICS"); kind {
	case exportNone, "prometheus", exportConsole: // /metrics is there in any case
		return func() {}, nil
	case exportOTLP:
	default:
		return nil, &diag.Fault{Code: diag.CodeUsage, Path: "OTEL_METRICS_EXPORTER", Message: fmt.Sprintf("unknown exporter of metrics %q", kind), Hint: "otlp, prometheus or none"}
	}
	c, err := newCollector(environ, "METRICS")
	if err != nil {
		return nil, err
	}
	every := time.Minute
	if ms, err := strconv.Atoi(variables(environ)("OTEL_METRIC_EXPORT_INTERVAL")); err == nil && ms > 0 {
		every = time.Duration(ms) * time.Millisecond
	}
	m := &metricSender{collector: c, from: from, about: protoResource(ctx, version, environ), began: time.Now()}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for timelimit.Sleep(ctx, every) == nil {
			if err := m.sendOnce(ctx); err != nil && ctx.Err() == nil {
				otel.Handle(err)
			}
		}
	}()
	return func() {
		cancel()
		<-done
		last, end := context.WithTimeout(context.WithoutCancel(ctx), lastSend)
		defer end()
		if err := m.sendOnce(last); err != nil {
			otel.Handle(err)
		}
		c.client.CloseIdleConnections()
	}, nil
}

// lastSend is how long the program waits at its end for the collector.
const lastSend = 2 * time.Second

type metricSender struct {
	collector *collector
	from      prometheus.Gatherer
	about     *resource.Resource
	began     time.Time
}

func (m *metricSender) sendOnce(ctx context.Context) error {
	families, err := m.from.Gather()
	if err != nil && len(families) == 0 {
		return err
	}
	scope := &metrics.ScopeMetrics{Scope: &common.InstrumentationScope{Name: scopeName}}
	began, now := stamp(m.began), stamp(time.Now())
	for _, f := range families {
		if converted := otlpMetric(f, began, now); converted != nil {
			scope.Metrics = append(scope.Metrics, converted)
		}
	}
	return m.collector.send(ctx, &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{Resource: m.about, ScopeMetrics: []*metrics.ScopeMetrics{scope}}}})
}

func stamp(t time.Time) uint64 { return uint64(t.UnixNano()) } //nolint:gosec // after 1970

// otlpMetric is a family of series as OTLP has it, nil for a kind that is not used here.
func otlpMetric(f *dto.MetricFamily, began, now uint64) *metrics.Metric {
	out := &metrics.Metric{Name: f.GetName(), Description: f.GetHelp()}
	var points []*metrics.NumberDataPoint
	var histograms []*metrics.HistogramDataPoint
	for _, s := range f.GetMetric() {
		labels := attributes(s.GetLabel())
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			points = append(points, point(labels, began, now, s.GetCounter().GetValue()))
		case dto.MetricType_GAUGE:
			points = append(points, point(labels, 0, now, s.GetGauge().GetValue()))
		case dto.MetricType_UNTYPED:
			points = append(points, point(labels, 0, now, s.GetUntyped().GetValue()))
		case dto.MetricType_HISTOGRAM:
			histograms = append(histograms, histogram(s.GetHistogram(), labels, began, now))
		default: // a summary of Go's collector: pauses of garbage collection
			points = append(points, point(labels, 0, now, s.GetSummary().GetSampleSum()))
		}
	}
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		out.Data = &metrics.Metric_Sum{Sum: &metrics.Sum{DataPoints: points, IsMonotonic: true, AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}}
	case dto.MetricType_HISTOGRAM:
		out.Data = &metrics.Metric_Histogram{Histogram: &metrics.Histogram{DataPoints: histograms, AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}}
	default:
		out.Data = &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: points}}
	}
	return out
}

func attributes(labels []*dto.LabelPair) []*common.KeyValue {
	return lists.Each(labels, func(l *dto.LabelPair) *common.KeyValue { return text(l.GetName(), l.GetValue()) })
}

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func point(labels []*common.KeyValue, began, now uint64, v float64) *metrics.NumberDataPoint {
	return &metrics.NumberDataPoint{Attributes: labels, StartTimeUnixNano: began, TimeUnixNano: now, Value: &metrics.NumberDataPoint_AsDouble{AsDouble: v}}
}

// histogram turns cumulative buckets into those of OTLP; the last has no bound.
func histogram(h *dto.Histogram, labels []*common.KeyValue, began, now uint64) *metrics.HistogramDataPoint {
	sum := h.GetSampleSum()
	p := &metrics.HistogramDataPoint{Attributes: labels, StartTimeUnixNano: began, TimeUnixNano: now, Count: h.GetSampleCount(), Sum: &sum}
	var before uint64
	for _, b := range h.GetBucket() {
		if math.IsInf(b.GetUpperBound(), 1) {
			break
		}
		p.ExplicitBounds = append(p.ExplicitBounds, b.GetUpperBound())
		p.BucketCounts = append(p.BucketCounts, b.GetCumulativeCount()-before)
		before = b.GetCumulativeCount()
	}
	p.BucketCounts = append(p.BucketCounts, h.GetSampleCount()-before)
	return p
}

// protoResource is what the metrics are of: the same as the spans.
func protoResource(ctx context.Context, version string, environ Environ) *resource.Resource {
	r := &resource.Resource{}
	for _, a := range about(ctx, version, environ).Attributes() {
		r.Attributes = append(r.Attributes, text(string(a.Key), a.Value.String()))
	}
	return r
}
