package graphfiles_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

const counting = `# counts files
name: count_files
description: Counts   # odd   spacing stays
outputSchema: {type: object}
inputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit}
`

func open(t *testing.T, files map[string]string) (*graphfiles.Graphs, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return g, dir
}

func mustSave(t *testing.T, g *graphfiles.Graphs, name, src string, o graphfiles.SaveOptions) *graphfiles.Graph {
	t.Helper()
	saved, f := g.Save(name, src, o)
	if f != nil {
		t.Fatalf("save %s: %s (%s)", name, f.Message, f.Hint)
	}
	return saved
}

func code(f *diag.Fault) string {
	if f == nil {
		return "none"
	}
	return f.Code
}

func listed(g *graphfiles.Graphs) (names, broken []string) {
	list, bad := g.List()
	for _, s := range list {
		names = append(names, s.Name)
	}
	for _, b := range bad {
		broken = append(broken, b.Name+": "+b.Fault.Message)
	}
	return names, broken
}

func TestSavedTextIsTheAuthors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	g, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if names, broken := listed(g); len(names)+len(broken) > 0 {
		t.Errorf("a missing directory lists %v, %v", names, broken)
	}
	saved := mustSave(t, g, "count_files", counting, graphfiles.SaveOptions{})
	if diff := cmp.Diff(counting, saved.Src); diff != "" {
		t.Error(diff)
	}
	onDisk, err := os.ReadFile(filepath.Join(dir, "count_files.yaml"))
	if err != nil || string(onDisk) != counting {
		t.Errorf("file holds %q, %v", onDisk, err)
	}
	if saved.Revision != graph.Revision(counting) || saved.Expose != nil || saved.Modified.IsZero() {
		t.Errorf("revision %q, expose %v, modified %v", saved.Revision, saved.Expose, saved.Modified)
	}
	got, f := g.Get("count_files")
	if f != nil || got.Src != counting {
		t.Errorf("get: %v", f)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if e.Name() != "count_files.yaml" {
			t.Errorf("left over: %s", e.Name())
		}
	}
}

func TestNameAndExposeAreWrittenIntoTheText(t *testing.T) {
	yes, no := true, false
	document := "version: \"1.0\"\ntools: # one\n  - name: old\n    nodes: []\n"
	tests := map[string]struct {
		src    string
		expose *bool
		want   string
	}{
		"name":              {strings.Replace(counting, "count_files", "other  # mine", 1), nil, strings.Replace(counting, "count_files", "new  # mine", 1)},
		"no name":           {"nodes: []\n", nil, "nodes: []\nname: new\n"},
		"expose":            {"name: new\ndescription: d # c\nnodes: []\n", &yes, "name: new\ndescription: d # c\nexpose: true\nnodes: []\n"},
		"expose off":        {"name: new\nexpose: true # why\nnodes: []\n", &no, "name: new\nexpose: false # why\nnodes: []\n"},
		"whole document":    {document, &yes, "version: \"1.0\"\nexpose: true\ntools: # one\n  - name: new\n    nodes: []\n"},
		"JSON":              {`{"name": "x", "nodes": []}`, &yes, "{\"name\": \"new\", \"expose\": true, \"nodes\": []}\n"},
		"nothing to change": {"name: new\nexpose: true\nnodes: []\n", nil, "name: new\nexpose: true\nnodes: []\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g, _ := open(t, nil)
			saved := mustSave(t, g, "new", tt.src, graphfiles.SaveOptions{Expose: tt.expose})
			if diff := cmp.Diff(tt.want, saved.Src); diff != "" {
				t.Error(diff)
			}
			if tt.expose != nil && (saved.Expose == nil || *saved.Expose != *tt.expose) {
				t.Errorf("expose is %v", saved.Expose)
			}
		})
	}
}

func TestReplacingNeedsToBeMeant(t *testing.T) {
	g, _ := open(t, nil)
	on := true
	first := mustSave(t, g, "a", counting, graphfiles.SaveOptions{Expose: &on})
	other := strings.Replace(counting, "Counts", "Numbers", 1)

	_, f := g.Save("a", other, graphfiles.SaveOptions{})
	if code(f) != "already-exists" || f.Got != first.Revision {
		t.Errorf("without overwrite: %s, got %v", code(f), f.Got)
	}
	_, f = g.Save("a", other, graphfiles.SaveOptions{Overwrite: true, Revision: "0123"})
	if code(f) != "stale-revision" || f.Want != first.Revision {
		t.Errorf("with a stale revision: %s, want %v", code(f), f.Want)
	}
	second := mustSave(t, g, "a", other, graphfiles.SaveOptions{Revision: first.Revision})
	if !strings.Contains(second.Src, "Numbers") || second.Revision == first.Revision {
		t.Error("the new text is not there")
	}
	if second.Expose == nil || !*second.Expose {
		t.Error("replacing lost that the graph is exposed")
	}
	third := mustSave(t, g, "a", strings.Replace(counting, "name: count_files", "name: a\nexpose: false", 1), graphfiles.SaveOptions{Overwrite: true})
	if third.Expose == nil || *third.Expose {
		t.Error("expose of the new text does not count")
	}
	if _, f := g.Save("b", counting, graphfiles.SaveOptions{Revision: "0123"}); code(f) != "stale-revision" {
		t.Errorf("a revision of a graph that is not there: %s", code(f))
	}
	if _, f := g.Save("A", counting, graphfiles.SaveOptions{Overwrite: true}); code(f) != "already-exists" || !cmp.Equal(f.Suggestions, []string{"a"}) {
		t.Errorf("a name that differs in capitals: %s", code(f))
	}
}

