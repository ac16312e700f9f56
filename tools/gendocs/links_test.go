package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
	unslug  = regexp.MustCompile(`[^\pL\pN _-]`)
)

// TestLinksHold follows every link between the files of the repository that a
// Markdown file has: the file exists, and so does the heading.
func TestLinksHold(t *testing.T) {
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "build" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		for _, m := range link.FindAllStringSubmatch(prose(t, path), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere", path, m[1])
			} else if anchor != "" && !hasHeading(prose(t, target), anchor) {
				t.Errorf("%s: the link %s names no heading", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var code = regexp.MustCompile("(?s)(?:\\A|\n) *```.*?\n *```|`[^`\n]*`")

// prose is the text of a file without code, in which nothing is a link. In
// headings, the text of code counts.
func prose(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return code.ReplaceAllStringFunc(string(b), func(s string) string {
		if strings.Contains(s, "```") || strings.ContainsAny(s, "[]") {
			return ""
		}
		return s
	})
}

// hasHeading reports whether a page has a heading of that anchor, as GitHub makes
// them.
func hasHeading(page, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		text := unslug.ReplaceAllString(strings.ToLower(m[1]), "")
		if strings.ReplaceAll(text, " ", "-") == anchor {
			return true
		}
	}
	return false
}
