package patchbay_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/internal/tests/modeltest"
	"github.com/patchbay-mcp/patchbay/internal/tests/tokens"
	"github.com/patchbay-mcp/patchbay/run"
)

// A task is an example with what it is called with, what the run returns, and the file that
// it writes.
type task struct {
	name, arguments, result string
	file, text              string
	heading                 string // of its section
	besides                 string // what it saves that is not counted
}

var tasks = []task{
	{
		name: "triage_issues", besides: "people read only what no rule knows", heading: "Triage of issues",
		arguments: `{"rules":[{"label":"bug","words":["crash","panic","wrong"]},{"label":"question","words":["how do i","is it possible"]},{"label":"docs","words":["typo","page"]}]}`,
		result:    `{"labelled":{"bug":15,"question":15,"docs":15},"unknown":["#4 Colours","#8 Colours","#12 Colours","#16 Colours","#20 Colours","#24 Colours","#28 Colours","#32 Colours","#36 Colours","#40 Colours","#44 Colours","#48 Colours","#52 Colours","#56 Colours","#60 Colours"]}`,
	},
	{
		name: "weekly_report", besides: "a missing note stops it before a half report is written", heading: "Weekly report over two servers",
		arguments: `{"days":["monday","tuesday","wednesday","thursday","friday"],"week":"2026-W48"}`,
		result:    `{"file":"report-2026-W48.md","projects":3,"quiet":["Cairn"]}`,
		file:      "report-2026-W48.md",
		text:      "# 2026-W48\n\n## Atlas\nled by Ada\n\nAtlas: sheet 1 is drawn\nAtlas: sheet 2 is drawn\nAtlas: sheet 3 is drawn\nAtlas: sheet 4 is drawn\nAtlas: sheet 5 is drawn\n\n## Boreas\nled by Bo\n\nBoreas waits for wind\n",
	},
	{
		name: "order_to_invoice", besides: "an order has one invoice, however often it is sent, and a large one waits for a person", heading: "Order to invoice, with an approval",
		arguments: `{"order":"A-17","customer":"Ada","items":[{"article":"desk","quantity":3,"price":420},{"article":"lamp","quantity":6,"price":19.5}]}`,
		result:    `{"status":"invoiced","total":1652.4,"file":"invoice-A-17.md"}`,
		file:      "invoice-A-17.md",
		text:      "# Invoice 1 for Ada\n\n- 3 desk: 1260.00\n- 6 lamp: 117.00\n\nNet 1377.00, VAT 275.40, total 1652.40\n",
	},
	{
		name: "pages_to_csv", besides: "no row passes through a model, which might change it", heading: "Paged API to CSV",
		arguments: `{"file":"customers.csv","columns":["name","city"]}`,
		result:    `{"file":"customers.csv","rows":250,"pages":10}`,
		file:      "customers.csv",
		text:      customersCSV(),
	},
	{
		name: "count_todos", besides: "only counts leave the run", heading: "Fan-out over 1,000 files",
		arguments: `{"folder":"many"}`,
		result:    `{"files":1000,"todos":1003,"most":[{"file":"DIR/many/0500.txt","todos":4},{"file":"DIR/many/0001.txt","todos":1},{"file":"DIR/many/0002.txt","todos":1}]}`,
	},
	{
		name: "backup", besides: "a busy store is asked again, and each copy is compared", heading: "Backup with retry",
		arguments: `{"folder":"notes"}`,
		result:    `{"saved":4,"failed":["friday.md"]}`,
	},
	{
		name: "summarise_files", besides: "a model that you choose reads each file", heading: "Summaries of ten files",
		arguments: `{"folder":"letters"}`,
		result:    `{"summaries":[` + strings.Join(summaries(), ",") + `]}`,
	},
}

