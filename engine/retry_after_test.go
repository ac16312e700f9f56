package engine

import (
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
)

// An http node that is answered with 429 waits as long as the server asks.
func TestRetryAfterOfAnAnswer(t *testing.T) {
	for text, want := range map[string]time.Duration{
		`{"status":429,"headers":{"retry-after":"3"},"body":null}`: 3 * time.Second,
		`{"status":429,"headers":{},"body":null}`:                  0,
		`{"status":429}`: 0,
	} {
		answer, err := expr.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := retryAfter(notOK("GET /", answer)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
