package main

import (
	"regexp"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// settingsPage lists the keys of patchbay.yaml.
func settingsPage() string {
	w := newPage("Settings", "The keys of `patchbay.yaml`. [Configuration](../configuration.md) says where the file is, and what variables and secrets are. `patchbay init` writes a file with every key explained.")
	for _, table := range []struct {
		title, intro string
		settings     []config.Setting
	}{
		{"patchbay.yaml", "", config.Settings()},
		{"Servers", "An entry of `servers`:", config.ServerSettings()},
		{"GraphQL APIs", "An entry of `graphql`:", config.GraphQLSettings()},
		{"OpenAPI APIs", "An entry of `openapi`:", config.OpenAPISettings()},
	} {
		w.line("## %s\n", table.title)
		if table.intro != "" {
			w.line("%s\n", table.intro)
		}
		w.head("key", "type", "default", "meaning")
		for _, s := range table.settings {
			w.row("`"+s.Key+"`", s.Type, s.Default, fromReference(s.Doc))
		}
		w.line("")
	}
	return w.page()
}

var linkTarget = regexp.MustCompile(`\]\(([^)]+)\)`)

// fromReference returns a text that links to pages in docs, or to headings of
// configuration.md, with links that hold in docs/reference.
func fromReference(text string) string {
	return linkTarget.ReplaceAllStringFunc(text, func(s string) string {
		switch target := s[2 : len(s)-1]; {
		case strings.Contains(target, "://"):
			return s
		case strings.HasPrefix(target, "#"):
			return "](../configuration.md" + target + ")"
		default:
			return "](../" + target + ")"
		}
	})
}