// TestTasks runs the graphs of examples/tasks with the configuration that is there: on the
// servers of npm, on files, and on an API of this test, which is busy now and then. The
// pictures and figures on their page and in README.md follow from the graphs and the runs.
func TestTasks(t *testing.T) {
	dir, api, pb := openTasks(t)
	var rows, sections strings.Builder
	for _, task := range tasks {
		path := "examples/tasks/" + task.name + ".yaml"
		graph := plans.FromText(path, readText(t, filepath.Join(dir, task.name+".yaml")), "")
		checked, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: graph})
		if fault != nil {
			t.Fatal(fault)
		}
		if !checked.Valid || len(checked.Warnings) > 0 {
			t.Errorf("the example is not faultless:\n%s", checked.Rendered)
		}
		calls, took, result := perform(t, pb, execution.RunInput{GraphInput: graph, Arguments: json.RawMessage(task.arguments)})
		if result = strings.ReplaceAll(result, dir, "DIR"); result != task.result {
			t.Errorf("%s gives\n%s, want\n%s", task.name, result, task.result)
		}
		tried(t, pb, path, checked.Source)
		if task.file != "" {
			if text := readText(t, filepath.Join(dir, task.file)); text != task.text {
				t.Errorf("%s writes\n%s", task.name, text)
			}
		}
		picture, fault := pb.Export(t.Context(), author.ExportInput{GraphInput: graph, Format: "mermaid"})
		if fault != nil {
			t.Fatal(fault)
		}
		saves := task.besides
		if took != nil {
			saves += fmt.Sprintf(", for %s tokens", rounded(took.Sum()))
		}
		if len(calls) > 1 {
			saves = fmt.Sprintf("%s calls with %s tokens become one with %s; %s", grouped(len(calls)), rounded(calls.tokens(t, dir)), rounded(counted(t, task.arguments, "")+counted(t, task.result, "")), saves)
		}
		fmt.Fprintf(&rows, "- [%s](examples/tasks/%s.yaml): %s\n", task.heading, task.name, saves)
		fmt.Fprintf(&sections, "\n## %s\n\n[%s.yaml](%s.yaml): %s. [Tests](%s.test.yaml).\n\n```mermaid\n%s\n```\n", task.heading, task.name, task.name, saves, task.name, strings.TrimSpace(strings.ReplaceAll(picture.Picture, api, "https://api.example.com")))
	}
	between(t, "README.md", rows.String())
	between(t, "examples/tasks/README.md", sections.String())
}

