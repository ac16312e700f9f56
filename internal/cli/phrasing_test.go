package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

// Messages for clients of MCP are said in commands; other words stay as they are.
func TestMessagesAreSaidInCommands(t *testing.T) {
	presenter := command.Words{Root: Command(), Fields: app.InputFields(reflect.TypeFor[discover.SearchInput]()), Run: "run_1"}
	for text, want := range map[string]string{
		"search_nodes finds nodes":      "patchbay search finds nodes",
		"ask for less (get_node_types)": "ask for less (patchbay types)",
		"evaluate it; run_nodes, mcp:memory/search_nodes, \"run_graph\", run_graph2": "evaluate it; run_nodes, mcp:memory/search_nodes, \"run_graph\", run_graph2",
		`get_run {"run_id": "run_7"} shows it`:                                       "patchbay runs show run_7 shows it",
		`resume_run {"decision": "retry", "step": "a#0[2]"} goes on`:                 "patchbay runs resume run_1 --retry --step 'a#0[2]' goes on",
		`run_graph {"mode": "dry_run"} calls nothing`:                                "patchbay run FILE --dry-run calls nothing",
		`run_graph {"name": "sum", "arguments": {"n": 2, "s": "it's"}}`:              `patchbay run sum n=2 s='it'\''s'`,
		`get_node_details {"nodes": [{"id": "mcp:a/b"}, "wait"]}.`:                   "patchbay show mcp:a/b wait.",
		`save_graph {"name": "sum", "restore": "81f0"} restores it`:                  "patchbay graphs restore sum 81f0 restores it",
		`evaluate {"expression": "…"} computes`:                                      "patchbay eval … computes",
		`run_graph {"name": it is not JSON`:                                          `patchbay run {"name": it is not JSON`,
		"its nodes are entry, save_graph, run_graph; get_graph shows it":             "its nodes are entry, save_graph, run_graph; patchbay graphs show shows it",
		"the saved graphs are get_run":                                               "the saved graphs are get_run",
		"use the argument type_filter, or the argument expr":                         "use --type, or the argument expr",
	} {
		if got := presenter.Text(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	// A tool of a server that is called as one of ours is not a command.
	for text, want := range map[string]string{
		"patchbay mcp info box search_nodes shows the change; search_nodes finds nodes": "patchbay mcp info box search_nodes shows the change; patchbay search finds nodes",
		"patchbay mcp approve box run_graph accepts it":                                 "patchbay mcp approve box run_graph accepts it",
		"tool get_run of server box: its title":                                         "tool get_run of server box: its title",
	} {
		if got := presenter.Text(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	for path, want := range map[string]string{"/type_filter": "--type", "/query": "WORDS", "/nodes/1": "/nodes/1", "--type": "--type", "": "", "/server/x": "--server x"} {
		if got := presenter.Argument(path); got != want {
			t.Errorf("%s is said as %s, not %s", path, got, want)
		}
	}
}

// In a result, the faults, the diagnostics and the hints are said in commands, and
// what tools have said stays.
func TestResultsAreSaidInCommands(t *testing.T) {
	shared := &diag.Fault{Hint: "get_run shows it"}
	r := &execution.RunResult{
		RunID: "run_1", Hint: `resume_run {"decision": "skip"}`, Error: shared, Result: []byte(`"get_run"`),
		Diagnostics: diag.List{{Hint: "search_nodes finds it", Message: "the tool get_run"}},
		Rendered:    "g.yaml:1:1: error: a\n   1 | tool: get_run\n     = hint: get_run shows it\n",
	}
	command.Words{Root: Command()}.Result(reflect.ValueOf(map[string]any{"runs": []*execution.RunResult{r, nil}, "fault": shared}))
	for got, want := range map[string]string{
		r.Hint: "patchbay runs resume run_1 --skip", r.Error.Hint: "patchbay runs show shows it", string(r.Result): `"get_run"`,
		r.Diagnostics[0].Hint: "patchbay search finds it", r.Diagnostics[0].Message: "the tool get_run",
		r.Rendered:  "g.yaml:1:1: error: a\n   1 | tool: get_run\n     = hint: patchbay runs show shows it\n",
		shared.Hint: "get_run shows it",
	} {
		if got != want {
			t.Errorf("got %s want %s", got, want)
		}
	}
}

// toolNamed finds the tools of the product in a text. A name of one word is a word of
// the language, too; one after a slash is another server's tool, and one in quotes is
// what a person wrote.
var toolNamed = regexp.MustCompile(`(^|[^\w/"])(search_nodes|get_\w+|\w+_graph|run_node|resume_run|cancel_run)\b`)

// heard runs a command of a script, and adds what it says about tools to a file.
func heard(file string, f *command.Flags) int {
	var mu sync.Mutex
	var said bytes.Buffer
	tee := func(w io.Writer) io.Writer {
		return writerFunc(func(p []byte) (int, error) {
			mu.Lock()
			said.Write(p)
			mu.Unlock()
			return w.Write(p)
		})
	}
	code := runWith(untilSignal(f), f, os.Args[1:], os.Stdin, tee(os.Stdout), tee(os.Stderr))
	mu.Lock()
	defer mu.Unlock()
	for line := range strings.Lines(said.String()) {
		name := toolNamed.FindStringSubmatch(line)
		if len(name) == 0 || !slices.ContainsFunc(app.Operations(), func(o app.Operation) bool { return o.Tool == name[2] }) {
			continue
		}
		if log, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			fmt.Fprintf(log, "%s: %s\n", strings.Join(os.Args[1:], " "), strings.TrimSpace(line))
			_ = log.Close()
		}
	}
	return code
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