func TestReplacingKeepsTheFilesModeAndMeaning(t *testing.T) {
	g, dir := open(t, map[string]string{"a.json": `{"name": "a", "nodes": []}`})
	mustSave(t, g, "a", `{"name": "a", "nodes": [], "description": "d"}`, graphfiles.SaveOptions{Overwrite: true})
	info, err := os.Stat(filepath.Join(dir, "a.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	saved := mustSave(t, g, "a", counting, graphfiles.SaveOptions{Overwrite: true})
	if filepath.Base(saved.Path) != "a.yaml" {
		t.Errorf("YAML is in %s", saved.Path)
	}
	if names, broken := listed(g); len(names) != 1 || len(broken) > 0 {
		t.Errorf("lists %v, broken %v", names, broken)
	}
}

func TestDelete(t *testing.T) {
	g, dir := open(t, map[string]string{"broken.yaml": "{"})
	saved := mustSave(t, g, "a", counting, graphfiles.SaveOptions{})
	if f := g.Delete("a", "0123"); code(f) != "stale-revision" {
		t.Errorf("with a stale revision: %s", code(f))
	}
	if f := g.Delete("a", saved.Revision); f != nil {
		t.Error(f)
	}
	if f := g.Delete("a", ""); code(f) != "unknown-graph" {
		t.Errorf("twice: %s", code(f))
	}
	if f := g.Delete("broken", ""); f != nil {
		t.Errorf("a broken file: %v", f)
	}
	if _, err := os.Stat(filepath.Join(dir, "broken.yaml")); err == nil {
		t.Error("the broken file is still there")
	}
	none, err := graphfiles.OpenGraphs(filepath.Join(dir, "none"))
	if err != nil {
		t.Fatal(err)
	}
	if f := none.Delete("a", ""); code(f) != "unknown-graph" {
		t.Errorf("in a missing directory: %s", code(f))
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("deleting made the directory")
	}
}

func TestNames(t *testing.T) {
	g, dir := open(t, nil)
	for name, want := range map[string]string{
		"": "", "my graph!": "my_graph", "../../etc/passwd": "etc_passwd", "/abs": "abs", "a/b": "a_b", "1st": "graph_1st", ".hidden": "hidden",
		"con": "graph_con", "NUL": "graph_NUL", "x.yaml": "x_yaml", "größe": "gr_e", "a\x00b": "a_b", "-": "", strings.Repeat("x", 65): strings.Repeat("x", 64), "é": "",
	} {
		_, f := g.Save(name, counting, graphfiles.SaveOptions{})
		if code(f) != "invalid-name" {
			t.Errorf("%q: %s", name, code(f))
			continue
		}
		if got := strings.Join(f.Suggestions, " "); got != want {
			t.Errorf("%q: suggests %q, want %q", name, got, want)
		} else if _, f := g.Save(want, counting, graphfiles.SaveOptions{}); want != "" && code(f) == "invalid-name" {
			t.Errorf("the suggestion %q is itself refused", want)
		}
		if _, f := g.Get(name); code(f) != "unknown-graph" {
			t.Errorf("get %q: %s", name, code(f))
		}
		if f := g.Delete(name, ""); code(f) != "unknown-graph" {
			t.Errorf("delete %q: %s", name, code(f))
		}
	}
	for _, name := range []string{"a", "countFiles", "x-1_y", strings.Repeat("y", 64)} {
		mustSave(t, g, name, counting, graphfiles.SaveOptions{})
	}
	if entries, _ := os.ReadDir(filepath.Dir(dir)); len(entries) != 1 {
		t.Errorf("files were written outside of the directory: %v", entries)
	}
}

func TestUnknownGraphSuggests(t *testing.T) {
	g, _ := open(t, nil)
	_, f := g.Get("x")
	if code(f) != "unknown-graph" || !strings.Contains(f.Hint, "no graphs are saved") {
		t.Errorf("%v: %s", f, f.Hint)
	}
	mustSave(t, g, "count_files", counting, graphfiles.SaveOptions{})
	mustSave(t, g, "summary", counting, graphfiles.SaveOptions{})
	if _, f = g.Get("cuont_files"); !cmp.Equal(f.Suggestions, []string{"count_files"}) {
		t.Errorf("suggestions %v", f.Suggestions)
	}
	if _, f = g.Get("weather"); f.Hint != "the saved graphs are count_files, summary" {
		t.Errorf("hint %q", f.Hint)
	}
}

func TestBrokenFilesDoNotHideOthers(t *testing.T) {
	g, dir := open(t, map[string]string{
		"fine.yaml":     strings.Replace(counting, "count_files", "fine", 1),
		"fine.json":     `{"name": "fine", "nodes": []}`,
		"data.json":     `{"name": "data", "nodes": []}`,
		"syntax.yaml":   "name: syntax\nnodes: [\n",
		"renamed.yml":   counting,
		"several.yaml":  "tools: [{name: a, nodes: []}, {name: b, nodes: []}]",
		"nothing.yaml":  "# empty",
		"exposed.yaml":  "name: exposed\nexpose: maybe\nnodes: []",
		"bad name.yaml": counting,
		"binary.yaml":   "\xff\xfe\x00",
		"notes.txt":     "not a graph",
		".hidden.yaml":  "[",
	})
	if err := os.Mkdir(filepath.Join(dir, "folder.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling.yaml")); err != nil {
		t.Fatal(err)
	}
	names, broken := listed(g)
	if diff := cmp.Diff([]string{"data", "fine"}, names); diff != "" {
		t.Error(diff)
	}
	want := []string{
		`bad name: saved graph "bad name" cannot be used: graph name "bad name" is not made of letters, digits, "_" and "-", with a letter first`,
		`binary: saved graph "binary" cannot be used: line 1: byte 0xff is not valid UTF-8`,
		`exposed: saved graph "exposed" cannot be used: line 2: expose is text, not a boolean`,
		`fine: file "fine.json" is not used: "fine.yaml" contains the graph of that name`,
		`nothing: saved graph "nothing" cannot be used: line 1: the document is empty`,
		`renamed: saved graph "renamed" cannot be used: line 2: the graph is named "count_files", its file "renamed.yml"`,
		`several: saved graph "several" cannot be used: line 1: the document defines 2 tools, and none is named "several"`,
	}
	var syntax string
	for i, b := range broken {
		if strings.HasPrefix(b, "syntax: ") {
			syntax, broken = b, append(broken[:i:i], broken[i+1:]...)
			break
		}
	}
	if diff := cmp.Diff(want, broken); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(syntax, "line ") {
		t.Errorf("syntax error: %q", syntax)
	}
	if _, f := g.Get("renamed"); code(f) != "broken-graph" || f.Hint == "" {
		t.Errorf("get of a broken graph: %s", code(f))
	}
	if _, f := g.Save("syntax", counting, graphfiles.SaveOptions{}); code(f) != "already-exists" {
		t.Errorf("saving over a broken file: %s", code(f))
	}
	mustSave(t, g, "syntax", counting, graphfiles.SaveOptions{Overwrite: true})
}

func TestInvalidTextIsNotSaved(t *testing.T) {
	g, dir := open(t, nil)
	for _, src := range []string{"", "{", "[]", "a: &x 1\nb: *x", "version: 1", "tools: []", "nodes: []\nnodes: []"} {
		if _, f := g.Save("a", src, graphfiles.SaveOptions{}); code(f) != "invalid-document" || f.Hint == "" {
			t.Errorf("%q: %s", src, code(f))
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a.yaml")); err == nil {
		t.Error("a file was written")
	}
}

func TestChangesByHandAreSeen(t *testing.T) {
	g, dir := open(t, map[string]string{"a.yaml": "name: a\nnodes: [] # 1\n"})
	path := filepath.Join(dir, "a.yaml")
	now := time.Now()
	for i := range 10 { // of one size, within one step of the file system's clock
		want := fmt.Sprintf("name: a\nnodes: [] # %d\n", i)
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
		got, f := g.Get("a")
		if f != nil || got.Src != want {
			t.Fatalf("change %d is not seen: %v", i, f)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if names, _ := listed(g); len(names) > 0 {
		t.Errorf("still listed: %v", names)
	}
}

func TestUnwritableDirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := graphfiles.OpenGraphs(file); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("a file as directory: %v", err)
	}
	g, err := graphfiles.OpenGraphs(filepath.Join(dir, "later"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "later"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, f := g.Save("a", counting, graphfiles.SaveOptions{}); code(f) != "not-saved" {
		t.Errorf("save: %s", code(f))
	}
	if _, broken := g.List(); len(broken) != 1 {
		t.Errorf("%d broken files", len(broken))
	}
}

// Several processes share the directory: two Graphs stand for them.
func TestOnlyOneOfManySavesWins(t *testing.T) {
	a, dir := open(t, nil)
	b, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	start := mustSave(t, a, "shared", counting, graphfiles.SaveOptions{})
	var wg sync.WaitGroup
	results := make([]string, 16)
	for i := range results {
		wg.Go(func() {
			g := a
			if i%2 == 1 {
				g = b
			}
			_, f := g.Save("shared", counting+fmt.Sprintf("# %d\n", i), graphfiles.SaveOptions{Revision: start.Revision})
			results[i] = code(f)
			g.List()
		})
	}
	wg.Wait()
	won := 0
	for _, r := range results {
		switch r {
		case "none":
			won++
		case "stale-revision":
		default:
			t.Errorf("unexpected %s", r)
		}
	}
	if won != 1 {
		t.Errorf("%d saves from one revision succeeded", won)
	}
}
