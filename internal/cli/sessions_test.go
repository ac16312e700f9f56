package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
)

const sessionsFile = "../../docs/sessions.md"

// What a model may have to read to build one tool of four nodes, beside the instructions
// and the list of tools that every session begins with; and how many calls it takes.
const (
	maxRead  = 2_000
	maxCalls = 6
)

// A wish is what a user asks an agent for, and the agent's way to it.
type wish struct {
	title, wish string
	files       map[string]string
	steps       []step
}

// A step is one call. Graph is the argument of that name as text; "$draft" and
// "$run" in the arguments stand for the handles in the replies before.
type step struct {
	why, tool, args, graph string
}

var wishes = []wish{
	{
		title: "Count files", wish: "I want a tool that counts the files of a folder.",
		files: map[string]string{"notes/a.txt": "a", "notes/b.txt": "b", "notes/old/c.txt": "c"},
		steps: []step{
			{"The agent searches for what the first step should do.", "search_nodes", `{"query":"list the files of a folder","max_results":2}`, ""},
			{"It calls the best hit, to see what it really returns.", "run_node", `{"id":"mcp:workspace/list_directory","arguments":{"path":"."}}`, ""},
			{"It writes the graph, with a mistake in the tool's name and one in an edge, and has the fixes applied.", "validate_graph", `{"apply_fixes":true}`, `name: count_files
description: Counts the files of a folder
inputSchema: {type: object, properties: {folder: {type: string, description: path of the folder}}, required: [folder]}
outputSchema: {type: object, properties: {count: {type: number}}, required: [count]}
nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: mcp, server: workspace, tool: list_directry, args: {path: {expr: $.entry.folder}}, next: cuont}
  - {id: count, type: transform, transform: {expr: '{"count": $count($split($.list.content, "\n")[$contains("[FILE]")])}'}, next: exit}
  - {id: exit, type: exit}
`},
			{"It runs the draft.", "run_graph", `{"graph":"$draft","arguments":{"folder":"notes"},"trace":"none"}`, ""},
			{"It saves the graph.", "save_graph", `{"graph":"$draft"}`, ""},
			{"It calls the new tool.", "count_files", `{"folder":"notes"}`, ""},
		},
	},
	{
		title: "Judge an order", wish: "Make a tool that adds up the lines of an order and says if it needs approval, which is from 1000 on.",
		steps: []step{
			{"The agent looks for a way to branch.", "search_nodes", `{"query":"branch on a condition","type_filter":"switch"}`, ""},
			{"It reads how a switch is written.", "get_node_details", `{"nodes":[{"id":"switch"}]}`, ""},
			{"It tries the sum alone.", "evaluate", `{"expression":"$sum(entry.lines.(price * amount))","context":{"entry":{"lines":[{"price":400,"amount":2},{"price":250,"amount":1}]}}}`, ""},
			{"It writes the graph and validates it.", "validate_graph", `{}`, `name: judge_order
description: Adds up the lines of an order and says whether it needs approval
inputSchema:
  type: object
  properties:
    lines:
      type: array
      items: {type: object, properties: {price: {type: number}, amount: {type: number}}, required: [price, amount]}
  required: [lines]
outputSchema: {type: object, properties: {total: {type: number}, approval: {type: boolean}}, required: [total, approval]}
nodes:
  - {id: entry, type: entry, next: sum}
  - {id: sum, type: transform, transform: {expr: '{"total": $sum([$.entry.lines.(price * amount)])}'}, next: size}
  - {id: size, type: switch, conditions: [{rule: {">=": [{var: $.sum.total}, 1000]}, next: large}], next: small}
  - {id: large, type: transform, transform: {expr: '{"total": $.sum.total, "approval": true}'}, next: exit}
  - {id: small, type: transform, transform: {expr: '{"total": $.sum.total, "approval": false}'}, next: exit}
  - {id: exit, type: exit}
`},
			{"It runs both branches.", "run_graph", `{"graph":"$draft","arguments":{"lines":[{"price":400,"amount":2},{"price":250,"amount":1}]},"trace":"none"}`, ""},
			{"", "run_graph", `{"graph":"$draft","arguments":{"lines":[{"price":5,"amount":2}]},"trace":"none"}`, ""},
			{"It saves the graph and calls the new tool.", "save_graph", `{"graph":"$draft"}`, ""},
			{"", "judge_order", `{"lines":[{"price":999.5,"amount":1}]}`, ""},
		},
	},
	{
		title: "Total a table", wish: "There is a CSV file with expenses. Give me a tool that totals a column of such a file.",
		files: map[string]string{"expenses.csv": "day,amount\nmon,12.50\ntue,7.25\nwed,30\n"},
		steps: []step{
			{"The agent searches for a way to read a file.", "search_nodes", `{"query":"read a text file","max_results":2}`, ""},
			{"It reads the file, to see what an expression will see.", "run_node", `{"id":"mcp:workspace/read_text_file","arguments":{"path":"expenses.csv"}}`, ""},
			{"It tries the expression on that run.", "evaluate", `{"run_id":"$run","expression":"$split(node.content, \"\\n\")[1]"}`, ""},
			{"It writes the graph.", "validate_graph", `{}`, `name: total_column
description: Totals a column of a CSV file
inputSchema: {type: object, properties: {file: {type: string}, column: {type: string}}, required: [file, column]}
outputSchema: {type: object, properties: {total: {type: number}}, required: [total]}
nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: workspace, tool: read_text_file, args: {path: {expr: $.entry.file}}, next: rows}
  - {id: rows, type: transform, transform: {expr: '$split($.read.content, "\n")[$ != ""].[$split($, ",")]'}, next: total}
  - id: total
    type: transform
    transform:
      expr: |
        ($names := $.rows[0]; $column := $.entry.column;
         $at := $filter([0..$count($names) - 1], function($i) { $names[$i] = $column })[0];
         {"total": $sum([$map($filter($.rows, function($r, $i) { $i > 0 }), function($r) { $number($r[$at]) })])})
    next: exit
  - {id: exit, type: exit}
`},
			{"The first run names a file that does not exist: the reply names the failed node and its input.", "run_graph", `{"graph":"$draft","arguments":{"file":"expense.csv","column":"amount"}}`, ""},
			{"The second run works.", "run_graph", `{"graph":"$draft","arguments":{"file":"expenses.csv","column":"amount"},"trace":"none"}`, ""},
			{"It reads the rows from the stored run.", "get_run", `{"run_id":"$run","expr":"rows[1]"}`, ""},
			{"It saves the graph and calls the new tool.", "save_graph", `{"graph":"$draft"}`, ""},
			{"", "total_column", `{"file":"expenses.csv","column":"amount"}`, ""},
		},
	},
}

