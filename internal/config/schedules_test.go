package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

func TestSchedulesAndWebhooks(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `schedules:
  - {graph: report, cron: "0 6 * * *", timezone: Europe/Berlin, arguments: {days: 1, deep: {b: 1.50}}}
  - {graph: report, cron: "@hourly", name: often}
webhooks:
  deployed: {graph: after, secret: "${SECRET}", body: payload, headers: {event: X-GitHub-Event}, query: {team: t}, signature: {header: X-Sum, prefix: "h1=", timestamp: "ts=", template: "{timestamp}:{body}", toleranceMs: 60000}}
links: {notify: tell, hours: 1}
`})
	cfg, found := load(t, config.Options{Dir: dir}, map[string]string{"SECRET": "a-long-secret"})
	if len(found) > 0 || len(cfg.Schedules) != 2 {
		t.Fatal(found, cfg.Schedules)
	}
	if s := cfg.Schedules[0]; s.Name != "report" || s.Zone != "Europe/Berlin" || string(s.Arguments) != `{"days":1,"deep":{"b":1.50}}` || cfg.Schedules[1].Name != "often" {
		t.Errorf("schedules: %+v", cfg.Schedules)
	}
	if diff := cmp.Diff([]config.Webhook{{Name: "deployed", Graph: "after", Body: "payload", Secret: "a-long-secret", Headers: map[string]string{"event": "X-GitHub-Event"}, Query: map[string]string{"team": "t"}, Signature: &config.Signature{Header: "X-Sum", Prefix: "h1=", Algorithm: "sha256", Template: "{timestamp}:{body}", Timestamp: "ts=", Tolerance: time.Minute}}}, cfg.Webhooks); diff != "" {
		t.Error(diff)
	}
	if cfg.Links != (config.Links{Notify: "tell", Hours: 1}) || cfg.Redactor.Mask("a-long-secret") == "a-long-secret" {
		t.Errorf("%+v", cfg.Links)
	}
}

func TestWrongSchedulesAndWebhooks(t *testing.T) {
	for text, want := range map[string]string{
		`schedules: [{graph: g}]`:                                                                "cron is missing",
		`schedules: [{cron: "@daily"}]`:                                                          "graph is missing",
		`schedules: [{graph: g, cron: daily}]`:                                                   "cannot be read",
		`schedules: [{graph: g, cron: "@daily", timezone: Nowhere}]`:                             "unknown time zone",
		`schedules: [{graph: g, cron: "@daily"}, {graph: g, cron: "@hourly"}]`:                   "two schedules",
		`schedules: [{graph: g, cron: "@daily", arguments: [1]}]`:                                "expected a map of arguments",
		`webhooks: {a: {graph: g, token: ""}}`:                                                   "not empty",
		`webhooks: {a: {graph: g, secret: "${NONE}"}}`:                                           "NONE",
		`webhooks: {"a/b": {graph: g}}`:                                                          "expected a name",
		`webhooks: {a: {tokens: x, graph: g}}`:                                                   "tokens",
		`webhooks: {a: {graph: g, headers: [X-A]}}`:                                              "expected a map of arguments to names",
		`webhooks: {a: {graph: g, query: {a: 1}}}`:                                               "expected a string",
		`webhooks: {a: {graph: g, secret: s3, signature: {}}}`:                                   "header is missing",
		`webhooks: {a: {graph: g, signature: {header: X}}}`:                                      "a signature and no secret",
		`webhooks: {a: {graph: g, secret: s3, signature: {header: X, algorithm: md5}}}`:          `"md5", expected sha1, sha256 or sha512`,
		`webhooks: {a: {graph: g, secret: s3, signature: {header: X, template: "{url}{body}"}}}`: `has "{url}", which is not one of`,
		`webhooks: {a: {graph: g, secret: s3, signature: {header: X, template: "{id}{body}"}}}`:  "the signature has no id",
		`webhooks: {a: {graph: g, secret: s3, signature: {header: X, template: "x"}}}`:           "has no {body}",
		`webhooks: {a: {graph: g, secret: s3, signature: {header: X, timestamp: X-T}}}`:          "is not signed",
		`webhooks: {a: {graph: g, secret: s3, signature: {header: X, toleranceMs: 0}}}`:          "toleranceMs",
	} {
		cfg, found := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": text + "\n"})}, nil)
		if len(found) != 1 || !strings.Contains(found[0].Message, want) {
			t.Errorf("%s: %v, want %s", text, summary(found), want)
		}
		if text[0] == 'w' && text != `webhooks: {a: {tokens: x, graph: g}}` && len(cfg.Webhooks) > 0 {
			t.Errorf("%s is offered", text)
		}
	}
}
