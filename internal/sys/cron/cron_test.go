package cron

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the tests, also where the system has none
)

// zone is a time zone by its name.
func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Each case has the times at which an expression is due after another time, by the clock of
// its zone, with the offset where that matters.
func TestNext(t *testing.T) {
	for _, test := range []struct{ text, zone, after, want string }{
		{"*/20 * * * *", "UTC", "2026-03-28T12:00:00Z", "28 12:20, 28 12:40, 28 13:00"},
		{"* * * * *", "UTC", "2026-12-31T23:58:59.5Z", "31 23:59, 01 00:00"},
		{"0 9-17/4 * * *", "UTC", "2026-03-28T12:00:00Z", "28 13:00, 28 17:00, 29 09:00"},
		{"5/25 3 * * *", "UTC", "2026-03-28T12:00:00Z", "29 03:05, 29 03:30, 29 03:55, 30 03:05"},
		{"0 0 1,15 * *", "UTC", "2026-03-02T00:00:00Z", "15 00:00, 01 00:00"},
		{"0 9 * * MON-Fri", "UTC", "2026-03-27T09:00:00Z", "30 09:00, 31 09:00"},
		{"0 9 * * fri-mon", "UTC", "2026-03-27T09:00:00Z", "28 09:00, 29 09:00, 30 09:00, 03 09:00"},
		{"0 9 ? * 7", "UTC", "2026-03-27T09:00:00Z", "29 09:00, 05 09:00"},
		{"0 9 * * 0", "UTC", "2026-03-27T09:00:00Z", "29 09:00, 05 09:00"},
		{"0 0 13 * fri", "UTC", "2026-02-07T00:00:00Z", "13 00:00, 20 00:00, 27 00:00, 06 00:00, 13 00:00"}, // either day
		{"0 0 13 * 0-7", "UTC", "2026-02-07T00:00:00Z", "13 00:00, 13 00:00"},                               // every weekday restricts nothing
		{"0 0 * nov-feb *", "UTC", "2026-02-27T00:00:00Z", "28 00:00, 01 00:00"},
		{"0 0 31 * *", "UTC", "2026-03-31T00:00:00Z", "31 00:00, 31 00:00"},
		{"@hourly", "UTC", "2026-03-28T12:00:00Z", "28 13:00"},
		{"@weekly", "UTC", "2026-03-28T12:00:00Z", "29 00:00, 05 00:00"},
		{"@Yearly", "UTC", "2026-03-28T12:00:00Z", "01 00:00"},
		{"@every 90s", "UTC", "2026-03-28T12:00:00.7Z", "28 12:01, 28 12:03"},
		{"0 9 * * *", "Asia/Kathmandu", "2026-03-28T03:15:00Z", "29 09:00 +0545"},
		{"0 0 * * *", "Pacific/Kiritimati", "2026-03-28T09:59:00Z", "29 00:00 +1400"},

		// Berlin's clock goes from 02:00 to 03:00 on 29 March, and from 03:00 to 02:00 on 25 October.
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "29 03:00 +0200, 30 02:30 +0200"},
		{"0,15,30 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "29 03:00, 29 03:15, 29 03:30, 30 02:00"},
		{"30 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", "29 01:30 +0100, 29 03:30 +0200"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "25 02:30 +0200, 26 02:30 +0100"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T00:45:00Z", "26 02:30 +0100"},
		{"30 * * * *", "Europe/Berlin", "2026-10-24T23:40:00Z", "25 02:30 +0200, 25 02:30 +0100, 25 03:30 +0100"},
		{"*/30 * * * *", "Europe/Berlin", "2026-10-24T23:40:00Z", "25 02:00 +0200, 25 02:30 +0200, 25 02:00 +0100, 25 02:30 +0100, 25 03:00 +0100"},
		{"@every 1h", "Europe/Berlin", "2026-10-24T23:40:00Z", "25 02:40 +0200, 25 02:40 +0100"},
		// Lord Howe's goes back half an hour; Havana's from 01:00 to 00:00; St. John's went from
		// 00:01 to 23:01 of the day before; São Paulo's skipped midnight; Apia's a whole day.
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", "05 01:45 +1100, 06 01:45 +1030"},
		{"30 0 * * *", "America/Havana", "2026-10-31T12:00:00Z", "01 00:30 -0400, 02 00:30 -0500"},
		{"0,30 * * * *", "America/St_Johns", "2010-11-07T02:20:00Z", "07 00:00 -0230, 06 23:30 -0330, 07 00:00 -0330"},
		{"0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "04 01:00 -0200, 05 00:00 -0200"},
		{"0 12 * * *", "Pacific/Apia", "2011-12-29T22:30:00Z", "31 00:00 +1400, 31 12:00 +1400"},
	} {
		e, err := Parse(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		in := zone(t, test.zone)
		at, err := time.Parse(time.RFC3339, test.after)
		if err != nil {
			t.Fatal(err)
		}
		for want := range strings.SplitSeq(test.want, ", ") {
			at = e.Next(at, in)
			if got := at.In(in).Format("02 15:04 -0700"); !strings.HasPrefix(got, want) || at.Location() != time.UTC {
				t.Errorf("%s in %s after %s: %s, want %s", test.text, test.zone, test.after, got, want)
			}
		}
	}
}

// The search ends: at the next 29 February, also over a century without one, or without a time.
func TestNextEnds(t *testing.T) {
	for text, want := range map[string]string{"0 0 29 2 *": "2104-02-29", "0 0 30 2 *": "0001-01-01", "0 0 31 4,6,9,11 *": "0001-01-01"} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Next(time.Date(2096, 2, 29, 0, 0, 0, 0, time.UTC), time.UTC).Format(time.DateOnly); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "five fields, got 0",
		"0 6 * *":           "five fields, got 4",
		"0 0 7 * * 1-5":     "five fields, got 6",
		"@often":            "five fields, got 1",
		"60 * * * *":        `"60" is not the minute: expected *, or values of 0-59`,
		"-1 * * * *":        "is not the minute",
		"+1 * * * *":        "is not the minute",
		"1,,2 * * * *":      "is not the minute",
		"1- * * * *":        "is not the minute",
		"1-2-3 * * * *":     "is not the minute",
		"*/0 * * * *":       "is not the minute",
		"*/ * * * *":        "is not the minute",
		"*/1000 * * * *":    "is not the minute",
		"* 18-8 * * *":      "is not the hour",
		"* * 0 * *":         "is not the day of the month",
		"* * * 13 *":        "is not the month",
		"* * * * 8":         "is not the weekday",
		"* * * * noday":     "is not the weekday",
		"* * * * mon-noday": "is not the weekday",
		"@every 500ms":      "at least 1s",
		"@every day":        "at least 1s",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Random expressions are due when a clock that is read every minute shows one of their times.
func TestNextIsWhatTheClockShows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	in := zone(t, "Europe/Berlin")
	for range 30 {
		text := strings.Join([]string{pick("*", "*/7", "0", "13,44", "50-59"), "*", pick("*", "1-7", "*/2", "29"), pick("*", "mar", "3-11/4"), pick("*", "1-5", "sun", "*/3")}, " ")
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 3, 25, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(1<<20)) * time.Second)
		got := e.Next(at, in)
		want := at.Truncate(time.Minute)
		for range 60 * 24 * 40 {
			if want = want.Add(time.Minute); e.shows(want.In(in)) {
				break
			}
		}
		if e.shows(want.In(in)) && !got.Equal(want) {
			t.Errorf("%s after %s: %s, want %s", text, at, got, want)
		}
	}
}

func (e *Expression) shows(t time.Time) bool {
	return e.onDay(t) && e.has(hour, t.Hour()) && e.has(minute, t.Minute())
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"0 9 * * MON-FRI", "@every 1h", "*/7 5/3 1-31/2 nov-feb fri-mon", "0 0 29 2 *"} {
		f.Add(text, int64(1_790_000_000))
	}
	in := zone(f, "America/Havana")
	f.Fuzz(func(t *testing.T, text string, after int64) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		from := time.Unix(after%(1<<33), 0)
		if next := e.Next(from, in); !next.IsZero() && !next.After(from) {
			t.Errorf("%q after %s: %s", text, from, next)
		}
	})
}

func BenchmarkNext(b *testing.B) {
	in := zone(b, "Europe/Berlin")
	for _, text := range []string{"* * * * *", "30 6 * * 1-5", "0 0 29 2 *"} {
		e, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				e.Next(time.Date(2026, 11, 27, 12, 3, 0, 0, time.UTC), in)
			}
		})
	}
}