// plays are figures of sessions that no test can hold: a model played them.
const plays = `
## Eight tools that models built

On 2026-11-26, eight agents with this server alone each built one tool, with the servers filesystem, memory and everything and a small shop with pages of orders. Each wish was played once. Calls that the agent did not
see were written before it began. They were made to a new process, whose servers had not started yet. Calls and bytes are those until the agent stopped, without the instructions and the list of tools.

| wish | right | calls | kB read |
|---|---|--:|--:|
| totals of orders by customer, over pages | 4 of 4 | 6 | 19.9 |
| the largest files of a folder, a call for each file | 4 of 4 | 14 | 18.8 |
| the first file with a word, and its line | 4 of 4 | 10 | 16.5 |
| keep a fact about a person, once | 4 of 4 | 15 | 17.5 |
| follow keys for up to 400 hops | 4 of 4 | 12 | 18.7 |
| price a list, with articles that do not exist | 4 of 4 | 7 | 5.9 |
| a savings plan, a loop of up to 600 months | 4 of 4 | 3 | 8.4 |
| compare two quotes, with nested arguments | 3 of 3 | 4 | 9.2 |

The median is 8.5 calls and 17.0 kB.
`

// The sessions of the documentation are real: this test holds them with the
// program, and the document is what was said.
func TestSessions(t *testing.T) {
	var doc strings.Builder
	doc.WriteString(`# Sessions

In each of three sessions, an agent that has only this server turns a request in plain words into a saved tool. Requests and replies are shown as they were on the wire (a reply is the text that the
model reads). Handles, times and revisions differ from run to run and are shown as "…". Sizes are those of the replies. Shorter sessions follow, one for each [idiom](reference/idioms.md).

This page is written by ` + "`go test ./internal/cli -run TestSessions -update`" + ` and checked by every test run.
`)
	for _, w := range wishes {
		t.Run(w.title, func(t *testing.T) { w.hold(t, &doc) })
	}
	fmt.Fprintf(&doc, "\n## From a question to a tool\n\nIn these sessions, the agent begins with a question, changes the graph that the search shows, checks it, runs it and saves it. Each reads at most %d bytes, the instructions and the list of tools included. Long replies are cut here.\n", maxIdiomRead)
	for _, w := range idiomWishes {
		t.Run(w.idiom, func(t *testing.T) { w.hold(t, &doc) })
	}
	doc.WriteString(plays)
	golden.Check(t, sessionsFile, doc.String())
}

