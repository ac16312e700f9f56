package app_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
	"github.com/patchbay-mcp/patchbay/specs"
)

// shelf is the tools of testdata/search/servers.txt, by server, as their servers
// would list them.
func shelf(t testing.TB) map[string][]*specs.Spec {
	t.Helper()
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description,omitempty"`
	}
	all := map[string][]*specs.Spec{}
	var server string
	var words map[string]property
	for _, line := range textLines(t, "../../testdata/search/servers.txt") {
		switch key, rest, _ := strings.Cut(line, " "); {
		case key == "server":
			server, words = rest, map[string]property{}
		case strings.HasPrefix(line, "  "):
			f := strings.SplitN(strings.TrimSpace(line), " ", 3)
			words[f[0]] = property{f[1], f[2]}
		case key == "tool":
			name, rest, _ := strings.Cut(rest, "(")
			params, description, _ := strings.Cut(rest, ") ")
			schema := struct {
				Type       string              `json:"type"`
				Properties map[string]property `json:"properties"`
				Required   []string            `json:"required,omitempty"`
			}{Type: "object", Properties: map[string]property{}}
			for p := range strings.SplitSeq(params, ", ") {
				bare := strings.TrimSuffix(p, "*")
				if bare == "" {
					continue
				}
				if bare != p {
					schema.Required = append(schema.Required, bare)
				}
				schema.Properties[bare] = property{Type: "string"}
				if w, ok := words[bare]; ok {
					schema.Properties[bare] = w
				}
			}
			input, err := json.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			all[server] = append(all[server], downstream.Spec(&downstream.Tool{
				Server: server, Name: name, Description: description, InputSchema: input, Hash: "0123456789abcdef",
				OutputSchema: json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`),
			}))
		}
	}
	return all
}

func textLines(t testing.TB, path string) (lines []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		if line := sc.Text(); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	if sc.Err() != nil {
		t.Fatal(sc.Err())
	}
	return lines
}

// withShelf is a Patchbay over those tools, none of which can be called.
func withShelf(t testing.TB) *app.App {
	t.Helper()
	cat := catalog.New()
	n := 0
	for server, list := range shelf(t) {
		cat.Replace("server:"+server, list)
		n += len(list)
	}
	if n < 300 {
		t.Fatalf("the fixture has %d tools, want 300", n)
	}
	return app.New(app.Options{Catalog: cat})
}
