package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDecisionsAreDated looks at the pages of docs/adr: each begins with its number, its
// date and its status, and the index links to it.
func TestDecisionsAreDated(t *testing.T) {
	dir := filepath.Join(repository, referenceDir, "adr")
	index, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "0*.md"))
	if err != nil || len(pages) < 50 {
		t.Fatal(len(pages), err)
	}
	begin := regexp.MustCompile(`^# (\d+)\. .+\n\nDate: 20\d\d-\d\d-\d\d\. Status: (accepted|replaced by \[\d+\]\(\d{4}-[\w-]+\.md\))\.\n`)
	for _, path := range pages {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if m := begin.FindSubmatch(text); len(m) < 2 || fmt.Sprintf("%04s", m[1]) != name[:4] {
			t.Errorf(`%s does not begin with "# NUMBER. TITLE" and "Date: YYYY-MM-DD. Status: accepted."`, name)
		}
		if !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("the index does not have %s", name)
		}
	}
}
