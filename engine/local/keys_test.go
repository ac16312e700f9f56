package local

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/run"
)

// Two executions with one key are an error of ours, which names it.
func TestKeysAreUnique(t *testing.T) {
	r := &runtime{record: &run.Record{}, o: &Options{Journal: run.Forget{}}, keys: map[string]bool{}}
	for i, want := range []string{"", "internal-error"} {
		code := ""
		if err := r.Record(t.Context(), &run.Event{Key: "call#0/a#0", Node: "a", Type: "mcp"}); err != nil {
			if code = run.AsFault(err).Code; !strings.Contains(err.Error(), "call#0/a#0") {
				t.Errorf("the key is not named: %v", err)
			}
		}
		if code != want {
			t.Errorf("execution %d: %q, want %q", i+1, code, want)
		}
	}
}