func (w wish) hold(t *testing.T, doc *strings.Builder) {
	s := opened(t, w.files)
	first := s.read

	fmt.Fprintf(doc, "\n## %s\n\n> %s\n", w.title, w.wish)
	called := ""
	for i, step := range w.steps {
		if step.why != "" {
			fmt.Fprintf(doc, "\n%s\n", step.why)
		}
		text := s.step(t, step)
		called = text
		s.read += len(text)
		fmt.Fprintf(doc, "\n%d. `%s` %s\n", i+1, step.tool, "`"+step.args+"`")
		if step.graph != "" {
			fmt.Fprintf(doc, "\n   with this as `graph`:\n   ```text\n%s   ```\n", indent(step.graph))
		}
		fmt.Fprintf(doc, "\n   %d bytes:\n   ```text\n%s   ```\n", len(text), indent(text+"\n"))
	}
	if strings.Contains(called, `"error"`) {
		t.Errorf("the saved tool answers %s", called)
	}
	fmt.Fprintf(doc, "\nIn all, the agent reads %d bytes. %d of them are the instructions and the list of tools, which every session begins with.\n", s.read, first)
	if nodes := strings.Count(w.steps[2].graph, "{id: "); nodes == 4 && (s.read-first > maxRead || len(w.steps) > maxCalls) {
		t.Errorf("to build a tool of four nodes %d bytes of replies were read in %d calls, want at most %d in %d", s.read-first, len(w.steps), maxRead, maxCalls)
	}
}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("   " + line)
	}
	return b.String()
}

// spoken is a session with its handles.
type spoken struct {
	*served
	dir        string
	id         int
	draft, run string
	read       int // bytes of the instructions, the list of tools and the replies
}

// opened begins a session over a folder with some files.
func opened(t *testing.T, files map[string]string) *spoken {
	t.Helper()
	dir := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &spoken{served: serveIn(t, "", dir), dir: dir}
	var greeting struct {
		Instructions string `json:"instructions"`
	}
	s.request(t, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`, &greeting)
	list := s.request(t, "tools/list", `{}`, nil)
	s.read = len(greeting.Instructions) + len(list)
	s.awaitServers(t)
	return s
}

// awaitServers returns when all servers have started: what is found then does not depend on
// how fast they start.
func (s *spoken) awaitServers(t *testing.T) {
	t.Helper()
	for strings.Contains(string(s.request(t, "tools/call", `{"name":"get_node_types","arguments":{}}`, nil)), `pending`) {
		continue
	}
}

func (s *spoken) request(t *testing.T, method, params string, into any) json.RawMessage {
	t.Helper()
	s.id++
	line := s.ask(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.id, method, params))
	for {
		var m struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if m.ID == s.id {
			if into != nil {
				if err := json.Unmarshal(m.Result, into); err != nil {
					t.Fatal(err)
				}
			}
			return m.Result
		}
		var err error
		if line, err = s.out.ReadString('\n'); err != nil { // that was a notification
			t.Fatal(err)
		}
	}
}

var (
	someDraft = regexp.MustCompile(`draft:[a-z2-7]{26}`)
	someRun   = regexp.MustCompile(`run_[0-9A-Z]{26}`)
	someTime  = regexp.MustCompile(`"(ms|duration_ms)":[0-9.e-]+`)
	someDate  = regexp.MustCompile(`"started":"[^"]+"`)
	someMark  = regexp.MustCompile(`"revision":"[0-9a-f]{16}"`)
)

// step makes a call and returns the text of the reply without what differs from
// run to run.
func (s *spoken) step(t *testing.T, c step) string {
	t.Helper()
	args := strings.NewReplacer("$draft", s.draft, "$run", s.run).Replace(c.args)
	if c.graph != "" {
		text, err := json.Marshal(c.graph)
		if err != nil {
			t.Fatal(err)
		}
		more := strings.TrimSuffix(strings.TrimPrefix(args, "{"), "}")
		if more != "" {
			more = "," + more
		}
		args = `{"graph":` + string(text) + more + `}`
	}
	var reply struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	s.request(t, "tools/call", `{"name":`+strconv.Quote(c.tool)+`,"arguments":`+args+`}`, &reply)
	var said bytes.Buffer
	for i, item := range reply.Content {
		if i > 0 {
			said.WriteString("\n")
		}
		said.WriteString(strings.TrimRight(item.Text, "\n"))
	}
	text := said.String()
	if d := someDraft.FindString(text); d != "" {
		s.draft = d
	}
	if r := someRun.FindString(text); r != "" {
		s.run = r
	}
	text = strings.ReplaceAll(text, s.dir, "/home/ada")
	text = someDraft.ReplaceAllString(text, "draft:…")
	text = someRun.ReplaceAllString(text, "run_…")
	text = someTime.ReplaceAllString(text, `"$1":…`)
	text = someDate.ReplaceAllString(text, `"started":"…"`)
	return someMark.ReplaceAllString(text, `"revision":"…"`)
}
