// Package searchdata reads the tools and phrases of testdata/search. Only tests import
// it.
package searchdata

import (
	"os"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/specs"
)

// A Tool is a tool of one of the servers.
type Tool struct {
	Server, Name, Description string
	Parameters                []specs.Parameter
}

// Lines returns the lines of a file, without those that are empty or comments.
func Lines(t testing.TB, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// Tools returns the tools of servers.txt, by server and in its order.
func Tools(t testing.TB, path string) map[string][]Tool {
	t.Helper()
	all := map[string][]Tool{}
	var server string
	var words map[string]specs.Parameter
	for _, line := range Lines(t, path) {
		switch key, rest, _ := strings.Cut(line, " "); {
		case key == "server":
			server, words = rest, map[string]specs.Parameter{}
		case strings.HasPrefix(line, "  "):
			f := strings.SplitN(strings.TrimSpace(line), " ", 3)
			words[f[0]] = specs.Parameter{Name: f[0], Type: f[1], Description: f[2]}
		case key == "tool":
			name, rest, _ := strings.Cut(rest, "(")
			params, description, ok := strings.Cut(rest, ") ")
			if !ok {
				t.Fatalf("%s: %s", path, line)
			}
			all[server] = append(all[server], Tool{server, name, description, parameters(params, words)})
		}
	}
	return all
}

// parameters reads names between commas, a required one with a star. Those without
// words are strings.
func parameters(list string, words map[string]specs.Parameter) []specs.Parameter {
	var all []specs.Parameter
	for p := range strings.SplitSeq(list, ", ") {
		name, required := strings.CutSuffix(p, "*")
		if name == "" {
			continue
		}
		w, ok := words[name]
		if !ok {
			w = specs.Parameter{Name: name, Type: "string"}
		}
		w.Required = required
		all = append(all, w)
	}
	return all
}
