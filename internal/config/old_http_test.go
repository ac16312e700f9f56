package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// The section http is read as serve and egress, with a warning whose fix writes
// these and changes nothing else.
func TestOldHTTPSection(t *testing.T) {
	for text, want := range map[string]string{
		"http: {addr: \"127.0.0.1:80\"}\n":                                                    "serve: {addr: \"127.0.0.1:80\"}\n",
		"http:\n  allow: [https://a.example/]\n  maxBytes: 9\n":                               "egress:\n  allow: [https://a.example/]\n  maxBytes: 9\n",
		"exposeMax: 1\nhttp:\n  addr: 127.0.0.1:80 # here\n  allow: [https://a.example/]\n":   "",
		"http: {addr: \"127.0.0.1:80\", allow: [\"https://a.example/\"], allowedOrigins: []}": "",
		"http: {allow: [\"https://a.example/\"]}\nserve: {addr: \"127.0.0.1:80\"}\n":          "no fix",
	} {
		dir := folder(t, map[string]string{"patchbay.yaml": text})
		before, list := load(t, config.Options{Dir: dir}, nil)
		if got := strings.Join(summary(list), "; "); got != "warning old-setting: the section http is now serve and egress" {
			t.Errorf("%s: %s", text, got)
			continue
		}
		if want == "no fix" {
			if len(list[0].Fixes) > 0 {
				t.Errorf("%s: there is a fix", text)
			}
			continue
		}
		fixed := diag.ApplyEdits(text, list[0].Fixes[0].Edits)
		if want != "" && fixed != want {
			t.Errorf("%s becomes %s, want %s", text, fixed, want)
		}
		if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(fixed), 0o600); err != nil {
			t.Fatal(err)
		}
		after, list := load(t, config.Options{Dir: dir}, nil)
		if len(list) > 0 {
			t.Errorf("%s becomes %s: %v", text, fixed, summary(list))
		}
		if diff := cmp.Diff([]any{before.Serve, before.Egress.MaxBytes, shown(before.Egress.Allow), before.ExposeMax}, []any{after.Serve, after.Egress.MaxBytes, shown(after.Egress.Allow), after.ExposeMax}); diff != "" {
			t.Errorf("%s becomes %s: %s", text, fixed, diff)
		}
	}
}

// What is wrong in the old section is reported as in the new ones.
func TestFaultsInTheOldHTTPSection(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": "http: {addr: nowhere, alow: []}\n"})
	_, list := load(t, config.Options{Dir: dir}, nil)
	want := []string{
		"warning old-setting: the section http is now serve and egress",
		"error bad-setting: http.addr is \"nowhere\", expected host:port, such as 127.0.0.1:8080",
		"error unknown-setting: http has the unknown key \"alow\"",
	}
	if diff := cmp.Diff(want, summary(list)); diff != "" {
		t.Error(diff)
	}
}
