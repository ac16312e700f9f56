package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/openapi"
)

func TestOpenAPIEntries(t *testing.T) {
	cfg, found := loadAPIs(t, `
openapi:
  pets: pets.yaml
  shop:
    source: https://docs.example.com/openapi.json
    url: https://shop.example.com/v1
    variables: {region: eu}
    headers: {X-Team: "team-secret-value"}
    auth:
      bearerAuth: ${TOKEN}
      login: {username: ann, password: "a-password-${TOKEN}"}
      oauth: {clientId: me, clientSecret: the-client-secret, tokenUrl: "https://login.example.com/token", scopes: [read, write], parameters: {audience: "https://shop.example.com"}}
    include: ["tag:orders", "GET /**"]
    exclude: deleteOrder
    deprecated: true
    prefix: s
    with: [status, headers]
  two: [{source: a.yaml, prefix: a}, {source: b.yaml}]
`)
	if found != "" {
		t.Fatal(found)
	}
	dir := filepath.Dir(cfg.File)
	want := map[string][]openapi.Options{
		"pets": {{Source: filepath.Join(dir, "pets.yaml")}},
		"shop": {{
			Source: "https://docs.example.com/openapi.json", URL: "https://shop.example.com/v1",
			Variables: map[string]string{"region": "eu"}, Headers: map[string]string{"X-Team": "team-secret-value"},
			Auth: map[string]openapi.Credential{
				"bearerAuth": {Token: "a-long-secret-value"}, "login": {Username: "ann", Password: "a-password-a-long-secret-value"},
				"oauth": {ClientID: "me", ClientSecret: "the-client-secret", TokenURL: "https://login.example.com/token", Scopes: []string{"read", "write"}, Parameters: map[string]string{"audience": "https://shop.example.com"}},
			},
			Include: []string{"tag:orders", "GET /**"}, Exclude: []string{"deleteOrder"}, Deprecated: true, Prefix: "s", With: []string{"status", "headers"},
		}},
		"two": {{Source: filepath.Join(dir, "a.yaml"), Prefix: "a"}, {Source: filepath.Join(dir, "b.yaml")}},
	}
	for _, s := range cfg.Servers {
		if s.Transport != config.OpenAPI || !s.Trusted || s.Problem != nil {
			t.Errorf("%s: %s, trusted %v, %v", s.Name, s.Transport, s.Trusted, s.Problem)
		}
		if diff := cmp.Diff(want[s.Name], s.OpenAPI); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
	}
	if len(cfg.Servers) != len(want) {
		t.Errorf("%d servers", len(cfg.Servers))
	}
	for _, secret := range []string{"a-long-secret-value", "a-password-a-long-secret-value", "the-client-secret", "team-secret-value"} {
		if got := cfg.Redactor.Redact("sent " + secret + " there"); got != "sent *** there" {
			t.Errorf("%s is not masked: %s", secret, got)
		}
	}
}

func TestOpenAPIEntriesThatAreWrong(t *testing.T) {
	for entry, want := range map[string]string{
		`{}`:                          `openapi "x" has no source`,
		`[]`:                          `openapi "x" has no entry`,
		`true`:                        `openapi "x" is a boolean, not a map`,
		`{source: a.yaml, url: /v1}`:  `url of openapi "x" is not an http or https URL`,
		`{source: a.yaml, auth: tok}`: `auth of openapi "x" is text, not a map`,
		`{source: a.yaml, auth: {t: {user: ann}}}`:        `auth.t has the unknown key "user"`,
		`{source: a.yaml, auth: {t: {tokenUrl: /token}}}`: `tokenUrl of openapi "x" is not an http or https URL`,
		`{source: a.yaml, auth: {t: "${UNSET}"}}`:         `server "x" needs the environment variable "UNSET", which is not set`,
		`{source: a.yaml, server: b}`:                     `openapi "x" has the unknown key "server"`,
	} {
		cfg, found := loadAPIs(t, "openapi:\n  x: "+entry+"\n")
		if !strings.Contains(found, want) {
			t.Errorf("%s: %q, want %q", entry, found, want)
		}
		if len(cfg.Servers) != 1 || cfg.Servers[0].Problem == nil && !strings.Contains(want, "unknown key") {
			t.Errorf("%s: the server has no problem", entry)
		}
	}
}