// openTasks copies examples/tasks into a folder with the data of the tasks, where the servers
// of npm are those of testdata/npm and the API is one of this test, and opens it.
func openTasks(t *testing.T) (dir, api string, pb *app.App) {
	t.Helper()
	modules, err := filepath.Abs("testdata/npm/node_modules/@modelcontextprotocol")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(modules); err != nil {
		t.Skip("the npm servers are not installed: make npm")
	}
	if dir, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(tasksAPI())
	t.Cleanup(server.Close)
	api = server.URL
	played := httptest.NewServer(&modeltest.Endpoint{Answer: func(_ int, r modeltest.Request) modeltest.Reply {
		_, file, _ := strings.Cut(r.Prompt, "# ")
		subject, _, _ := strings.Cut(file, "\n")
		summary := "It is about " + subject + "."
		return modeltest.Reply{Text: summary, In: counted(t, r.Body["messages"], ""), Out: counted(t, map[string]string{"content": summary}, "")}
	}})
	t.Cleanup(played.Close)
	t.Setenv("API_TOKEN", "token-of-the-tasks")
	here := strings.NewReplacer(
		`npx, args: [-y, "@modelcontextprotocol/server-filesystem"`, "node, args: ["+filepath.Join(modules, "server-filesystem", "dist", "index.js"),
		`npx, args: [-y, "@modelcontextprotocol/server-memory"]`, "node, args: ["+filepath.Join(modules, "server-memory", "dist", "index.js")+"], env: {MEMORY_FILE_PATH: "+filepath.Join(dir, "memory.jsonl")+"}",
		"https://api.example.com", api, "http://127.0.0.1:11434", played.URL)
	files, err := filepath.Glob("examples/tasks/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		place(t, filepath.Join(dir, filepath.Base(file)), here.Replace(readText(t, file)))
	}
	for i, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday"} {
		text := fmt.Sprintf("# %s\n\nAtlas: sheet %d is drawn\n", day, i+1) + strings.Repeat("Lunch with somebody, and a walk to the harbour.\n", 40)
		if day == "tuesday" {
			text += "Boreas waits for wind\n"
		}
		place(t, filepath.Join(dir, "notes", day+".md"), text)
	}
	for i := range 10 {
		text := fmt.Sprintf("# letter %d\n\n", i) + strings.Repeat("A line of a letter that a model reads and nobody else.\n", 30)
		place(t, filepath.Join(dir, "letters", fmt.Sprintf("%d.md", i)), text)
	}
	for i := range 1000 {
		text := strings.Repeat("A line of a file that a model would read.\n", 20) + "TODO: read this one\n"
		if i == 499 {
			text += "TODO TODO TODO\n"
		}
		place(t, filepath.Join(dir, "many", fmt.Sprintf("%04d.txt", i+1)), text)
	}
	cfg, found, err := config.Load(config.Options{File: filepath.Join(dir, "patchbay.yaml")})
	if err != nil || found.HasErrors() {
		t.Fatal(err, found)
	}
	if pb, err = app.Open(t.Context(), cfg, app.Setup{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	if _, fault := pb.Sync(t.Context(), plans.SyncInput{}); fault != nil {
		t.Fatal(fault)
	}
	if _, fault := pb.RunNode(t.Context(), execution.RunNodeInput{ID: "mcp:memory/create_entities", Arguments: json.RawMessage(`{"entities":[
		{"name":"Boreas","entityType":"project","observations":["led by Bo"]},
		{"name":"Atlas","entityType":"project","observations":["led by Ada"]},
		{"name":"Cairn","entityType":"project","observations":["led by Cy"]}]}`)}); fault != nil {
		t.Fatal(fault)
	}
	return dir, api, pb
}

// called are what tools and APIs were sent, and what they answered, by the keys of the steps.
type called map[string]run.Event

// tokens are those that a model would write and read if it made the calls.
// The folder of the test counts as a short one.
func (c called) tokens(t *testing.T, dir string) (n int) {
	t.Helper()
	for _, e := range c {
		n += counted(t, e.Input, dir) + counted(t, e.Output, dir)
	}
	return n
}

// counted returns how many tokens a value has, or a text of JSON.
func counted(t *testing.T, v any, dir string) int {
	t.Helper()
	if text, ok := v.(string); ok {
		v = json.RawMessage(text)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if dir != "" {
		text = []byte(strings.ReplaceAll(string(text), dir, "/home/ada/tasks"))
	}
	n, err := tokens.Count(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// rounded writes a number with two digits that count.
func rounded(n int) string {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return grouped((n + unit/2) / unit * unit)
}

func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// summaries are those of the letters, as JSON.
func summaries() []string {
	all := make([]string, 10)
	for i := range all {
		all[i] = fmt.Sprintf(`{"file":"DIR/letters/%d.md","summary":"It is about letter %[1]d."}`, i)
	}
	return all
}

// perform runs a graph to its end, for which a person accepts what it asks, and returns its calls
// and the tokens that a model took.
func perform(t *testing.T, pb *app.App, in execution.RunInput) (called, *execution.Tokens, string) {
	t.Helper()
	var mu sync.Mutex
	calls := called{}
	in.OnEvent = func(e run.Event) {
		if e.Ended && !e.Frame && (e.Type == "mcp" || e.Type == "http") {
			mu.Lock()
			defer mu.Unlock()
			calls[e.Key] = e
		}
	}
	r, fault := pb.Run(t.Context(), in)
	if fault == nil && len(r.Asks) > 0 {
		r, fault = pb.Answer(t.Context(), execution.AnswerInput{RunID: r.RunID, Action: "accept", OnEvent: in.OnEvent})
	}
	if fault != nil || r.Error != nil {
		t.Fatal(fault, r)
	}
	return calls, r.Tokens, string(r.Result)
}

// tasksAPI is a tracker, a list of customers and a store, which is busy each time that it was
// not busy for six requests, and which loses what friday.md says.
func tasksAPI() http.Handler {
	var mu sync.Mutex
	stored := map[string]string{}
	requests := 0
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/issues", func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		titles := []string{"Colours", "A crash at start", "How do I stop it", "Typo"}
		issues := []map[string]any{}
		for n := page*15 - 14; n <= min(page*15, 60); n++ {
			issues = append(issues, map[string]any{"number": n, "title": titles[n%4], "body": strings.Repeat("What I did, and what I saw. ", 10), "state": "open", "user": map[string]any{"login": "somebody"}})
		}
		answer(w, issues)
	})
	mux.HandleFunc("PUT /v1/issues/{number}/labels", func(w http.ResponseWriter, _ *http.Request) { answer(w, nil) })
	mux.HandleFunc("GET /v1/customers", func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		body := map[string]any{"items": customers(page)}
		if page < 9 {
			body["next"] = strconv.Itoa(page + 1)
		}
		answer(w, body)
	})
	mux.HandleFunc("PUT /v1/backup/{name}", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if r.PathValue("name") == "friday.md" {
			text = nil
		}
		stored[r.PathValue("name")] = string(text)
	})
	mux.HandleFunc("GET /v1/backup/{name}", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, stored[r.PathValue("name")]) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch requests++; {
		case r.Header.Get("Authorization") != "Bearer token-of-the-tasks":
			w.WriteHeader(http.StatusUnauthorized)
		case requests%7 == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// customersCSV is the file that has them all.
func customersCSV() string {
	var text strings.Builder
	text.WriteString("\"name\",\"city\"\r\n")
	for i := range 250 {
		fmt.Fprintf(&text, "\"Customer \"\"%d\"\"\",\"Bath\"\r\n", i)
	}
	return text.String()
}

func customers(page int) []map[string]any {
	items := make([]map[string]any, 25)
	for i := range items {
		items[i] = map[string]any{"id": page*25 + i, "name": fmt.Sprintf("Customer %q", strconv.Itoa(page*25+i)), "city": "Bath", "since": "2020-01-01"}
	}
	return items
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func place(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// between compares what a file has between the marks of the tasks.
func between(t *testing.T, path, text string) {
	t.Helper()
	const begin, end = "<!-- tasks: written by go test . -run TestTasks -update -->\n", "<!-- /tasks -->"
	before, rest, begins := strings.Cut(readText(t, path), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has no place for the tasks", path)
	}
	golden.Check(t, path, before+begin+"\n"+strings.TrimSpace(text)+"\n\n"+end+after)
}
