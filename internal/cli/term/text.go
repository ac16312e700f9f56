package term

import (
	"fmt"
	"strings"
	"time"
)

// Count is a number of things: 1 run, 2 runs.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Duration says a duration to one decimal, or whole seconds from a minute on.
func Duration(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// Ago says in at most ten columns how far a time is from now; of one further away than a
// month, the date.
func Ago(at, now time.Time) string {
	form, d := "%d%s ago", now.Sub(at)
	if d < 0 {
		form, d = "in %d%s", at.Sub(now)
	}
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return fmt.Sprintf(form, d/time.Second, "s")
	case d < time.Hour:
		return fmt.Sprintf(form, d/time.Minute, "m")
	case d < day:
		return fmt.Sprintf(form, d/time.Hour, "h")
	case d < 31*day:
		return fmt.Sprintf(form, d/day, "d")
	}
	return at.Format(time.DateOnly)
}

// Indented is a text whose lines after the first are indented.
func Indented(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") }
