package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// codeSpan is what a page quotes of the program.
var codeSpan = regexp.MustCompile("`([^`]+)`")

// TestMessagesOfServers looks for each message in the first column of
// docs/troubleshooting.md in the sources: the parts between what differs.
func TestMessagesOfServers(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repository, referenceDir, "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	sources := "executable file not found " // the standard library's
	err = filepath.WalkDir(filepath.Join(repository, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		sources += string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	messages := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, span := range codeSpan.FindAllStringSubmatch(cells[0], -1) {
			messages++
			for part := range strings.SplitSeq(span[1], "…") {
				part = strings.Trim(part, " ,)(")
				if part == "" || strings.HasPrefix(part, "HTTP ") {
					continue
				}
				words := strings.Fields(part)
				if !strings.Contains(sources, part) && !strings.Contains(sources, strings.Join(words[1:], " ")) {
					t.Errorf("the program does not say %q of %q", part, span[1])
				}
			}
		}
	}
	if messages < 15 {
		t.Errorf("the page has %d messages", messages)
	}
}

// TestEntriesOfServersPage loads the entries that docs/servers.md shows.
func TestEntriesOfServersPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repository, referenceDir, "servers.md"))
	if err != nil {
		t.Fatal(err)
	}
	fences := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(fences) < 3 {
		t.Fatalf("the page has %d entries", len(fences))
	}
	environ := func(name string) (string, bool) { return "a-value-of-" + name, strings.ToUpper(name) == name }
	for _, fence := range fences {
		_, found, err := config.Load(config.Options{File: "patchbay.yaml", Text: &fence[1], Dir: t.TempDir(), Environ: environ})
		if err != nil || len(found) > 0 {
			t.Errorf("%v %v in\n%s", err, found, fence[1])
		}
	}
}
