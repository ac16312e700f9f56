package config_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/graphql"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

func loadAPIs(t *testing.T, text string) (*config.Config, string) {
	t.Helper()
	dir := folder(t, map[string]string{config.FileName: text})
	cfg, found := load(t, config.Options{Dir: dir}, map[string]string{"HOME": dir, "TOKEN": "a-long-secret-value"})
	return cfg, strings.Join(summary(found), "\n")
}

func TestGraphQLEntries(t *testing.T) {
	cfg, found := loadAPIs(t, `
graphql:
  live: https://api.example.com/graphql
  shop:
    source: schemas/*.graphql
    endpoint: https://shop.example.com/graphql
    headers: {Authorization: "Bearer ${TOKEN}"}
    mutations: all
    include: [user, "order*"]
    depth: {"*": 2, user: 4}
    scalars: {Money: string, Point: {type: object}}
  two:
    - {source: https://a.example.com/graphql, prefix: a}
    - {source: https://b.example.com/graphql, mutations: none}
`)
	if found != "" {
		t.Fatal(found)
	}
	dir := filepath.Dir(cfg.File)
	want := map[string][]graphql.Options{
		"live": {{Source: "https://api.example.com/graphql"}},
		"shop": {{
			Source: filepath.Join(dir, "schemas", "*.graphql"), Endpoint: "https://shop.example.com/graphql",
			Headers: map[string]string{"Authorization": "Bearer a-long-secret-value"}, Mutations: []string{"*"}, Include: []string{"user", "order*"},
			Depth: 2, Depths: map[string]int{"user": 4}, Scalars: map[string]json.RawMessage{"Money": json.RawMessage(`{"type":"string"}`), "Point": json.RawMessage(`{"type":"object"}`)},
		}},
		"two": {{Source: "https://a.example.com/graphql", Prefix: "a"}, {Source: "https://b.example.com/graphql"}},
	}
	for _, s := range cfg.Servers {
		if s.Transport != config.GraphQL || !s.Trusted || s.Problem != nil {
			t.Errorf("%s: %s, trusted %v, %v", s.Name, s.Transport, s.Trusted, s.Problem)
		}
		if diff := cmp.Diff(want[s.Name], s.GraphQL); diff != "" {
			t.Errorf("%s: %s", s.Name, diff)
		}
	}
	if len(cfg.Servers) != len(want) {
		t.Errorf("%d servers", len(cfg.Servers))
	}
	if got := cfg.Redactor.Redact("Bearer a-long-secret-value"); strings.Contains(got, "secret") {
		t.Errorf("the header is not masked: %s", got)
	}
}

func TestGraphQLEntriesThatAreWrong(t *testing.T) {
	for entry, want := range map[string]string{
		`{}`:                       `graphql "x" has no source`,
		`{source: schema.graphql}`: `graphql "x" has no endpoint`,
		`[]`:                       `graphql "x" has no entry`,
		`3`:                        `graphql "x" is a number, not a map`,
		`{source: a.graphql, endpoint: /graphql}`:         `endpoint of graphql "x" is not an http or https URL`,
		`{source: https://h/g, depth: 11}`:                `depth of graphql "x" is not a number from 1 to 10`,
		`{source: https://h/g, scalars: {Money: money}}`:  `scalars.Money of graphql "x" is not a JSON Schema`,
		`{source: https://h/g, headers: {A: "${UNSET}"}}`: `server "x" needs the environment variable "UNSET", which is not set`,
	} {
		cfg, found := loadAPIs(t, "graphql:\n  x: "+entry+"\n")
		if !strings.Contains(found, want) {
			t.Errorf("%s: %q, want %q", entry, found, want)
		}
		if len(cfg.Servers) != 1 || cfg.Servers[0].Problem == nil {
			t.Errorf("%s: the server has no problem", entry)
		}
	}
}
