package runs

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/patchbay-mcp/patchbay/run"
)

// spans are those of one run: one of the run, and in it one of each node
// execution, inside that of the step it is part of.
type spans struct {
	tracer oteltrace.Tracer
	root   oteltrace.Span

	mu   sync.Mutex
	open map[string]oteltrace.Span // by key of the step
}

func startSpans(ctx context.Context, tracer oteltrace.Tracer, b *observer) (context.Context, *spans) {
	ctx, root := tracer.Start(ctx, "run "+b.graph, oteltrace.WithAttributes(
		attribute.String("patchbay.run.id", b.run), attribute.String("patchbay.graph", b.graph), attribute.String("patchbay.principal", b.principal)))
	return ctx, &spans{tracer: tracer, root: root, open: map[string]oteltrace.Span{}}
}

// of returns the span of a step, or of what it is part of.
func (s *spans) of(key string) oteltrace.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key != "" {
		if span := s.open[key]; span != nil {
			return span
		}
		key = key[:max(0, strings.LastIndexAny(key, "/["))]
	}
	return s.root
}

func (s *spans) before(ctx context.Context, e run.Event) error {
	ctx = oteltrace.ContextWithSpan(ctx, s.of(e.Key))
	_, span := s.tracer.Start(ctx, e.Node, oteltrace.WithTimestamp(e.At), oteltrace.WithAttributes(
		attribute.String("patchbay.node", e.Node), attribute.String("patchbay.node.type", e.Type), attribute.String("patchbay.step", e.Key)))
	s.mu.Lock()
	s.open[e.Key] = span
	s.mu.Unlock()
	return nil
}

func (s *spans) after(e *run.Event, outcome string) {
	s.mu.Lock()
	span := s.open[e.Key]
	delete(s.open, e.Key)
	s.mu.Unlock()
	if span == nil {
		return
	}
	span.SetAttributes(attribute.String("patchbay.outcome", outcome))
	if e.Err != nil {
		span.SetStatus(codes.Error, code(e.Err))
	}
	span.End(oteltrace.WithTimestamp(e.At))
}

// end ends the span of the run, and before it those of the steps at which the run
// stands.
func (s *spans) end(status, why string, executions int) {
	s.mu.Lock()
	left := s.open
	s.open = nil
	s.mu.Unlock()
	for _, key := range slices.Backward(slices.Sorted(maps.Keys(left))) {
		left[key].SetAttributes(attribute.String("patchbay.outcome", status))
		left[key].End()
	}
	s.root.SetAttributes(attribute.String("patchbay.outcome", status), attribute.Int("patchbay.node_executions", executions))
	if why != "" {
		s.root.SetStatus(codes.Error, why)
	}
	s.root.End()
}

// call starts the span of a call inside that of its step.
func (s *spans) call(ctx context.Context, c *run.Call) (context.Context, oteltrace.Span) {
	return s.tracer.Start(oteltrace.ContextWithSpan(ctx, s.of(c.Key)), "call "+c.Server+" "+c.Tool, oteltrace.WithSpanKind(oteltrace.SpanKindClient), oteltrace.WithAttributes(
		attribute.String("patchbay.server", c.Server), attribute.String("patchbay.tool", c.Tool), attribute.String("patchbay.step", c.Key)))
}
