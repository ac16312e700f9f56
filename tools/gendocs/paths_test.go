package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPathsAreShort reads the paths of docs/README.md, which are the rows of its first
// table: each has at most five pages, and each page has at most 1,500 words.
func TestPathsAreShort(t *testing.T) {
	const maxPages, maxWords = 5, 1500
	docs := filepath.Join(repository, referenceDir)
	index, err := os.ReadFile(filepath.Join(docs, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(index), "\n## ")
	paths := 0
	for row := range strings.Lines(first) {
		pages := link.FindAllStringSubmatch(row, -1)
		if !strings.HasPrefix(row, "| **") || len(pages) == 0 {
			continue
		}
		paths++
		if len(pages) > maxPages {
			t.Errorf("a path has %d pages: %s", len(pages), row)
		}
		for _, page := range pages {
			text, err := os.ReadFile(filepath.Join(docs, filepath.FromSlash(page[1])))
			if err != nil {
				t.Error(err)
			}
			if words := len(strings.Fields(string(text))); words > maxWords {
				t.Errorf("%s has %d words, and may have %d", page[1], words, maxWords)
			}
		}
	}
	if paths != 4 {
		t.Errorf("there are %d paths", paths)
	}
}
