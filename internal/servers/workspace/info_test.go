package workspace

import (
	"testing"
	"time"
)

// TestDate compares with what new Date(Math.round(ms)) prints.
func TestDate(t *testing.T) {
	second := time.Date(2026, 11, 22, 3, 50, 30, 0, time.UTC)
	for past, want := range map[time.Duration]string{
		0:                          "03:50:30",
		999_499 * time.Microsecond: "03:50:30",
		999_500 * time.Microsecond: "03:50:31",
	} {
		if got, want := date(second.Add(past)), "Sun Nov 22 2026 "+want+" GMT+0000 (Coordinated Universal Time)"; got != want {
			t.Errorf("%s past: got %s, want %s", past, got, want)
		}
	}
}
