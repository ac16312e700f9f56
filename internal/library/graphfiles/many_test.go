package graphfiles_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// Of many graphs a list is not read again while nothing changes, and has each change of this
// process and each file that another has added, replaced or removed.
func TestManyGraphs(t *testing.T) {
	files := map[string]string{}
	text := func(name string) string {
		return fmt.Sprintf("name: %s\ndescription: Counts\ninputSchema: {type: object}\noutputSchema: {type: object}\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit}\n", name)
	}
	for i := range graphfiles.FewGraphs + 1 {
		name := fmt.Sprintf("g%03d", i)
		files[name+".yaml"] = text(name)
	}
	g, dir := open(t, files)
	old := time.Now().Add(-time.Hour)
	for name := range files {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
	first, _ := g.List()
	if again, _ := g.List(); len(first) != len(files) || &again[0] != &first[0] {
		t.Errorf("%d graphs of %d are read again", len(again), len(first))
	}

	has := func(what, name string, want *graphfiles.Graph) {
		t.Helper()
		list, broken := g.List()
		i := slices.IndexFunc(list, func(one *graphfiles.Graph) bool { return one.Name == name })
		if len(broken) > 0 || (i >= 0) != (want != nil) || want != nil && list[i].Src != want.Src || !slices.IsSortedFunc(list, func(a, b *graphfiles.Graph) int { return cmp.Compare(a.Name, b.Name) }) {
			t.Errorf("%s: %s is at %d of %d, %v", what, name, i, len(list), broken)
		}
	}
	has("saved", "a_new_one", mustSave(t, g, "a_new_one", text("a_new_one"), graphfiles.SaveOptions{}))
	has("saved over", "g007", mustSave(t, g, "g007", "# changed\n"+text("g007"), graphfiles.SaveOptions{Overwrite: true}))
	list, _ := g.List()
	if again, _ := g.List(); &again[0] != &list[0] {
		t.Error("the folder is read again after a save")
	}
	if f := g.Delete("g008", ""); f != nil {
		t.Fatal(f)
	}
	has("deleted", "g008", nil)

	other, err := graphfiles.OpenGraphs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(dir, old, old); err != nil { // so that the next change shows
		t.Fatal(err)
	}
	has("before", "g009", first[9])
	has("replaced by another process", "g009", mustSave(t, other, "g009", "# theirs\n"+text("g009"), graphfiles.SaveOptions{Overwrite: true}))
}

// Where the folder is watched, a file that is written over in place is noticed when it is told
// of, and a save is not a reason to look at the others.
func TestWatchedGraphs(t *testing.T) {
	const text = "name: %s\ndescription: Counts\ninputSchema: {type: object}\noutputSchema: {type: object}\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit}\n"
	files := map[string]string{}
	for i := range graphfiles.FewGraphs + 1 {
		name := fmt.Sprintf("g%03d", i)
		files[name+".yaml"] = fmt.Sprintf(text, name)
	}
	g, dir := open(t, files)
	old := time.Now().Add(-time.Hour)
	for _, path := range append(slices.Collect(maps.Keys(files)), ".") {
		if err := os.Chtimes(filepath.Join(dir, path), old, old); err != nil {
			t.Fatal(err)
		}
	}
	g.Watched(true)
	g.List()
	saved := mustSave(t, g, "g007", "# changed\n"+files["g007.yaml"], graphfiles.SaveOptions{Overwrite: true})
	before, _ := g.List()
	g.Touched(saved.Path)
	if list, _ := g.List(); &list[0] != &before[0] || list[7] != saved {
		t.Error("the folder is looked at again after a save")
	}
	path := filepath.Join(dir, "g009.yaml")
	if err := os.WriteFile(path, []byte("# theirs\n"+files["g009.yaml"]), 0o600); err != nil {
		t.Fatal(err)
	}
	g.Touched(path)
	if list, _ := g.List(); !strings.HasPrefix(list[9].Src, "# theirs") {
		t.Errorf("the change is not there: %s", list[9].Src)
	}
}
