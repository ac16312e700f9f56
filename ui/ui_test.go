package ui_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"testing"

	"github.com/patchbay-mcp/patchbay/ui"
)

// TestFilesAreSmall: all that a browser loads, the views and the editor included, is at most 450 kB.
func TestFilesAreSmall(t *testing.T) {
	const most = 450_000
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	files := ui.Files()
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err == nil {
			_, err = z.Write(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Stat(files, "index.html"); err != nil || b.Len() > most {
		t.Errorf("the files have %d bytes compressed, more than %d, or lack a page: %v", b.Len(), most, err)
	}
}
