package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/cli"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

const repository = "../.."

// TestReferenceIsCurrent proves that docs/reference says what the program does.
func TestReferenceIsCurrent(t *testing.T) {
	pages, err := reference(t.Context(), filepath.Join(repository, "testdata", "err"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		got, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(referenceDir), filepath.FromSlash(p.name)))
		if err != nil {
			t.Errorf("%v: run make generate", err)
			continue
		}
		if diff := cmp.Diff(string(got), p.text); diff != "" {
			t.Errorf("%s/%s is not what the program says: run make generate (-committed +program):\n%s", referenceDir, p.name, diff)
		}
	}
	stray, err := strayPages(filepath.Join(repository, referenceDir), pages)
	if len(stray) > 0 || err != nil {
		t.Errorf("pages of rules that do not exist: run make generate: %q, %v", stray, err)
	}
}

// TestWriteRemovesStrayPages writes the reference where the page of a rule that no
// longer exists lies.
func TestWriteRemovesStrayPages(t *testing.T) {
	out := t.TempDir()
	stray := filepath.Join(out, rulesDir, "gone-rule.md")
	if err := os.MkdirAll(filepath.Dir(stray), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stray, []byte("# gone-rule\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), t.Output(), out, filepath.Join(repository, "testdata", "err")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stray); !os.IsNotExist(err) {
		t.Errorf("the page of a rule that does not exist is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(out, rulesDir, "dangling-edge.md")); err != nil {
		t.Error(err)
	}
}

// TestReferenceNamesEverything looks for what a reader would: every field of
// every node type, every argument of every tool, every command.
func TestReferenceNamesEverything(t *testing.T) {
	nodes := nodesPage()
	for _, k := range engine.Kinds() {
		for _, f := range k.Fields {
			if !strings.Contains(nodes, "| `"+f.Name+"` |") {
				t.Errorf("nodes.md does not name the field %s of %s", f.Name, k.Spec.NodeType)
			}
		}
	}
	tools, err := toolsPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## search_nodes", "| `query` | string | unless `similar_to` or `has` or `wants` |", "| `nodes` | array | yes |", "`patchbay://guide`", "`author_graph`"} {
		if !strings.Contains(tools, want) {
			t.Errorf("tools.md does not say %q", want)
		}
	}
	cli := cliPage()
	for _, want := range []string{"## patchbay serve", "--http ADDR", "## patchbay graphs save", "patchbay run FILE|NAME [KEY=VALUE…]"} {
		if !strings.Contains(cli, want) {
			t.Errorf("cli.md does not say %q", want)
		}
	}
}

// A fence is a block of text that a Markdown file shows.
type fence struct {
	file     string
	line     int
	language string
	text     string
}

// fences are those of every Markdown file of the repository that people write.
func fences(t *testing.T) []fence {
	t.Helper()
	var all []fence
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != repository || slices.Contains([]string{"node_modules", "testdata", "reference", rulesDir}, d.Name())) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		b, err := os.ReadFile(path)
		all = append(all, fencesOf(path, string(b))...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func fencesOf(path, text string) (list []fence) {
	open := ""
	for i, line := range strings.Split(text, "\n") {
		mark := strings.TrimSpace(line)
		switch {
		case open == "" && strings.HasPrefix(mark, "```"):
			open = mark[:3]
			list = append(list, fence{file: path, line: i + 1, language: strings.TrimSpace(mark[3:])})
		case open != "" && mark == open:
			open = ""
		case open != "":
			list[len(list)-1].text += line + "\n"
		}
	}
	return list
}

// TestFencesHold checks what the documents show: graphs pass the checker without
// a warning, configurations load, JSON is JSON, and commands exist.
func TestFencesHold(t *testing.T) {
	for _, variable := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(variable, t.TempDir())
	}
	// The requests of the documents are allowed.
	t.Setenv("API_TOKEN", "a-token-for-documents")
	own := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "patchbay")
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, config.FileName), []byte("egress: {allow: [\"https://api.example.com/\"], variables: [API_TOKEN]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, f := range fences(t) {
		kind := f.kind()
		seen[kind]++
		switch kind {
		case "graph":
			f.checkGraph(t)
		case "configuration":
			f.checkConfiguration(t, "patchbay.yaml", func(o *config.Options, path string) { o.File = path })
		case "servers":
			f.checkConfiguration(t, "mcp.json", func(o *config.Options, path string) { o.MCP = []string{path} })
		case "yaml", "json":
			var v any
			if err := yaml.Unmarshal([]byte(f.text), &v); err != nil {
				t.Errorf("%s:%d: %v", f.file, f.line, err)
			}
		case "commands":
			f.checkCommands(t)
		}
	}
	for _, kind := range []string{"graph", "configuration", "servers", "commands"} {
		if seen[kind] == 0 {
			t.Errorf("no document shows any %s: are fences still found?", kind)
		}
	}
}

// kind tells what a fence shows.
func (f fence) kind() string {
	var root map[string]any
	switch f.language {
	case "sh":
		return "commands"
	case "yaml", "json":
		_ = yaml.Unmarshal([]byte(f.text), &root)
	default:
		return ""
	}
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { _, ok := root[key]; return ok })
	}
	switch {
	case has("nodes", "tools"):
		return "graph"
	case f.language == "json" && has("mcpServers", "servers"):
		return "servers"
	case has("servers", "trust", "limits", "workspace", "http", "graphs"):
		return "configuration"
	}
	return f.language
}

func (f fence) checkGraph(t *testing.T) {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Execute(t.Context(), []string{"validate", "-", "--json"}, strings.NewReader(f.text), &out, &errs)
	var r struct {
		Warnings []any `json:"warnings"`
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%s:%d: %v\n%s%s", f.file, f.line, err, out.String(), errs.String())
	}
	if code != 0 || len(r.Warnings) > 0 {
		t.Errorf("%s:%d: the graph is not faultless:\n%s%s", f.file, f.line, out.String(), errs.String())
	}
}

func (f fence) checkConfiguration(t *testing.T, name string, use func(*config.Options, string)) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(f.text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := config.Options{Dir: dir, Environ: func(name string) (string, bool) { return "/value-of-" + name, true }}
	use(&o, path)
	cfg, found, err := config.Load(o)
	if err != nil {
		t.Errorf("%s:%d: %v", f.file, f.line, err)
	}
	if len(found) > 0 {
		t.Errorf("%s:%d: the configuration is not faultless:\n%s", f.file, f.line, cfg.Files[0].Render())
	}
}

// checkCommands looks for the verb and the flags of every line that calls
// patchbay.
func (f fence) checkCommands(t *testing.T) {
	t.Helper()
	for i, line := range strings.Split(f.text, "\n") {
		line, _, _ = strings.Cut(line, " # ")
		words := strings.Fields(line)
		if shell := slices.IndexFunc(words, func(w string) bool { return w == ">" || w == "|" }); shell >= 0 {
			words = words[:shell]
		}
		switch {
		case len(words) > 0 && words[0] == "patchbay":
			words = words[1:]
		case len(words) > 2 && words[0] == "go" && words[1] == "run" && words[2] == "./cmd/patchbay":
			words = words[3:]
		default:
			continue
		}
		c, rest, err := cli.Command().Find(words)
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err == nil && !c.Runnable() {
			t.Errorf("%s:%d: %q names no verb", f.file, f.line+1+i, line)
		}
		if err == nil && c.Args != nil {
			err = c.Args(c, c.Flags().Args())
		}
		if err != nil {
			t.Errorf("%s:%d: %v", f.file, f.line+1+i, err)
		}
	}
}
