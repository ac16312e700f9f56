package patchbay_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// hardToRead are phrases that must be read twice, with what is said instead. They are looked for
// in comments, messages and guides.
var hardToRead = []struct{ phrase, instead string }{
	{`\bof which\b (?:[a-z]+ )?(?:the|a|one|no|only|all|each|there|it|is|are|has|may)\b`, "a sentence of its own, or whose"},
	{`,? (?:none|each|some|most|either|both|one) of which\b`, "a sentence of its own"},
	{`\bnobody waits\b`, "detached, or that no caller waits for"},
	{`\b(?:has|have) not (?:the|a|an)\b`, "lacks, or does not have"},
	{`\bother than a\b`, "any but a"},
	{`\bfor which nobody\b`, "detached"},
}

func TestWordsAreEasyToRead(t *testing.T) {
	elsewhere := []string{".git", "node_modules", "testdata", "ui", "docs/adr"}
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(elsewhere, file) || slices.Contains(elsewhere, d.Name())):
			return fs.SkipDir
		case path.Ext(file) != ".go" && path.Ext(file) != ".md", strings.HasSuffix(file, "_test.go"), file == "CHANGELOG.md":
			return nil
		}
		text, err := os.ReadFile(file)
		for _, h := range hardToRead {
			for _, at := range regexp.MustCompile(h.phrase).FindAllIndex(text, -1) {
				t.Errorf("%s:%d: %q: write %s", file, 1+strings.Count(string(text[:at[0]]), "\n"), text[at[0]:at[1]], h.instead)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
