package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBrief(t *testing.T) {
	if short := strings.Repeat("é", maxMessage/2); Brief(short) != short {
		t.Error("a message of 4 KiB is cut")
	}
	for shift := range 4 {
		long := strings.Repeat("x", shift) + strings.Repeat("🐘", 100_000)
		got := Brief(long)
		if len(got) > maxMessage || !utf8.ValidString(got) || !strings.HasPrefix(long, strings.TrimRight(got[:keptMessage-4], "\xf0\x9f\x90\x98")) {
			t.Errorf("%d bytes: %q", len(got), got)
		}
		if !strings.Contains(got, "of 40000") {
			t.Errorf("no size: %q", got[len(got)-60:])
		}
		if Brief("somewhere: "+got) != "somewhere: "+got {
			t.Error("a message that was cut has no room for its place")
		}
	}
	if f := Faultf("x", "%s", strings.Repeat("x", 1<<20)); len(f.Message) > maxMessage {
		t.Errorf("a fault has a message of %d bytes", len(f.Message))
	}
}
