//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// A pipe that nobody writes to is refused at once.
func TestReadTextRefusesAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := files.ReadText(path, 100); err == nil {
		t.Errorf("it was read: %q", text)
	}
}

// Root, who edits a file of somebody else, leaves it theirs.
func TestWriteKeepsTheOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	put(t, path, "old", 0o600)
	if os.Getuid() != 0 {
		t.Skip("only root can give a file to somebody else")
	}
	if err := os.Chown(path, 12345, 12346); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 12345 || s.Gid != 12346 {
		t.Errorf("it belongs to %d:%d", s.Uid, s.Gid)
	}
}
