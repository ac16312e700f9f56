package telemetry

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

func TestTracingFollowsTheEnvironment(t *testing.T) {
	from := func(vars map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	}
	for _, vars := range []map[string]string{{}, {"OTEL_TRACES_EXPORTER": "none"}, {"OTEL_TRACES_EXPORTER": "console", "OTEL_SDK_DISABLED": "true"}} {
		if tracer, end, err := Tracing(t.Context(), "0", from(vars), nil); tracer != nil || end == nil || err != nil {
			t.Errorf("%v: %v %v", vars, tracer, err)
		}
	}
	var out bytes.Buffer
	tracer, end, err := Tracing(t.Context(), "0", from(map[string]string{"OTEL_TRACES_EXPORTER": "console"}), &out)
	if err != nil {
		t.Fatal(err)
	}
	_, span := tracer.Start(t.Context(), "run x")
	span.End()
	end()
	if line := out.String(); !strings.Contains(line, `"name":"run x"`) || !strings.HasSuffix(line, "}\n") || strings.Count(line, "\n") != 1 {
		t.Errorf("the console has %q", line)
	}
	_, _, err = Tracing(t.Context(), "0", from(map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}), nil)
	if fault, ok := errors.AsType[*diag.Fault](err); !ok || !strings.Contains(fault.Message, "zipkin") || fault.Hint == "" {
		t.Errorf("an unknown exporter: %v", err)
	}
}
