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
	sources := sourcesOf(t)
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
				if !sources.say(part) {
					t.Errorf("the program does not say %q of %q", part, span[1])
				}
			}
		}
	}
	if messages < 15 {
		t.Errorf("the page has %d messages", messages)
	}
}

// sources are the texts of the program.
type sources string

func sourcesOf(t *testing.T) sources {
	t.Helper()
	var all strings.Builder
	all.WriteString("executable file not found ") // the standard library's
	for _, folder := range []string{"internal", "engine", "mcpserver", "run"} {
		err := filepath.WalkDir(filepath.Join(repository, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			b, err := os.ReadFile(path)
			all.Write(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sources(all.String())
}

// say reports whether the program says a part of a message, of which up to three words at
// its ends may be what differs.
func (s sources) say(part string) bool {
	words := strings.Fields(part)
	for first := range 4 {
		for last := range 4 {
			if left := len(words) - first - last; left == len(words) || left >= 2 && left >= len(words)/2 {
				if strings.Contains(string(s), strings.Join(words[first:len(words)-last], " ")) {
					return true
				}
			}
		}
	}
	return false
}

var (
	textFence = regexp.MustCompile("(?s)```text\n(.*?)```")
	anyFence  = regexp.MustCompile("(?s)```.*?```")
	// differs is what differs in a message that a page shows: names, values and counts.
	differs = regexp.MustCompile(`"[^"]*"|…|\b[A-Z_]{3,}\b|\brun_\w+|\d+`)
)

// TestMessagesOnPages looks for the messages that docs/servers.md and docs/security.md show
// in the sources: what is in fences of text, and what they quote of six words or more.
func TestMessagesOnPages(t *testing.T) {
	sources := sourcesOf(t)
	for name, least := range map[string]int{"servers.md": 6, "security.md": 1} {
		page, err := os.ReadFile(filepath.Join(repository, referenceDir, name))
		if err != nil {
			t.Fatal(err)
		}
		var messages []string
		for _, fence := range textFence.FindAllStringSubmatch(string(page), -1) {
			messages = append(messages, strings.Split(strings.TrimSpace(fence[1]), "\n")...)
		}
		for line := range strings.Lines(anyFence.ReplaceAllString(string(page), "")) {
			if strings.HasPrefix(line, "|") {
				continue
			}
			for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
				if len(strings.Fields(span[1])) >= 6 {
					messages = append(messages, span[1])
				}
			}
		}
		if len(messages) < least {
			t.Errorf("%s has %d messages", name, len(messages))
		}
		for _, message := range messages {
			for _, part := range differs.Split(message, -1) {
				part = strings.TrimPrefix(strings.Trim(part, " ,.)("), "patchbay: ")
				if part != "" && !sources.say(part) {
					t.Errorf("%s: the program does not say %q of %q", name, part, message)
				}
			}
		}
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
