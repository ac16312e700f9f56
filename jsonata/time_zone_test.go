package jsonata

import (
	"strings"
	"testing"
)

// A time zone is a name, Z, or an offset with or without a colon, before UTC too.
func TestTimeZones(t *testing.T) {
	const picture = `"[Y]-[M01]-[D01] [H01]:[m01] [Z] [Z0] [z]"`
	for zone, want := range map[string]string{
		"Europe/Berlin":         "2024-06-10 08:13 +02:00 +2 GMT+02:00",
		"America/New_York":      "2024-06-10 02:13 -04:00 -4 GMT-04:00",
		"Asia/Kolkata":          "2024-06-10 11:43 +05:30 +5:30 GMT+05:30",
		"America/St_Johns":      "2024-06-10 03:43 -02:30 -2:30 GMT-02:30",
		"Pacific/Kiritimati":    "2024-06-10 20:13 +14:00 +14 GMT+14:00",
		"UTC":                   "2024-06-10 06:13 +00:00 +0 GMT+00:00",
		"Z":                     "2024-06-10 06:13 +00:00 +0 GMT+00:00",
		"0000":                  "2024-06-10 06:13 +00:00 +0 GMT+00:00",
		"+02:00":                "2024-06-10 08:13 +02:00 +2 GMT+02:00",
		"+0200":                 "2024-06-10 08:13 +02:00 +2 GMT+02:00",
		"-05:30":                "2024-06-10 00:43 -05:30 -5:30 GMT-05:30",
		"-0030":                 "2024-06-10 05:43 -00:30 -0:30 GMT-00:30",
		"nonsense":              "time-zone",
		"":                      "time-zone",
		"Local":                 "time-zone",
		"+2":                    "time-zone",
		"+25:00":                "time-zone",
		"+02:60":                "time-zone",
		"0200":                  "time-zone",
		"Europe/../Europe/Rome": "time-zone",
		"/etc/localtime":        "time-zone",
		"Europe/Berlin\x20":     "time-zone",
	} {
		if want != "time-zone" {
			want = `"` + want + `"`
		}
		if got := outcomeOf(t, `$fromMillis(1718000000000, `+picture+`, "`+zone+`")`, "{}"); got != want {
			t.Errorf("%q gives %s, want %s", zone, got, want)
		}
		if now := outcomeOf(t, `$now("[Z]", "`+zone+`")`, "{}"); (now == "time-zone") != (want == "time-zone") {
			t.Errorf("$now in %q: %s", zone, now)
		}
	}
	for src, want := range map[string]string{
		`$fromMillis(1711846799000, "[H01]:[m01]:[s01][Z]", "Europe/Berlin")`: `"01:59:59+01:00"`, // a second before summer time
		`$fromMillis(1711846800000, "[H01]:[m01]:[s01][Z]", "Europe/Berlin")`: `"03:00:00+02:00"`,
		`$fromMillis(0, (), "Europe/Berlin")`:                                 `"1970-01-01T01:00:00.000+01:00"`,
	} {
		if got := outcomeOf(t, src, "{}"); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
	_, err := compile(t, `$now((), "Europe/Belrin")`).Eval(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), `$now: unknown time zone "Europe/Belrin": expected a name such as Europe/Berlin, UTC, Z, or an offset such as +02:00 or +0200`) {
		t.Error(err)
	}
}

// What is written with an offset is read with it, in each form.
func TestOffsetsAreRead(t *testing.T) {
	for _, zone := range []string{"Z", "+0200", "-0530", "-0030", "Asia/Kathmandu", "America/St_Johns"} {
		for _, marker := range []string{"[Z]", "[Z0101t]", "[Z01:01t]", "[z]", "[Z0]"} {
			picture := `"[Y]-[M01]-[D01] [H01]:[m01]:[s01] ` + marker + `"`
			src := `$toMillis($fromMillis(1718000000000, ` + picture + `, "` + zone + `"), ` + picture + `)`
			if got := outcomeOf(t, src, "{}"); got != "1718000000000" {
				t.Errorf("%s is %s", src, got)
			}
		}
	}
	for text, want := range map[string]string{"Z": "0", "UTC": "0", "+0200": "-7200000", "+02:00": "-7200000", "-0530": "19800000", "CET": "undefined"} {
		if got := outcomeOf(t, `$toMillis("1970-01-01 `+text+`", "[Y]-[M01]-[D01] [Z]")`, "{}"); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
