//go:build unix

package files_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/files"
)

// A pipe that nobody writes to is refused at once.
func TestReadTextRefusesAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if text, err := files.ReadText(path, 100); err == nil {
		t.Errorf("it was read: %q", text)
	}
}
