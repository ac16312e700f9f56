package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// rulesPage describes every rule of the checker and of the configuration.
func rulesPage(fixtures string) (string, error) {
	shown, err := shownFaults(fixtures)
	if err != nil {
		return "", err
	}
	w := newPage("Rules", "What `validate`, and the start of the program, can find wrong. An error refuses the graph or the file; a warning says that it runs, probably not as meant; "+
		"a note is worth knowing. A code never changes its meaning.")
	w.head("code", "severity", "summary")
	for _, r := range diag.Rules() {
		w.row("["+r.Code+"](#"+r.Code+")", string(r.Severity), summary(r.Doc))
	}
	w.line("")
	for _, r := range diag.Rules() {
		w.line("## %s\n", r.Code)
		w.prose(string(r.Severity) + ": " + r.Doc)
		if text := shown[r.Code]; text != "" {
			w.fence("text", text)
		}
	}
	return w.page(), nil
}

// summary is the first sentence of a rule's text.
func summary(doc string) string {
	if i := strings.Index(doc, ". "); i > 0 {
		return doc[:i+1]
	}
	return doc
}

var codeAtEnd = regexp.MustCompile(`(?m) \[([a-z0-9-]+)\]$`)

// shownFaults finds for each code the shortest rendering among the fixtures; a
// fixture named after the code comes first. A folder that is absent has none.
func shownFaults(dir string) (map[string]string, error) {
	outs, err := filepath.Glob(filepath.Join(dir, "*.out"))
	if err != nil {
		return nil, err
	}
	shown, from := map[string]string{}, map[string]string{}
	for _, path := range outs {
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		for _, m := range codeAtEnd.FindAllStringSubmatch(string(b), -1) {
			code := m[1]
			if old, ok := from[code]; ok && (old == code || name != code && len(shown[code]) <= len(b)) {
				continue
			}
			shown[code], from[code] = string(b), name
		}
	}
	return shown, nil
}
