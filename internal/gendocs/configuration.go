package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// configurationName is a page that people write, but for the tables of its keys.
const configurationName = "configuration.md"

// configurationPage is the page in dir with its tables as the program has them.
func configurationPage(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, configurationName))
	if err != nil {
		return "", err
	}
	text, err := replaceSection(string(b), "settings", settingsTable(config.Settings()))
	if err != nil {
		return "", err
	}
	for name, settings := range map[string][]config.Setting{"server settings": config.ServerSettings(), "graphql settings": config.GraphQLSettings(), "openapi settings": config.OpenAPISettings()} {
		if text, err = replaceSection(text, name, settingsTable(settings)); err != nil {
			return "", err
		}
	}
	return text, nil
}

func settingsTable(settings []config.Setting) string {
	w := &writer{}
	w.head("key", "type", "default", "meaning")
	for _, s := range settings {
		w.row("`"+s.Key+"`", s.Type, s.Default, s.Doc)
	}
	return w.String()
}

// replaceSection puts text between the marks of a section.
func replaceSection(page, name, text string) (string, error) {
	from, to := "<!-- "+name+": written by make generate -->\n", "<!-- end of "+name+" -->"
	before, rest, begun := strings.Cut(page, from)
	_, after, ended := strings.Cut(rest, to)
	if !begun || !ended {
		return "", fmt.Errorf("no section %q between %q and %q", name, from, to)
	}
	return before + from + "\n" + text + "\n" + to + after, nil
}
