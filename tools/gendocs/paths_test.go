package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPathsAreShort reads the paths of docs/README.md, which are the rows of its first
// table: there are four, and each has at most five pages.
func TestPathsAreShort(t *testing.T) {
	const maxPages = 5
	index, err := os.ReadFile(filepath.Join(repository, referenceDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(index), "\n## ")
	paths := 0
	for row := range strings.Lines(first) {
		pages := link.FindAllString(row, -1)
		if !strings.HasPrefix(row, "| **") || len(pages) == 0 {
			continue
		}
		paths++
		if len(pages) > maxPages {
			t.Errorf("a path has %d pages: %s", len(pages), row)
		}
	}
	if paths != 4 {
		t.Errorf("there are %d paths", paths)
	}
}

// TestGuidesAreShort counts the words of the guides, which are the pages that people write:
// docs/sessions.md is recorded.
func TestGuidesAreShort(t *testing.T) {
	const maxWords, maxOfAll = 1500, 35_000
	words := func(page string) int {
		text, err := os.ReadFile(page)
		n := len(strings.Fields(string(text)))
		if err != nil || n > maxWords {
			t.Errorf("%s has %d words, and may have %d: %v", page, n, maxWords, err)
		}
		return n
	}
	words(filepath.Join(repository, "CONTRIBUTING.md"))
	pages, err := filepath.Glob(filepath.Join(repository, referenceDir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, page := range pages {
		if filepath.Base(page) != "sessions.md" {
			all += words(page)
		}
	}
	if all == 0 || all > maxOfAll {
		t.Errorf("the guides have %d words, and may have %d", all, maxOfAll)
	}
}
