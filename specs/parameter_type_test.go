package specs_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

func TestTextFault(t *testing.T) {
	for _, tc := range []struct{ typ, text, why, meant string }{
		{"string", "", "", ""},
		{"url", "https://api.example/v1?a=b", "", ""},
		{"url", "ftp://files.example/x", "", ""},
		{"url", "", "it is empty, expected a URL", ""},
		{"url", "api.example/v1", "it is not a URL: it has no scheme", "https://api.example/v1"},
		{"url", "localhost:8080/x", "it is not a URL: it has no scheme", "https://localhost:8080/x"},
		{"url", " https://api.example ", "a URL has no spaces around it", "https://api.example"},
		{"url", "/v1/rates", "it is not a URL: expected <scheme>://<host>", ""},
		{"url", "some words", "it is not a URL: expected <scheme>://<host>", ""},
		{"email", "ada@example.com", "", ""},
		{"email", "Ada <ada@example.com>", "expected an email address alone", "ada@example.com"},
		{"email", "mailto:ada@example.com", "expected an email address alone", "ada@example.com"},
		{"email", "ada at example.com", "it is not an email address: expected <name>@<host>", ""},
		{"cron", "0 7 * * 1-5", "", ""},
		{"cron", "*/15 8-18 1,15 jan-jun Mon", "", ""},
		{"cron", "0 7 * * fri-mon", "", ""},
		{"cron", "0 0 7 * * 1-5", "a cron expression has five fields, got 6; the first is for seconds", "0 7 * * 1-5"},
		{"cron", "@daily", "a cron expression has five fields", "0 0 * * *"},
		{"cron", "every morning", "a cron expression has five fields, got 2", ""},
		{"cron", "61 7 * * *", `"61" is not the minute: expected *, or values of 0-59 with ',', '-' and '/'`, ""},
		{"cron", "0 18-8 * * *", `"18-8" is not the hour: expected *, or values of 0-23 with ',', '-' and '/'`, ""},
		{"cron", "*/0 * * * *", `"*/0" is not the minute: expected *, or values of 0-59 with ',', '-' and '/'`, ""},
		{"file", "/data/a.csv", "", ""},
		{"file", " ", "it is empty, expected the path or URL of a file", ""},
		{"json", `{"a": 1}`, "", ""},
		{"json", `{a: 1}`, "it is not JSON", ""},
	} {
		why, meant := specs.TextFault(tc.typ, tc.text)
		if why != tc.why || meant != tc.meant {
			t.Errorf("%s %q: %q, meant %q; want %q, meant %q", tc.typ, tc.text, why, meant, tc.why, tc.meant)
		}
	}
}

// TestParameterTypesAreJSON has a type of JSON for each type that is not written as any value.
func TestParameterTypesAreJSON(t *testing.T) {
	free := map[string]bool{"any": true, "jsonlogic": true, "json": true, "enum": true}
	for _, typ := range specs.ParameterTypes {
		if got := specs.JSONTypes(typ); (len(got) == 0) != free[typ] {
			t.Errorf("values of type %s are %v", typ, got)
		}
	}
}
