package run_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/run"
)

// TestNoticeOfAnItem says how many items there are, so that a page shows how far a foreach is.
func TestNoticeOfAnItem(t *testing.T) {
	for _, ended := range []bool{false, true} {
		e := run.Event{Key: "each#0[24]", Node: "each", Items: 100, Ended: ended}
		b, err := json.Marshal(e.Notice("run_1", "g", ""))
		if err != nil || !strings.Contains(string(b), `"items":100`) {
			t.Errorf("%s %v", b, err)
		}
	}
}
