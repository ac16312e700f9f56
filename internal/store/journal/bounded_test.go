package journal

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestLargeValuesAreNotEncoded keeps steps whose values are too large to be kept: they
// are not encoded either.
func TestLargeValuesAreNotEncoded(t *testing.T) {
	const most = 1000
	largest := 0
	e := encoder{redact: func(b []byte) []byte {
		largest = max(largest, len(b))
		return b
	}}
	large := strings.Repeat("x", 2*maxFailedInput)
	for _, tt := range []struct {
		what string
		step run.StepRecord
	}{
		{"the output of a step that follows from the rest", run.StepRecord{Pure: true, Ended: 1, Output: large}},
		{"its input", run.StepRecord{Pure: true, Ended: 1, Input: large}},
		{"both together", run.StepRecord{Pure: true, Ended: 1, Input: large[:most/2], Output: large[:most]}},
		{"the input of a step that failed", run.StepRecord{Pure: true, Ended: 1, Input: large, Fault: diag.Faultf("failed", "it failed")}},
	} {
		largest = 0
		a := &activeRun{}
		if err := a.step(e, &tt.step, most); err != nil {
			t.Fatal(err)
		}
		if largest > most {
			t.Errorf("%s: %d bytes were encoded, want at most %d", tt.what, largest, most)
		}
	}
	call := run.StepRecord{Ended: 1, Input: large, Fault: diag.Faultf("failed", "it failed")}
	if err := new(activeRun).step(e, &call, most); err != nil || largest < len(large) {
		t.Errorf("of the arguments of a call that failed, %d bytes are kept: %v", largest, err)
	}
}
