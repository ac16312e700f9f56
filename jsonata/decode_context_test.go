package jsonata

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestDecodeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("why")
	cancel(why)
	for _, text := range []string{
		"[" + strings.Repeat("1,", decodedUnchecked) + "1]",
		`{"a":` + strings.Repeat(`[{"b":`, 200) + "[" + strings.Repeat("[],", decodedUnchecked) + "[]]" + strings.Repeat("}]", 200) + "}",
	} {
		if v, err := DecodeContext(ctx, []byte(text)); v != nil || !errors.Is(err, why) {
			t.Errorf("%.20s…: got %v, want the cause", text, err)
		}
		if _, err := Decode([]byte(text)); err != nil {
			t.Error(err)
		}
	}
	if _, err := DecodeContext(ctx, []byte(`{"small": [1, 2]}`)); err != nil {
		t.Errorf("a small value: %v", err)
	}
}
