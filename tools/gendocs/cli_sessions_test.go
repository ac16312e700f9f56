package main

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
)

// A shownCommand is a command of docs/reference/commands.md: what it is for, and its words.
type shownCommand struct {
	name, what string
	words      []string
}

var shownCommands = []shownCommand{
	{"search", "Find a node by what it does.", []string{"search", "read a text file", "-n", "2"}},
	{"types", "List what a server offers.", []string{"types", "mcp", "--server", "workspace"}},
	{"validate", "Check a graph. The exit code is 1, because it has a fault.", []string{"validate", "broken.yaml"}},
	{"run", "Run a graph. The result goes to standard output, the trace to standard error.", []string{"run", "count.yaml", "directory=notes"}},
	{"call", "Call one tool.", []string{"call", "mcp:workspace/list_directory", "path=notes"}},
	{"eval", "Evaluate JSONata, and print the reply as YAML.", []string{"eval", "$sum(prices)", "--context", `{"prices": [1.5, 2.25]}`, "-o", "yaml"}},
	{"graphs-save", "Keep a graph as a tool.", []string{"graphs", "save", "count.yaml"}},
	{"graphs-list", "List the saved graphs.", []string{"graphs", "list"}},
	{"runs-list", "List what has run.", []string{"runs", "list"}},
	{"mcp-list", "See whether the servers work.", []string{"mcp", "list"}},
}

const cliSessionsIntro = `# The command line in ten commands

<!-- Written by make generate: change the program instead. -->

Each command is shown at a terminal of 80 columns, and as another program gets it through a pipe. The [reference](cli.md) has all commands, flags and exit codes.

With every command, ` + "`-o json`, `-o yaml` and `-o name`" + ` print the result for programs, ` + "`--field PATH`" + ` one value of it, ` + "`-q JSONATA`" + ` what an expression selects, and ` + "`--file FILE`" + ` writes it to a file. Progress and errors go to
standard error; ` + "`--quiet`" + ` leaves only the errors. ` + "`NO_COLOR=1` or `--color never`" + ` turns colours off.
`

var cliSessionFiles = map[string]string{
	"notes/a.txt": "milk", "notes/b.txt": "bread",
	"count.yaml": `name: count_notes
description: Counts the files of a folder
inputSchema: {type: object, properties: {directory: {type: string}}, required: [directory]}
outputSchema: {type: object, properties: {count: {type: number}}, required: [count]}
nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: mcp, server: workspace, tool: list_directory, args: {path: {expr: $.entry.directory}}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"count": $count($split($.list.content, "\n")[$contains("[FILE]")])}'}}
`,
	"broken.yaml": `nodes:
  - {id: entry, type: entry, next: shout}
  - {id: shout, type: transform, transform: {expr: $upper($.entry.text)}, next: exti}
  - {id: exit, type: exit}
`,
	"patchbay.yaml": "graphs: graphs\ncache: cache\nruns: {file: runs.db}\nproject: notes\n",
}

// variables are what differs from run to run, in texts of the same width. Of several
// runs, each has an ID of its own.
var variables = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`run_[0-9A-Z]{26}`), "run_01KDX4A0B1C2D3E4F5G6H7J8K9"},
	{regexp.MustCompile(`…[0-9A-HJKMNP-TV-Z]{21}\b`), "…4A0B1C2D3E4F5G6H7J8K9"}, // the end of one
	{regexp.MustCompile(`--cursor [\w-]+`), "--cursor CFLnu5i2RS0C"},
	{regexp.MustCompile(`\d+[smh] ago *`), "2s ago   "},
	{regexp.MustCompile(`\d\.\ds\b`), "0.1s"},
}

// TestCommandLinePage runs the commands of docs/reference/commands.md in a folder of their own, and
// compares the page and its pictures with what they print.
func TestCommandLinePage(t *testing.T) {
	docs, err := filepath.Abs(filepath.Join(repository, "docs"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range cliSessionFiles {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("COLUMNS", "80")
	t.Setenv(config.TrustVariable, "all")
	var page strings.Builder
	page.WriteString(cliSessionsIntro)
	for _, c := range shownCommands {
		line := "$ patchbay " + quoted(c.words)
		colored := printed(t, append([]string{"--color", "always"}, c.words...))
		if c.name == "graphs-save" {
			c.words = append(c.words, "--overwrite")
		}
		golden.Check(t, filepath.Join(docs, "cli", c.name+".svg"), terminal(line, colored))
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n![At a terminal](../cli/%s.svg)\n\n```text\n%s | cat\n%s```\n", strings.ReplaceAll(c.name, "-", " "), c.what, c.name, line, printed(t, c.words))
	}
	golden.Check(t, filepath.Join(docs, "reference", "commands.md"), page.String())
}

// printed is what a command writes to standard output.
func printed(t *testing.T, words []string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Execute(t.Context(), words, strings.NewReader(""), &out, &errs); code > 1 {
		t.Fatalf("%v: exit %d: %s", words, code, errs.String())
	}
	text := out.String()
	ids := map[string]bool{}
	for _, v := range variables {
		text = v.pattern.ReplaceAllStringFunc(text, func(s string) string {
			shown := v.instead[:len(s)]
			if !strings.HasSuffix(v.instead, "K9") {
				return shown
			}
			ids[s] = true
			return shown[:len(shown)-1] + strconv.Itoa(len(ids))
		})
	}
	return text
}

// quoted is a command line as one types it.
func quoted(words []string) string {
	shown := make([]string, len(words))
	for i, w := range words {
		if shown[i] = w; strings.ContainsAny(w, ` $"{(`) {
			shown[i] = "'" + w + "'"
		}
	}
	return strings.Join(shown, " ")
}

// styleOf are the classes of a picture for the escape sequences of a terminal.
var styleOf = map[string]string{"32": "good", "31": "bad", "33": "doubt", "2": "faint"}

var escape = regexp.MustCompile("\x1b\\[(\\d+)m([^\x1b]*)\x1b\\[0m")

// terminal draws a terminal of 80 columns with what a command printed.
func terminal(command, text string) string {
	const lineHeight, width = 18, 672
	lines := append([]string{command}, strings.Split(strings.TrimRight(text, "\n"), "\n")...)
	var b strings.Builder
	height := (len(lines) + 2) * lineHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", width, height, width, height, html.EscapeString(command))
	b.WriteString("<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#c9d1d9;white-space:pre}.good{fill:#3fb950}.bad{fill:#f85149}.doubt{fill:#d29922}.faint{fill:#8b949e}</style>\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#0d1117"/>`+"\n", width, height)
	for i, line := range lines {
		shown := escape.ReplaceAllStringFunc(html.EscapeString(line), func(s string) string {
			m := escape.FindStringSubmatch(s)
			return `<tspan class="` + styleOf[m[1]] + `">` + m[2] + `</tspan>`
		})
		fmt.Fprintf(&b, `<text x="16" y="%d" xml:space="preserve">%s</text>`+"\n", (i+2)*lineHeight-4, shown)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
