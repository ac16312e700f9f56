package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// symlinks makes links in dir, where the system has them: name to target, in pairs.
func symlinks(t *testing.T, dir string, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		testenv.Symlink(t, filepath.FromSlash(pairs[i+1]), filepath.Join(dir, pairs[i]))
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

// A symbolic link stays one, and what it leads to is written, wherever that is and
// whether or not it is there.
func TestWriteFollowsSymbolicLinks(t *testing.T) {
	for name, test := range map[string]struct {
		links []string
		to    string
	}{
		"absolute":           {[]string{"link", "DIR/real/file"}, "real/file"},
		"relative":           {[]string{"link", "real/file"}, "real/file"},
		"several":            {[]string{"link", "second", "second", "real/file"}, "real/file"},
		"dangling":           {[]string{"link", "real/new"}, "real/new"},
		"dangling, absolute": {[]string{"link", "DIR/real/new"}, "real/new"},
		"up from a link":     {[]string{"deep", "real/a/b", "link", "deep/../file"}, "real/a/file"},
		"up, dangling":       {[]string{"deep", "real/a/b", "link", "deep/../new"}, "real/a/new"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, filepath.Join(dir, "real", "file"), "old", 0o640)
			put(t, filepath.Join(dir, "real", "a", "file"), "old", 0o640)
			if err := os.Mkdir(filepath.Join(dir, "real", "a", "b"), 0o700); err != nil {
				t.Fatal(err)
			}
			for i := range test.links {
				test.links[i] = strings.Replace(test.links[i], "DIR", dir, 1)
			}
			symlinks(t, dir, test.links...)
			link := filepath.Join(dir, "link")
			if err := files.Write(link, []byte("new"), 0o600); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("the link has become %v (%v)", info.Mode(), err)
			}
			if got := content(t, filepath.Join(dir, filepath.FromSlash(test.to))); got != "new" {
				t.Errorf("%s holds %q", test.to, got)
			}
		})
	}
}

func TestWriteRefusesALoopOfLinks(t *testing.T) {
	dir := t.TempDir()
	symlinks(t, dir, "a", "b", "b", "a")
	if err := files.Write(filepath.Join(dir, "a"), []byte("new"), 0o600); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("a loop: %v", err)
	}
}

func TestWriteKeepsTheMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "script")
	put(t, path, "old", 0o751)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Write(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || after.Mode() != before.Mode() || content(t, path) != "new" {
		t.Errorf("mode %v, %v", after.Mode(), err)
	}
	if os.SameFile(before, after) {
		t.Error("the file was written in place: whoever reads it then reads half of it")
	}
	fresh := filepath.Join(dir, "fresh")
	if err := files.Write(fresh, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(fresh); err != nil || info.Mode() != 0o600 {
		t.Errorf("a new file: %v, %v", info.Mode(), err)
	}
}

// What cannot be replaced leaves the file as it is, and nothing beside it.
func TestWriteLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "folder", "in it"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(filepath.Join(dir, "folder"), []byte("new"), 0o600); err == nil {
		t.Error("a folder was replaced")
	}
	if err := files.Write(filepath.Join(dir, "none", "file"), []byte("new"), 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := files.Write(filepath.Join(dir, "file"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
