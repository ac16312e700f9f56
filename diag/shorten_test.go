package diag

import (
	"encoding/json"
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

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"äöü", 3, "äöü"},
		{"äöüß", 3, "äö…"},
		{"🐘🐘🐘🐘🐘", 4, "🐘🐘🐘…"},
		{"日本語", 1, "…"},
	} {
		if got := Cut(tt.text, tt.n); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { _ = Cut("日本語 in full", 20) }); n != 0 {
		t.Errorf("a text that is short enough takes %v allocations", n)
	}
}

func TestCutJSON(t *testing.T) {
	value := []byte(`"` + strings.Repeat("日", 30) + `"`)
	for n := 10; n < 20; n++ {
		var text string
		if err := json.Unmarshal(CutJSON(value, n), &text); err != nil {
			t.Fatal(err)
		}
		if kept, cut := strings.CutSuffix(text, "…"); !cut || strings.Contains(text, "\uFFFD") || len(kept) > n || len(kept) <= n-3 {
			t.Errorf("%d bytes are %q", n, text)
		}
	}
	if got := CutJSON(value, len(value)); string(got) != string(value) {
		t.Errorf("a short value becomes %s", got)
	}
}

func TestOneLine(t *testing.T) {
	if got := OneLine(" a\n\tb\u00a0 c "); got != "a b c" {
		t.Errorf("got %q", got)
	}
}
