package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

func TestReadText(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(path, []byte(strings.Repeat("é", 1<<19)), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := files.ReadText(path, 1<<20); err != nil || len(text) != 1<<20 {
		t.Errorf("a file of the largest size: %d bytes, %v", len(text), err)
	}
	if _, err := files.ReadText(path, 1<<20-1); err == nil || !strings.Contains(err.Error(), "larger than the limit") {
		t.Errorf("a larger file: %v", err)
	}
	if _, err := files.ReadText(dir, 1<<20); err == nil || err.Error() != "it is not a regular file" {
		t.Errorf("a folder: %v", err)
	}
	_, err := files.ReadText(filepath.Join(dir, "none"), 1)
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), dir) {
		t.Errorf("no file: %v", err)
	}
}
