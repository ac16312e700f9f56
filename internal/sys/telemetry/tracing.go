// Package telemetry sends spans and metrics to an OpenTelemetry collector and tunes the
// garbage collector. Its inputs are the environment, a registry of metrics and the heap;
// it knows nothing of the product.
package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/patchbay-mcp/patchbay/diag"
)

// scopeName is what makes spans and metrics, as a collector shows it.
const scopeName = "github.com/patchbay-mcp/patchbay"

// Tracing returns what makes spans, as OpenTelemetry's environment variables say,
// and what sends the last of them. Without the variables there are no spans.
func Tracing(ctx context.Context, version string, environ Environ, stderr io.Writer) (trace.Tracer, func(), error) {
	var exporter sdktrace.SpanExporter
	switch kind := exporterName(environ, "TRACES"); kind {
	case exportNone:
		return nil, func() {}, nil
	case exportConsole:
		exporter = &consoleExporter{out: stderr}
	case exportOTLP:
		c, err := newCollector(environ, "TRACES")
		if err != nil {
			return nil, nil, err
		}
		if exporter, err = otlptrace.New(ctx, spanClient{c}); err != nil {
			return nil, nil, err
		}
	default:
		return nil, nil, &diag.Fault{Code: diag.CodeUsage, Path: "OTEL_TRACES_EXPORTER", Message: fmt.Sprintf("unknown span exporter %q", kind), Hint: "otlp, console or none"}
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about(ctx, version, environ)))
	end := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSend)
		defer cancel()
		_ = provider.Shutdown(ctx)
	}
	return provider.Tracer(scopeName, trace.WithInstrumentationVersion(version)), end, nil
}

// about describes the program to a collector.
func about(ctx context.Context, version string, environ Environ) *resource.Resource {
	r, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		r = resource.Default()
	}
	own := []attribute.KeyValue{attribute.String("service.version", version)}
	if variables(environ)("OTEL_SERVICE_NAME") == "" {
		own = append(own, attribute.String("service.name", "patchbay"))
	}
	if merged, err := resource.Merge(resource.NewSchemaless(own...), r); err == nil {
		r = merged
	}
	return r
}

// spanClient sends spans to a collector. OpenTelemetry's own client imports gRPC, which
// it does not use, and which makes the program larger by several megabytes.
type spanClient struct{ collector *collector }

// Start implements [otlptrace.Client].
func (spanClient) Start(context.Context) error { return nil }

// Stop implements [otlptrace.Client].
func (c spanClient) Stop(context.Context) error {
	c.collector.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements [otlptrace.Client].
func (c spanClient) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	return c.collector.send(ctx, &tracepb.TracesData{ResourceSpans: spans})
}

// consoleExporter writes each span as a line of JSON.
type consoleExporter struct {
	mu  sync.Mutex
	out io.Writer
}

// ExportSpans implements [sdktrace.SpanExporter].
func (e *consoleExporter) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range spans {
		line := map[string]any{
			"name": s.Name(), "trace_id": s.SpanContext().TraceID().String(), "span_id": s.SpanContext().SpanID().String(),
			"start": s.StartTime().UTC().Format(time.RFC3339Nano), "ms": float64(s.EndTime().Sub(s.StartTime()).Microseconds()) / 1000,
		}
		if s.Parent().HasSpanID() {
			line["parent_id"] = s.Parent().SpanID().String()
		}
		for _, a := range s.Attributes() {
			line[string(a.Key)] = a.Value.AsInterface()
		}
		if why := s.Status().Description; why != "" {
			line["error"] = why
		}
		b, err := json.Marshal(line)
		if err != nil {
			return err
		}
		if _, err := e.out.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Shutdown implements [sdktrace.SpanExporter].
func (e *consoleExporter) Shutdown(context.Context) error { return nil }
