package ui

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestCompressedFiles: what is embedded is what the build has written, compressed.
func TestCompressedFiles(t *testing.T) {
	built, embedded := os.DirFS("dist"), Files()
	var want []string
	for _, name := range names(t, built) {
		if strings.HasSuffix(name, ".gz") {
			continue
		}
		want = append(want, name+".gz")
		plain, err := fs.ReadFile(built, name)
		if err != nil {
			t.Fatal(err)
		}
		packed, err := fs.ReadFile(embedded, name+".gz")
		if err != nil {
			t.Errorf("%v: run make ui", err)
			continue
		}
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, plain) {
			t.Errorf("%s.gz is not %s (%v): run make ui", name, name, err)
		}
	}
	slices.Sort(want)
	if got := names(t, embedded); len(got) == 0 || !slices.Equal(got, want) {
		t.Errorf("embedded are %v, want %v", got, want)
	}
}

// names are the paths of the files of a tree.
func names(t *testing.T, files fs.FS) (all []string) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}
