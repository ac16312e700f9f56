package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// A link in place of a file is replaced, and one in place of a folder refused.
func TestAFolderDoesNotFollowLinks(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	put(t, filepath.Join(home, "mine"), "mine", 0o600)
	symlinks(t, dir, "file", filepath.Join(home, "mine"), "sub", home)
	d := files.Folder(dir)
	if _, err := d.Read("file", 100); err == nil {
		t.Error("a link was read")
	}
	if err := d.Write("file", []byte("new"), 0o644); err != nil || content(t, filepath.Join(dir, "file")) != "new" {
		t.Error(err)
	}
	if _, err := d.List("sub"); err == nil {
		t.Error("a linked folder was listed")
	}
	if d.Write("sub/mine", nil, 0o644) == nil || d.Remove("sub/mine") == nil || d.Move("file", "sub/mine") == nil {
		t.Error("a linked folder was changed")
	}
	if err := os.Remove(filepath.Join(dir, "sub")); err != nil {
		t.Fatal(err)
	}
	if err := d.Write("sub/a", []byte("1"), 0o600); err != nil || d.Move("sub/a", "sub/b/c") != nil || content(t, filepath.Join(dir, "sub", "b", "c")) != "1" {
		t.Error(err)
	}
	if content(t, filepath.Join(home, "mine")) != "mine" {
		t.Error("the file that the link leads to was changed")
	}
}
