package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

var (
	// capital is a capital that begins a sentence: not that of a name such as NAME or JSONata.
	capital = regexp.MustCompile(`^[A-Z]([a-z]|\b)`)
	// runOn is where two sentences meet without a semicolon.
	runOn = regexp.MustCompile(`[a-z)"'…] (It|Its|The|This|They|Then|Or|If|Use|Try|Write|Run|See) [a-z]`)
)

// wrongHint says what is wrong with a hint, which begins in lower case, has no full stop at
// its end, and joins sentences by semicolons; "" is nothing.
func wrongHint(hint string) string {
	switch {
	case hint != strings.TrimSpace(hint):
		return "it has a space at an end"
	case capital.MatchString(hint):
		return "it begins with a capital"
	case strings.HasSuffix(hint, ".") && !strings.HasSuffix(hint, ".."):
		return "it ends with a full stop"
	case runOn.MatchString(hint):
		return "two sentences run into each other"
	}
	return ""
}

// TestHintsAreSentences looks at what the module has as hints, with holes where something is
// put in, and at those of the fixtures.
func TestHintsAreSentences(t *testing.T) {
	seen := testenv.Hints(t, repository)
	for at, hint := range seen {
		if wrong := wrongHint(hint); wrong != "" {
			t.Errorf("%s: %q: %s", at, hint, wrong)
		}
	}
	if len(seen) < 500 {
		t.Errorf("only %d hints were found", len(seen))
	}
	shown, err := filepath.Glob(filepath.Join(repository, "testdata", "err", "*.out"))
	if err != nil || len(shown) < 100 {
		t.Fatal(len(shown), err)
	}
	for _, path := range shown {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if _, hint, ok := strings.Cut(line, "= hint: "); ok && wrongHint(strings.TrimSuffix(hint, "\n")) != "" {
				t.Errorf("%s: %s%s", path, hint, wrongHint(strings.TrimSuffix(hint, "\n")))
			}
		}
	}
}

func TestWrongHint(t *testing.T) {
	for hint, wrong := range map[string]bool{
		"look at the file, then run patchbay trust": false, "JSON texts are written with ==": false, "…; it is tried again in …": false, "NAME comes first": false,
		"patchbay trust x trusts the file It is tried again in 1s.": true, "The next call starts it again": true, "try again.": true, "… It is tried again in …": true,
	} {
		if got := wrongHint(hint); got != "" != wrong {
			t.Error(fmt.Sprintf("%q", hint), got)
		}
	}
}
