package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestErrContext gives up a schema that takes long to compile, and has it all the same
// when it is asked again.
func TestErrContext(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"type":"nothing"}`)
	for i := range 2000 {
		fmt.Fprintf(&b, `,"key%d":{"type":"string"}`, i)
	}
	b.WriteString("}}")
	large, small := &Schema{Raw: []byte(b.String())}, &Schema{Raw: []byte(`{"type":"nothing"}`)}
	ctx, cancel := context.WithCancelCause(t.Context())
	for _, s := range []*Schema{large, small} {
		if err := s.ErrContext(ctx); err == nil || !strings.Contains(err.Error(), "not a valid JSON Schema") {
			t.Errorf("%d bytes: %v", len(s.Raw), err)
		}
	}
	why := errors.New("why")
	cancel(why)
	again := &Schema{Raw: large.Raw}
	if err := again.ErrContext(ctx); !errors.Is(err, why) {
		t.Errorf("a cancelled compilation: %v", err)
	}
	if err := again.Err(); err == nil || errors.Is(err, why) {
		t.Errorf("asked again: %v", err)
	}
	if err := (*Schema)(nil).ErrContext(ctx); err != nil {
		t.Errorf("no schema: %v", err)
	}
}
