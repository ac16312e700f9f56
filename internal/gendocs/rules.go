package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// validMeans is what a reader may rely on.
const validMeans = "`valid: true` says that there is no error: nothing that is known makes every run fail. Without a warning of " +
	"[maybe-wrong-type](#maybe-wrong-type), [maybe-missing](#maybe-missing) or [maybe-not-run](#maybe-not-run), and without a note of [undeclared-field](#undeclared-field), " +
	"no run fails on a type either: no operator, function, tool or outputSchema gets a value of a kind, a text outside an enum, or an object without a field, that it refuses. " +
	"Three things are left to the run: values of which no schema says anything, as of a tool without outputSchema; values of the right type that fail all the same, as a text that is no number, " +
	"a pattern or a minimum; and how many items a list has, where an index or minItems asks for more. Each warning names the place where some values fail and which; the graph runs as long as the others come."

// rulesPage describes every rule of the checker and of the configuration.
func rulesPage(fixtures string) (string, error) {
	shown, err := shownFaults(fixtures)
	if err != nil {
		return "", err
	}
	w := newPage("Rules", "What `validate`, and the start of the program, can find wrong. An error refuses the graph or the file; a warning says that it runs, probably not as meant; "+
		"a note is worth knowing. A code never changes its meaning.\n\n"+validMeans)
	w.head("code", "severity", "summary")
	for _, r := range diag.Rules() {
		w.row("["+r.Code+"](#"+r.Code+")", string(r.Severity), summary(r.Doc))
	}
	w.line("")
	for _, r := range diag.Rules() {
		w.line("## %s\n", r.Code)
		w.prose(string(r.Severity) + ": " + r.Doc)
		f, ok := shown[r.Code]
		if !ok {
			continue
		}
		if f.faulty != "" {
			w.fence("text", f.faulty)
			w.line("The checker says:\n")
		}
		w.fence("text", f.said)
		if f.fixed != "" {
			w.line("With every first fix applied:\n")
			w.fence("text", f.fixed)
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

// codesIn are the codes of a rendering, in its order.
func codesIn(rendering string) []string {
	var codes []string
	for _, m := range codeAtEnd.FindAllStringSubmatch(rendering, -1) {
		codes = append(codes, m[1])
	}
	return codes
}

// A shownFault is a fixture: what is faulty, what is said of it, and what the fixes
// make of it.
type shownFault struct {
	name, faulty, said, fixed string
}

// shownFaults finds for each code the fixture with the shortest rendering; one named
// after the code comes first. A folder that is absent has none.
func shownFaults(dir string) (map[string]shownFault, error) {
	shown := map[string]shownFault{}
	for _, pattern := range []string{"*.out", "config/*.out"} {
		outs, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, path := range outs {
			said, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, _, _ := strings.Cut(filepath.Base(path), ".")
			for _, code := range codesIn(string(said)) {
				old, ok := shown[code]
				if ok && (old.name == code || name != code && len(old.said) <= len(said)) {
					continue
				}
				source := strings.TrimSuffix(path, ".out")
				shown[code] = shownFault{name, beside(source), string(said), beside(source + ".fixed")}
			}
		}
	}
	return shown, nil
}

// beside is the text of a file, or "" where there is none.
func beside(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}
