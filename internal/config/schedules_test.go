package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

func TestSchedulesAndWebhooks(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `schedules:
  - {graph: report, cron: "0 6 * * *", timezone: Europe/Berlin, arguments: {days: 1, deep: {b: 1.50}}}
  - {graph: report, cron: "@hourly", name: often}
webhooks:
  deployed: {graph: after, secret: "${SECRET}", body: payload}
links: {notify: tell, hours: 1}
`})
	cfg, found := load(t, config.Options{Dir: dir}, map[string]string{"SECRET": "a-long-secret"})
	if len(found) > 0 || len(cfg.Schedules) != 2 {
		t.Fatal(found, cfg.Schedules)
	}
	if s := cfg.Schedules[0]; s.Name != "report" || s.Zone != "Europe/Berlin" || string(s.Arguments) != `{"days":1,"deep":{"b":1.50}}` || cfg.Schedules[1].Name != "often" {
		t.Errorf("schedules: %+v", cfg.Schedules)
	}
	if diff := cmp.Diff([]config.Webhook{{Name: "deployed", Graph: "after", Body: "payload", Secret: "a-long-secret"}}, cfg.Webhooks); diff != "" {
		t.Error(diff)
	}
	if cfg.Links != (config.Links{Notify: "tell", Hours: 1}) || cfg.Redactor.Mask("a-long-secret") == "a-long-secret" {
		t.Errorf("%+v", cfg.Links)
	}
}

func TestWrongSchedulesAndWebhooks(t *testing.T) {
	for text, want := range map[string]string{
		`schedules: [{graph: g}]`:                                              "there is no cron",
		`schedules: [{cron: "@daily"}]`:                                        "there is no graph",
		`schedules: [{graph: g, cron: daily}]`:                                 "cannot be read",
		`schedules: [{graph: g, cron: "@daily", timezone: Nowhere}]`:           "unknown time zone",
		`schedules: [{graph: g, cron: "@daily"}, {graph: g, cron: "@hourly"}]`: "two schedules",
		`schedules: [{graph: g, cron: "@daily", arguments: [1]}]`:              "expected a map of arguments",
		`webhooks: {a: {graph: g, token: ""}}`:                                 "not empty",
		`webhooks: {a: {graph: g, secret: "${NONE}"}}`:                         "NONE",
		`webhooks: {"a/b": {graph: g}}`:                                        "expected a name",
		`webhooks: {a: {tokens: x, graph: g}}`:                                 "tokens",
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
