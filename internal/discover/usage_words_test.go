package discover

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQueriesAreKeptWithoutValues(t *testing.T) {
	for query, want := range map[string]string{
		"send an email":                             "send an email",
		"read_file from S3 or k8s":                  "read_file from S3 or k8s",
		"mail to ada@example.com about 4711":        "mail to … about …",
		`find the customer "Ada Lovelace" quickly`:  "find the customer … quickly",
		"https://example.com/a?token=abc":           "…",
		"use sk-proj-Ab3dEf9hIjKlMnOpQrStUv please": "use … please",
		"order 12 34 of 2026-11-22":                 "order … of …",
		"don't list pull requests (open)!":          "don't list pull requests (open)!",
		"":                                          "",
	} {
		if got := anonymous(query); got != want {
			t.Errorf("%q is kept as %q, want %q", query, got, want)
		}
	}
}

func TestWordsOfSearchesAreCounted(t *testing.T) {
	u := newUsage(true)
	u.note("ada", "Send mail", 3, false)
	u.note("ada", "send send fax to 0401234", 0, false)
	if diff := cmp.Diff([]WordUse{{"send", 2, 1}, {"fax", 1, 1}, {"to", 1, 1}, {"mail", 1, 0}}, u.Words()); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	off := newUsage(false)
	off.note("ada", "send mail", 0, false)
	if len(off.Words()) != 0 || off.Searches.Load() != 1 {
		t.Errorf("words are kept although that is turned off: %v", off.Words())
	}
	for i := range 3 * maxWords {
		u.count(string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676)), 1)
	}
	if n := len(u.words); n > maxWords {
		t.Errorf("%d words are kept", n)
	}
	if w := u.Words(); len(w) != maxWordsShown {
		t.Errorf("%d words are shown", len(w))
	}
}
