package graphfiles_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// tree is what is in a folder, a line for each file.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, _ := os.ReadFile(path)
			path += " " + string(text)
		}
		lines = append(lines, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// Links that came with a folder of saved graphs lead no change out of it: not a save, nor an
// approval, nor a deletion.
func TestLinksInTheFolderAreNotFollowed(t *testing.T) {
	for _, link := range []string{".pins", ".origins", ".revisions", ".revisions/a", ".graphs.lock", "graphs", ".pins/a.json", ".origins/a.json", "a.test.yaml", ".revisions/a/a.test.yaml"} {
		for _, place := range []string{"", "a.json", "new"} {
			home, dir := t.TempDir(), t.TempDir()
			for _, name := range []string{"a.json", "a.test.yaml", "000001-20250101T000000Z-0123456789abcdef.yaml", "a/x", ".a.json.lock"} {
				put(t, filepath.Join(home, name), "mine")
			}
			before := tree(t, home)
			put(t, filepath.Join(dir, "a.yaml"), approvable)
			at := filepath.Join(dir, filepath.FromSlash(link))
			if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
				t.Fatal(err)
			}
			testenv.Symlink(t, filepath.Join(home, place), at)
			g := over(t, dir, graphfiles.Approvals{})
			tests, pins := "- {result: 1}\n", graphfiles.Pins{"fs/read": {Hash: "1"}}
			if text, _ := g.Tests("a", false); strings.Contains(text, "mine") {
				t.Errorf("%s: its tests are %s", link, text)
			}
			_ = g.Approve("a", "")
			_ = g.Repin("a", pins)
			_ = g.SetOrigin("a", &graphfiles.Origin{Source: "x"})
			saves := 2
			if strings.HasPrefix(link, ".revisions") {
				saves = graphfiles.MaxRevisions + 2
			}
			for n := range saves {
				_, _ = g.Save("a", strings.Repeat("#\n", n)+approvable, graphfiles.SaveOptions{Overwrite: true, Pins: pins, Tests: &tests})
			}
			_, _ = g.Save("a", approvable, graphfiles.SaveOptions{Overwrite: true})
			_, fault := g.Save("a", "# again\n"+approvable, graphfiles.SaveOptions{Overwrite: true, Tests: &tests})
			if !strings.Contains(link, "a.") && link != "graphs" && (code(fault) != "not-saved" || !strings.Contains(fault.Message, "symbolic link")) {
				t.Errorf("%s: %v", link, fault)
			}
			_ = g.Delete("a", "")
			if after := tree(t, home); after != before {
				t.Errorf("%s to %q: before\n%s\nafter\n%s", link, place, before, after)
			}
		}
	}
}

// A graph's file that is a link to something else is deleted without that being remembered.
func TestALinkToAnotherFileIsNotARevision(t *testing.T) {
	dir, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	put(t, secret, "a secret")
	testenv.Symlink(t, secret, filepath.Join(dir, "a.yaml"))
	g := over(t, dir, graphfiles.Approvals{Foreign: true})
	if f := g.Delete("a", ""); f != nil {
		t.Fatal(f)
	}
	if list := g.Revisions("a"); len(list) > 0 {
		t.Errorf("it has the revisions %v", list)
	}
	if got := tree(t, secret); !strings.Contains(got, "a secret") {
		t.Error(got)
	}
}

// A folder of saved graphs, and the file of a graph, can be links.
func TestAFolderAndAGraphCanBeLinks(t *testing.T) {
	real, to := t.TempDir(), filepath.Join(t.TempDir(), "graphs")
	shared := filepath.Join(t.TempDir(), "shared.yaml")
	put(t, shared, approvable)
	testenv.Symlink(t, real, to)
	if err := os.Symlink(shared, filepath.Join(real, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	g := over(t, to, graphfiles.Approvals{})
	text := strings.Replace(approvable, "x", "second", 1)
	mustSave(t, g, "a", text, graphfiles.SaveOptions{Overwrite: true, Pins: graphfiles.Pins{"fs/read": {Hash: "1"}}})
	if got := tree(t, shared); !strings.Contains(got, "second") || len(g.Revisions("a")) != 2 {
		t.Errorf("%s, %v", got, g.Revisions("a"))
	}
	if pins, f := g.Pins("a"); f != nil || len(pins) != 1 {
		t.Errorf("%v %v", pins, f)
	}
}
