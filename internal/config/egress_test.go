package config_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

func TestWeb(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `
egress:
  allow: ["https://api.example.com/v1", "${BASE}", "*.example.org"]
  private: [Intranet.example, "[::1]"]
  variables: {TOKEN: "https://api.example.com/", OTHER: [a.example, "http://b.example"], HOME: }
  timeoutMs: 1500
  maxBytes: 2048
`})
	cfg, list := load(t, config.Options{Dir: dir}, map[string]string{"BASE": "http://127.0.0.1:8080", "TOKEN": "tok-0815", "OTHER": "other-4711", "HOME": "/home/ann"})
	if len(list) > 0 {
		t.Fatalf("diagnostics: %v", summary(list))
	}
	web := cfg.Egress
	if diff := cmp.Diff([]string{"https://api.example.com/v1/", "http://127.0.0.1:8080/", "https://*.example.org/"}, shown(web.Allow)); diff != "" {
		t.Errorf("allow (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"intranet.example", "::1"}, web.Private); diff != "" {
		t.Error(diff)
	}
	if web.Timeout != 1500*time.Millisecond || web.MaxBytes != 2048 || web.Variables["TOKEN"].Value != "tok-0815" || len(web.Variables["HOME"].For) > 0 {
		t.Errorf("got %+v", web)
	}
	if diff := cmp.Diff([]string{"https://a.example/", "http://b.example/"}, shown(web.Variables["OTHER"].For)); diff != "" {
		t.Errorf("where OTHER may go (-want +got):\n%s", diff)
	}
	if got := cfg.Redactor.Redact("tok-0815 other-4711 /home/ann"); got != "*** *** ***" {
		t.Errorf("redacted: %s", got)
	}
	printed, err := json.Marshal(cfg)
	if all := fmt.Sprintf("%v %+v %#v %s", cfg, web, web, printed); err != nil || strings.Contains(all, "tok-0815") || strings.Contains(all, "other-4711") {
		t.Errorf("a secret is printed: %s, %v", all, err)
	}
}

func shown[T fmt.Stringer](list []T) []string {
	var texts []string
	for _, item := range list {
		texts = append(texts, item.String())
	}
	return texts
}

func TestWebFaults(t *testing.T) {
	for text, want := range map[string]string{
		`allow: 5`:                         "error bad-setting: egress.allow is 5, expected a list of URLs",
		`allow: ["ftp://x.example"]`:       `error bad-setting: egress.allow.0 is "ftp://x.example", expected the beginning of URLs, such as https://api.example.com/v1/`,
		`allow: ["${NOT_SET}"]`:            `error unset-variable: the environment variable "NOT_SET" is not set`,
		`private: ["http://x.example/"]`:   `error bad-setting: egress.private.0 is "http://x.example/", expected a host without scheme and port, such as intranet.example.com`,
		`variables: ["a b"]`:               `error bad-setting: egress.variables.0 is "a b", expected the name of an environment variable`,
		`variables: [NOT_SET]`:             `warning missing-variable: the environment variable "NOT_SET", for http nodes, is not set`,
		`variables: {TOKEN: "ftp://x"}`:    `error bad-setting: egress.variables.TOKEN is "ftp://x", expected the beginning of URLs, such as https://api.example.com/v1/`,
		`variables: {TOKEN: []}`:           "error bad-setting: egress.variables.TOKEN is a list, expected where it may be sent, such as https://api.example.com/",
		`timeoutMs: 0`:                     "error bad-setting: egress.timeoutMs is 0, expected a whole number from 1 to 31536000000",
		`maxBytes: big`:                    `error bad-setting: egress.maxBytes is "big", expected a whole number from 1 to 1073741824`,
		`allowed: ["https://x.example"]`:   `error unknown-setting: egress has the unknown key "allowed"`,
		`variables: ["${TOKEN}"]`:          "",
		`allow: "https://api.example.com"`: "",
	} {
		dir := folder(t, map[string]string{"patchbay.yaml": "egress:\n  " + text + "\n"})
		_, list := load(t, config.Options{Dir: dir}, map[string]string{"TOKEN": "x"})
		if got := strings.Join(summary(list), "; "); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// A variable whose bounds cannot be read must not become one without bounds.
func TestWebVariableWithFaultyBounds(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": "egress: {variables: {TOKEN: \"ftp://x\"}}\n"})
	cfg, _ := load(t, config.Options{Dir: dir}, map[string]string{"TOKEN": "tok-0815"})
	if v, ok := cfg.Egress.Variables["TOKEN"]; ok && len(v.For) == 0 {
		t.Error("the variable may go anywhere")
	}
}
