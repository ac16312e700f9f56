package main

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli"
	"github.com/patchbay-mcp/patchbay/internal/golden"
)

// inPicture are the lines of the demo that its picture shows: for each, the next
// line that begins so.
var inPicture = []string{
	"1.", "-> search_nodes", `"signature"`,
	"3.", "|   - {id: list", `"message"`, `"hint"`, `"message"`, `"hint"`,
	"4.", `"valid"`, `"flow"`,
	"5.", "-> run_graph", `"status"`,
	"6.", "-> save_graph", `"exposed"`,
	"7.", "-> most_todos", `"name"`, `"todos"`,
	"What", "the server's", "most_todos",
}

// draftHandle is never the same.
var draftHandle = regexp.MustCompile(`draft:[a-z0-9]+`)

// TestPictureOfDemo runs the demo and compares the picture of the README with what it
// printed.
func TestPictureOfDemo(t *testing.T) {
	path, err := filepath.Abs(filepath.Join(repository, referenceDir, "demo.svg"))
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := cli.Execute(t.Context(), []string{"demo", "--full"}, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	golden.Check(t, path, picture(t, out.String()))
}

// picture draws a terminal with the lines of a session.
func picture(t *testing.T, session string) string {
	t.Helper()
	const lineHeight, columns = 18, 108
	lines := []string{"$ patchbay demo"}
	rest := strings.Split(session, "\n")
	for _, begin := range inPicture {
		for len(rest) > 0 && !strings.HasPrefix(strings.TrimSpace(rest[0]), begin) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			t.Fatalf("the demo prints no line that begins with %q, or in another order", begin)
		}
		line := draftHandle.ReplaceAllString(rest[0], "draft:…")
		line = strings.TrimRight(line, "\r")
		if strings.HasPrefix(begin, `"`) {
			line = "     " + strings.TrimSuffix(strings.TrimSpace(line), ",")
		}
		if r := []rune(line); len(r) > columns {
			line = string(r[:columns-1]) + "…"
		}
		if begin[0] >= '1' && begin[0] <= '9' || begin == "What" {
			lines = append(lines, "")
		}
		lines = append(lines, line)
		rest = rest[1:]
	}
	var b strings.Builder
	width, height := 880, (len(lines)+2)*lineHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="A session of patchbay demo">`+"\n", width, height, width, height)
	b.WriteString("<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#c9d1d9;white-space:pre}.step{fill:#f0f6fc;font-weight:bold}.call{fill:#79c0ff}</style>\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#0d1117"/>`+"\n", width, height)
	for i, line := range lines {
		class := ""
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(trimmed, "->"):
			class = ` class="call"`
		case trimmed != "" && trimmed[0] != '"' && trimmed[0] != '|':
			class = ` class="step"`
		}
		if line != "" {
			fmt.Fprintf(&b, `<text x="16" y="%d"%s xml:space="preserve">%s</text>`+"\n", (i+2)*lineHeight-4, class, html.EscapeString(line))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}
