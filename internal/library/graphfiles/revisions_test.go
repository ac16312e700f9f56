package graphfiles_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// version is a text of the graph count_files.
func version(n int) string {
	return strings.Replace(counting, "Counts ", fmt.Sprintf("Version %d ", n), 1)
}

// save saves a version over the one there is.
func saveVersion(t *testing.T, g *graphfiles.Graphs, n int) string {
	t.Helper()
	return mustSave(t, g, "count_files", version(n), graphfiles.SaveOptions{Overwrite: true}).Revision
}

// ids are the revisions of count_files, the latest first.
func ids(g *graphfiles.Graphs) string {
	var list []string
	for _, r := range g.Revisions("count_files") {
		list = append(list, r.ID)
	}
	return strings.Join(list, " ")
}

// The last twenty texts of a graph are kept, and no more.
func TestTheLastRevisionsAreKept(t *testing.T) {
	g, dir := open(t, nil)
	var want []string
	for n := range 30 {
		want = append([]string{saveVersion(t, g, n)}, want...)
	}
	if got := ids(g); got != strings.Join(want[:graphfiles.MaxRevisions], " ") {
		t.Errorf("the revisions are %s", got)
	}
	if kept, err := os.ReadDir(filepath.Join(dir, ".revisions", "count_files")); err != nil || len(kept) != graphfiles.MaxRevisions-1 {
		t.Errorf("%v: %d former texts are kept", err, len(kept))
	}
	for n, id := range want[:graphfiles.MaxRevisions] {
		if r, text, f := g.Revision("count_files", id[:8]); f != nil || text != version(29-n) || r.ID != id || r.Saved.IsZero() {
			t.Errorf("revision %s: %v %+v\n%s", id, f, r, text)
		}
	}
	if _, _, f := g.Revision("count_files", want[25]); code(f) != "unknown-revision" || len(f.Suggestions) == 0 {
		t.Errorf("an old revision: %v", f)
	}
	if names, broken := listed(g); len(names) != 1 || len(broken) > 0 {
		t.Errorf("the folder lists %v %v", names, broken)
	}
}

// A text that is saved again is listed once, and one that was edited by hand is kept.
func TestRevisionsOfEditedFiles(t *testing.T) {
	g, dir := open(t, nil)
	one, two := saveVersion(t, g, 1), saveVersion(t, g, 2)
	saveVersion(t, g, 2)
	if saveVersion(t, g, 1); ids(g) != one+" "+two {
		t.Errorf("after saving version 1 again: %s", ids(g))
	}
	if err := os.WriteFile(filepath.Join(dir, "count_files.yaml"), []byte(version(3)), 0o600); err != nil {
		t.Fatal(err)
	}
	three, four := graph.Revision(version(3)), saveVersion(t, g, 4)
	if got := ids(g); got != strings.Join([]string{four, three, two, one}, " ") {
		t.Errorf("after an edit by hand: %s", got)
	}
}

// A deleted graph has its revisions, until it can be saved again.
func TestRevisionsOfADeletedGraph(t *testing.T) {
	g, _ := open(t, nil)
	one, two := saveVersion(t, g, 1), saveVersion(t, g, 2)
	if f := g.Delete("count_files", ""); f != nil {
		t.Fatal(f)
	}
	if got := ids(g); got != two+" "+one {
		t.Errorf("after the deletion: %s", got)
	}
	if _, text, f := g.Revision("count_files", two); f != nil || text != version(2) {
		t.Errorf("%v %s", f, text)
	}
	if saveVersion(t, g, 2); ids(g) != two+" "+one {
		t.Errorf("after the restoration: %s", ids(g))
	}
	if _, _, f := g.Revision("nothing", two); code(f) != "unknown-graph" {
		t.Errorf("an unknown graph: %v", f)
	}
	if list := g.Revisions("../count_files"); list != nil {
		t.Errorf("a name that is a path has %v", list)
	}
}

// Damage in the history is not damage of the graph, and a process that ended between
// the two writes of a save leaves nothing twice.
func TestADamagedHistory(t *testing.T) {
	g, dir := open(t, nil)
	one := saveVersion(t, g, 1)
	two := saveVersion(t, g, 2)
	history := filepath.Join(dir, ".revisions", "count_files")
	kept, err := os.ReadDir(history)
	if err != nil || len(kept) != 1 {
		t.Fatal(err, kept)
	}
	stamp := strings.SplitN(kept[0].Name(), "-", 3)[1]
	for name, text := range map[string]string{
		kept[0].Name(): "cut off", "notes.txt": "x", ".tmp123": "x",
		"000002-" + stamp + "-" + two + ".yaml": version(2), // the graph was not replaced any more
	} {
		if err := os.WriteFile(filepath.Join(history, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := ids(g); got != two+" "+one {
		t.Errorf("the revisions are %s", got)
	}
	if _, _, f := g.Revision("count_files", one); code(f) != "unknown-revision" || !strings.Contains(f.Message, "its file was changed") {
		t.Errorf("a damaged revision: %v", f)
	}
	three := saveVersion(t, g, 3)
	if got := ids(g); got != strings.Join([]string{three, two, one}, " ") {
		t.Errorf("after the next save: %s", got)
	}
	if err := os.RemoveAll(filepath.Dir(history)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Dir(history), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if saved, f := g.Get("count_files"); f != nil || saved.Revision != three || ids(g) != three {
		t.Errorf("without a history: %v, revisions %s", f, ids(g))
	}
	if _, f := g.Save("count_files", version(4), graphfiles.SaveOptions{Overwrite: true}); code(f) != "not-saved" {
		t.Errorf("a text that cannot be kept was replaced: %v", f)
	}
}

// A former text is as private as the graph was.
func TestRevisionsKeepTheMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	g, dir := open(t, map[string]string{"count_files.yaml": version(1)})
	saveVersion(t, g, 2)
	kept, err := filepath.Glob(filepath.Join(dir, ".revisions", "count_files", "*.yaml"))
	if err != nil || len(kept) != 1 {
		t.Fatal(err, kept)
	}
	if info, err := os.Stat(kept[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", err, info.Mode())
	}
}

// The tests next to a graph are not a graph.
func TestTestsAreNotGraphs(t *testing.T) {
	g, _ := open(t, map[string]string{"count_files.yaml": counting, "count_files.test.yaml": "- {result: 1}\n"})
	if names, broken := listed(g); strings.Join(names, " ") != "count_files" || len(broken) > 0 {
		t.Errorf("%v %v", names, broken)
	}
}
