package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/models"
)

func TestModels(t *testing.T) {
	dir := folder(t, map[string]string{"patchbay.yaml": `models:
  fast: {api: openai, url: "http://127.0.0.1:11434/v1", model: small}
  good: {api: anthropic, url: "https://models.example.com/v1", model: large, key: "${KEY}", concurrency: 2, timeoutMs: 1000, maxTokens: 50}
`})
	cfg, found := load(t, config.Options{Dir: dir}, map[string]string{"KEY": "a-long-secret"})
	if len(found) > 0 {
		t.Fatal(found)
	}
	if diff := cmp.Diff([]models.Model{
		{Name: "fast", API: "openai", URL: "http://127.0.0.1:11434/v1", Model: "small", Concurrency: 4, Timeout: 2 * time.Minute, MaxTokens: 4096},
		{Name: "good", API: "anthropic", URL: "https://models.example.com/v1", Model: "large", Key: "a-long-secret", Concurrency: 2, Timeout: time.Second, MaxTokens: 50},
	}, cfg.Models); diff != "" {
		t.Error(diff)
	}
	if cfg.Redactor.Mask("a-long-secret") == "a-long-secret" {
		t.Error("the key is not masked")
	}
}

func TestWrongModels(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "expected a map", `{a: 1}`: "a map with api", `{"a/b": {}}`: "expected a name",
		`{a: {api: openai, url: "http://h/v1"}}`:                              "model is missing",
		`{a: {api: soap, url: "http://h/v1", model: m}}`:                      "openai or anthropic",
		`{a: {api: openai, url: "ftp://h/v1", model: m}}`:                     "address of the API",
		`{a: {api: openai, url: "http://h/v1", model: m, maxTokens: 0}}`:      "maxTokens",
		`{a: {api: openai, url: "http://h/v1", model: m, key: "${MISSING}"}}`: "MISSING",
	} {
		cfg, found := load(t, config.Options{Dir: folder(t, map[string]string{"patchbay.yaml": "models: " + text + "\n"})}, nil)
		if len(found) != 1 || !strings.Contains(found[0].Message, want) || len(cfg.Models) > 0 {
			t.Errorf("%s: %v, want %s; %v", text, summary(found), want, cfg.Models)
		}
	}
}
