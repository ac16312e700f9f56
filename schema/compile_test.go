package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/schema"
)

// Of several faults of a schema the same one is named every time.
func TestFirstFaultOfASchema(t *testing.T) {
	raw := json.RawMessage(`{"type": 1, "properties": {"c": {"type": 3}, "a": {"minimum": "x"}, "b": {"required": 2}}, "required": 4}`)
	for range 50 {
		if err := schema.Verify(raw); err == nil || !strings.Contains(err.Error(), "at /properties/a/minimum: ") {
			t.Fatalf("got %v", err)
		}
	}
}

// A wide schema takes time that grows with its size.
func TestWideSchemas(t *testing.T) {
	times := map[int]time.Duration{}
	for _, n := range []int{600, 4800} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%s"key%d":{"type":"string"}`, strings.Repeat(",", min(i, 1)), i)
		}
		times[n] = time.Hour
		for range 3 {
			s := &schema.Schema{Raw: json.RawMessage(`{"properties":{` + b.String() + `}}`)}
			began := time.Now()
			if err := s.Err(); err != nil {
				t.Fatal(err)
			}
			times[n] = min(times[n], time.Since(began))
		}
	}
	if ratio := float64(times[4800]) / float64(times[600]); ratio > 40 {
		t.Errorf("8 times as many properties take %.0f times as long: %v and %v", ratio, times[4800], times[600])
	}
}
