// Package cron reads the expressions of crontab(5) and says when they are due. It does not
// know what is started then, and imports nothing of ours.
package cron

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A field is one of the five of an expression.
type field struct {
	name              string
	low, high, period int
	words             []string // names of the values, from low on
}

var fields = [...]field{
	minute:  {"minute", 0, 59, 60, nil},
	hour:    {"hour", 0, 23, 24, nil},
	day:     {"day of the month", 1, 31, 31, nil},
	month:   {"month", 1, 12, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	weekday: {"weekday", 0, 7, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun"}},
}

const minute, hour, day, month, weekday = 0, 1, 2, 3, 4

// Macros are names of whole expressions.
var Macros = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// An Expression says when something is due.
type Expression struct {
	every time.Duration       // of @every; 0 of the others
	set   [len(fields)]uint64 // of each field, a bit for each value
}

// Parse reads five fields, a name of [Macros], or @every and a duration of at least a second.
func Parse(text string) (*Expression, error) {
	e := &Expression{}
	text = strings.ToLower(strings.TrimSpace(text))
	if every, ok := strings.CutPrefix(text, "@every "); ok {
		d, err := time.ParseDuration(strings.TrimSpace(every))
		if err != nil || d < time.Second {
			return nil, fmt.Errorf("%q is not a duration of at least 1s, such as 90s or 1h30m", every)
		}
		e.every = d.Truncate(time.Second)
		return e, nil
	}
	if whole, ok := Macros[text]; ok {
		text = whole
	}
	parts := strings.Fields(text)
	if len(parts) != len(fields) {
		return nil, fmt.Errorf("a cron expression has five fields, got %d", len(parts))
	}
	for i, f := range fields {
		if e.set[i] = f.parse(parts[i]); e.set[i] == 0 {
			return nil, fmt.Errorf("%q is not the %s: expected *, or values of %d-%d with ',', '-' and '/'", parts[i], f.name, f.low, f.high)
		}
	}
	return e, nil
}

// parse returns the values of a field, a bit for each; 0 of a text that is not one.
func (f *field) parse(text string) (set uint64) {
	for part := range strings.SplitSeq(text, ",") {
		span, by, stepped := strings.Cut(part, "/")
		low, high, step := f.low, f.low+f.period-1, 1
		if span != "*" && span != "?" {
			from, to, several := strings.Cut(span, "-")
			low = f.value(from)
			switch {
			case several:
				high = f.value(to)
			case !stepped: // 5/10 has no end
				high = low
			}
			if low > high && high >= 0 && f.words != nil { // fri-mon
				high += f.period
			}
		}
		if stepped {
			n, err := strconv.ParseUint(by, 10, 8)
			if step = int(n); err != nil {
				return 0
			}
		}
		if low < 0 || high < low || step == 0 {
			return 0
		}
		for v := low; v <= high; v += step {
			set |= 1 << ((v-f.low)%f.period + f.low) // Sunday is 0 and 7
		}
	}
	return set
}

// value is that of a number or a word, -1 of another text.
func (f *field) value(text string) int {
	if i := slices.Index(f.words, text); i >= 0 {
		return f.low + i
	}
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil || int(n) < f.low || int(n) > f.high {
		return -1
	}
	return int(n)
}

func (e *Expression) has(field, value int) bool { return e.set[field]>>value&1 == 1 }

// all reports whether a field restricts nothing.
func (e *Expression) all(field int) bool {
	return bits.OnesCount64(e.set[field]) == fields[field].period
}

// onDay reports whether a day is one of the expression's. If both the day of the month and
// the weekday are restricted, either is enough.
func (e *Expression) onDay(d time.Time) bool {
	inMonth, inWeek := e.has(day, d.Day()), e.has(weekday, int(d.Weekday()))
	if e.all(day) || e.all(weekday) {
		return e.has(month, int(d.Month())) && inMonth && inWeek
	}
	return e.has(month, int(d.Month())) && (inMonth || inWeek)
}

// years is how far Next looks: 29 February may be eight years away.
const years = 9

// Next returns the first time after another at which the expression is due in a zone, zero if
// it never is. A time of day that the clock skips is due when it goes on, and one that it
// repeats is due once, unless every hour is one of the expression's.
func (e *Expression) Next(after time.Time, zone *time.Location) (next time.Time) {
	if e.every > 0 {
		return after.Truncate(time.Second).Add(e.every)
	}
	y, m, d := after.In(zone).Date()
	// The clock may go back to the day before, and skip a whole day.
	first := time.Date(y, m, d-1, 0, 0, 0, 0, time.UTC)
	for at := first; at.Before(first.AddDate(years, 0, 0)); at = at.AddDate(0, 0, 1) {
		found := !next.IsZero()
		if e.onDay(at) {
			e.earliest(at, after, zone, &next)
		}
		if found { // on the day before
			return next
		}
	}
	return next
}

// earliest makes next the first time on a day at which the expression is due after another,
// if it is earlier than next.
func (e *Expression) earliest(on, after time.Time, zone *time.Location, next *time.Time) {
	midnight := time.Date(on.Year(), on.Month(), on.Day(), 0, 0, 0, 0, zone)
	_, offset := midnight.Zone()
	begin, end := midnight.ZoneBounds()
	const near = 50 * time.Hour // a clock that is changed is by at most a day
	steady := midnight.Sub(begin) > near && (end.IsZero() || end.Sub(midnight) > near)
	for at := on; at.Day() == on.Day(); at = at.Add(time.Minute) {
		if !e.has(hour, at.Hour()) {
			at = at.Add(59 * time.Minute)
			continue
		}
		if !e.has(minute, at.Minute()) {
			continue
		}
		list := []time.Time{at.Add(-time.Duration(offset) * time.Second)}
		if !steady {
			list = e.instants(at, zone)
		}
		for _, t := range list {
			if t.After(after) && (next.IsZero() || t.Before(*next)) {
				*next = t.In(after.Location())
			}
		}
		if steady && list[0].After(after) {
			return
		}
	}
}

// instants are those at which the clock of a zone shows a time of day, in order.
func (e *Expression) instants(shown time.Time, zone *time.Location) (list []time.Time) {
	y, m, d := shown.Date()
	t := time.Date(y, m, d, shown.Hour(), shown.Minute(), 0, 0, zone)
	begin, end := t.ZoneBounds()
	for _, near := range [...]time.Time{begin.Add(-1), t, end} {
		_, offset := near.In(zone).Zone()
		at := shown.Add(-time.Duration(offset) * time.Second).In(zone)
		if _, there := at.Zone(); there == offset && !slices.ContainsFunc(list, at.Equal) {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, time.Time.Compare)
	_, offset := t.Zone()
	switch {
	case e.all(hour):
		return list
	case len(list) > 0:
		return list[:1]
	case t.Unix()+int64(offset) > shown.Unix(): // the clock skips it, and t is after that
		return []time.Time{begin}
	}
	return []time.Time{end}
}
