// Package telemetry sets up tracing and tunes the garbage collector. Its inputs are
// the environment and the heap; it knows nothing of the product.
package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Tracing returns what makes spans, as OpenTelemetry's environment variables say,
// and what sends the last of them. Without the variables there are no spans.
func Tracing(ctx context.Context, version string, environ func(string) (string, bool), stderr io.Writer) (trace.Tracer, func(), error) {
	of := func(name string) string { v, _ := environ(name); return v }
	kind := of("OTEL_TRACES_EXPORTER")
	if kind == "" && of("OTEL_EXPORTER_OTLP_ENDPOINT")+of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "" {
		kind = "otlp"
	}
	if of("OTEL_SDK_DISABLED") == "true" {
		kind = "none"
	}
	var exporter sdktrace.SpanExporter
	switch kind {
	case "", "none":
		return nil, func() {}, nil
	case "console":
		exporter = &consoleExporter{out: stderr}
	case "otlp":
		otlp, err := otlptracehttp.New(ctx)
		if err != nil {
			return nil, nil, &diag.Fault{Code: "usage", Path: "OTEL_EXPORTER_OTLP_ENDPOINT", Message: "spans cannot be sent: " + err.Error(), Hint: "set it to the address of a collector that speaks OTLP over HTTP, such as http://127.0.0.1:4318"}
		}
		exporter = otlp
	default:
		return nil, nil, &diag.Fault{Code: "usage", Path: "OTEL_TRACES_EXPORTER", Message: fmt.Sprintf("unknown span exporter %q", kind), Hint: "otlp, console or none"}
	}
	about, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		about = resource.Default()
	}
	if of("OTEL_SERVICE_NAME") == "" {
		about, _ = resource.Merge(about, resource.NewSchemaless(attribute.String("service.name", "patchbay")))
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	end := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		_ = provider.Shutdown(ctx)
	}
	return provider.Tracer("github.com/patchbay-mcp/patchbay", trace.WithInstrumentationVersion(version)), end, nil
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
