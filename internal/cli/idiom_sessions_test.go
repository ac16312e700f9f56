package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
)

// What a session that builds a tool from an idiom may take.
const (
	maxIdiomRead  = 16_000
	maxIdiomCalls = 12
	maxIdiomRuns  = 3 // of run_graph
)

// An idiomWish is what a user asks for, the question with which the agent begins, and
// what the agent changes in the graph that it finds.
type idiomWish struct {
	idiom, wish, query string
	changes            []string // old, new, …; the first pair is the name
	arguments, call    string   // of the run, and of the saved tool; with pins for the run
	pins               string
}

var idiomWishes = []idiomWish{
	{"loop", "In how many years do my savings reach a goal, at 5 percent a year?", "how do I loop", []string{
		"add_until", "years_to_save", "Adds 1, 2, 3 and so on until the sum reaches a limit", "Counts the years until 100 with 5 percent interest reach a goal",
		"limit", "goal", `"sum": 0`, `"sum": 100`, `$s.sum + $i`, `$s.sum * 1.05`,
	}, `{"goal":150}`, `{"goal":200}`, ""},
	{
		"each", "Read a list of notes. If one is missing, I want the others all the same.", "run a tool for each item and keep the errors",
		[]string{"read_all", "read_notes"},
		`{"paths":["a.txt","missing.txt"]}`, `{"paths":["b.txt"]}`, "",
	},
	{"paging", "How many open orders does the shop have? It lists them in pages.", "how do I page until there are no more results", []string{
		"all_orders", "count_orders", "Lists all orders of a shop, page by page", "Counts the orders of a shop", "{orders: {type: array}}, required: [orders]", "{count: {type: number}}, required: [count]",
		`{"orders": [$nodeExecutions("page").orders]}`, `{"count": $count($nodeExecutions("page").orders)}`,
	}, `{"status":"open"}`, `{"status":"open"}`, ""},
	{
		"early-exit", "Which of my notes mentions a word? Stop at the first one.", "stop at the first match",
		[]string{"first_with_word", "find_note"},
		`{"paths":["a.txt","b.txt"],"word":"two"}`, `{"paths":["a.txt","b.txt"],"word":"one"}`, "",
	},
	{
		"fallback", "Read my note, or the backup if that fails.", "retry and then fall back to something else",
		[]string{"read_with_backup", "read_note"},
		`{"path":"missing.txt","backup":"b.txt"}`, `{"path":"b.txt","backup":"c.txt"}`, "",
	},
	{
		"catch", "Read a settings file; if there is none, use a default.", "how do I catch an error and continue",
		[]string{"read_or_default", "read_settings"},
		`{"path":"missing.txt","default":"none"}`, `{"path":"other.txt","default":"{}"}`, "",
	},
	{
		"parse", "Turn CSV text into records.", "parse CSV text",
		[]string{"parse_text", "records"},
		`{"text":"name,age\nAda,36\n"}`, `{"text":"[{\"name\": \"Ada\"}]"}`, "",
	},
	{
		"group", "Total sales by region.", "group rows and sum a field",
		[]string{"totals", "sales_by_region", "category", "region"},
		`{"rows":[{"region":"north","amount":3},{"region":"south","amount":5},{"region":"north","amount":4}]}`, `{"rows":[{"region":"north","amount":1}]}`, "",
	},
	{
		"ask-first", "Delete a file, but ask me first.", "ask before a destructive call",
		[]string{"delete_with_consent", "delete_carefully"},
		`{"path":"old.txt"}`, "", `{"ask":{"action":"accept","content":{"sure":true}}}`,
	},
	{
		"several-servers", "What do my mails and my calendar say about a topic?", "call several servers at the same time",
		[]string{"name: about", "name: look_up"},
		`{"topic":"tea"}`, `{"topic":"cake"}`, "",
	},
	{
		"subgraph", "Total an order, line by line.", "call another graph",
		[]string{"order_total", "bill"},
		`{"lines":[{"price":2,"amount":3}]}`, `{"lines":[{"price":5,"amount":2}]}`, "",
	},
	{
		"write-verify", "Write a file and make sure that it was written.", "write, then verify",
		[]string{"write_checked", "write_safely"},
		`{"path":"a.txt","content":"one"}`, `{"path":"a.txt","content":"one"}`, "",
	},
	{
		"new-since", "Which issues are new since I last asked?", "only what is new since last time",
		[]string{"new_issues", "fresh_issues"},
		`{}`, `{}`, "",
	},
	{
		"ask-model", "Let a language model answer a question.", "chat completion request",
		[]string{"ask_model", "answer"},
		`{"question":"What is 6 times 7?"}`, "", `{"ask":"42"}`,
	},
	{
		"classify", "Which of these messages are complaints?", "classify messages with a model",
		[]string{"name: classify", "name: label_messages"},
		`{"messages":["Where is my parcel?","It is broken!"]}`, "", `{"label":[{"kind":"question"},{"kind":"complaint"}]}`,
	},
	{
		"extract", "What does this invoice say?", "extract fields from text with a model",
		[]string{"name: extract", "name: read_invoice"},
		`{"text":"Invoice 7-12, EUR 99.50"}`, "", `{"read":{"number":"7-12","amount":99.5,"due":null}}`,
	},
	{
		"summarise", "Summarise a long report.", "summarise a long text in parts",
		[]string{"name: summarise", "name: short_report"},
		`{"text":"A report."}`, "", `{"each":["It reports."],"whole":"It reports."}`,
	},
}

// standin is a server that an idiom calls: standin IDIOM SERVER.
func standin() {
	s := mcp.NewServer(&mcp.Implementation{Name: os.Args[2], Version: "1"}, nil)
	calculator := app.New(app.Options{})
	for _, i := range idioms.All() {
		if i.Name != os.Args[1] {
			continue
		}
		for name, is := range i.Servers[os.Args[2]] {
			tool := &mcp.Tool{Name: name, InputSchema: is.Input}
			if is.Output != nil {
				tool.OutputSchema = is.Output
			}
			expression, _ := json.Marshal(is.Reply)
			s.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				reply, fault := calculator.Evaluate(ctx, author.EvaluateInput{Expression: expression, Context: r.Params.Arguments})
				if fault != nil {
					return nil, fault
				}
				result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(reply.Value)}}}
				if is.Output != nil {
					result.StructuredContent = reply.Value
				}
				return result, nil
			})
		}
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// hold holds the session and writes it, with long replies cut.
func (w idiomWish) hold(t *testing.T, doc *strings.Builder) {
	idiom := findIdiom(t, w.idiom)
	text, name := strings.NewReplacer(w.changes...).Replace(idiom.Graph), strings.TrimPrefix(w.changes[1], "name: ")
	files, config := map[string]string{"a.txt": "one", "b.txt": "two"}, ""
	if len(idiom.Servers) > 0 {
		var servers strings.Builder
		for server := range idiom.Servers {
			fmt.Fprintf(&servers, "  %s: {command: standin, args: [%s, %s]}\n", server, w.idiom, server)
		}
		config = "workspace: {enabled: true}\nservers:\n" + servers.String()
	}
	if strings.Contains(text, "type: model") {
		config = "models: {fast: {api: openai, url: \"http://127.0.0.1:11434/v1\", model: test}}\n"
	}
	if config != "" {
		files["patchbay.yaml"] = config
	}
	s := opened(t, files)
	choose := ""
	if idiom.Tool != "" {
		choose = `,"tool":"` + name + `"`
	}
	run := `{"graph":"$draft"` + choose + `,"arguments":` + w.arguments + `,"trace":"none"}`
	if w.pins != "" {
		run = strings.TrimSuffix(run, "}") + `,"pins":` + w.pins + "}"
	}
	steps := []step{
		{tool: "search_nodes", args: fmt.Sprintf(`{"query":%q}`, w.query)},
		{tool: "validate_graph", args: `{}`, graph: text},
		{tool: "run_graph", args: run},
		{tool: "save_graph", args: `{"graph":"$draft"` + choose + `}`},
	}
	if w.call != "" {
		steps = append(steps, step{tool: name, args: w.call})
	}
	fmt.Fprintf(doc, "\n### %s\n\n> %s\n", idiom.Title, w.wish)
	runs, last := 0, ""
	for i, step := range steps {
		if step.tool == "run_graph" {
			runs++
		}
		last = s.step(t, step)
		s.read += len(last)
		if i == 0 && !strings.Contains(last, `"results":[{"node_type":"idiom","subtype":"`+w.idiom+`"`) {
			t.Errorf("%q does not find the idiom first: %s", w.query, last)
		}
		fmt.Fprintf(doc, "\n%d. `%s` %s\n", i+1, step.tool, "`"+step.args+"`")
		if step.graph != "" {
			fmt.Fprintf(doc, "\n   with this as `graph`:\n   ```text\n%s   ```\n", indent(step.graph))
		}
		fmt.Fprintf(doc, "\n   %d bytes: `%s`\n", len(last), begun(last, 300))
	}
	if strings.Contains(last, `"error"`) || strings.Contains(last, "rejected") {
		t.Errorf("the last reply is %s", last)
	}
	if s.read > maxIdiomRead || len(steps) > maxIdiomCalls || runs > maxIdiomRuns {
		t.Errorf("%d bytes are read in %d calls, %d of run_graph, want at most %d in %d, %d", s.read, len(steps), runs, maxIdiomRead, maxIdiomCalls, maxIdiomRuns)
	}
	fmt.Fprintf(doc, "\nIn all, the agent reads %d bytes in %d calls.\n", s.read, len(steps))
}

func findIdiom(t *testing.T, name string) *idioms.Idiom {
	t.Helper()
	for _, i := range idioms.All() {
		if i.Name == name {
			return i
		}
	}
	t.Fatalf("there is no idiom %s", name)
	return nil
}

// begun is the beginning of a text.
func begun(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}

// Every idiom has a session.
func TestEveryIdiomHasASession(t *testing.T) {
	held := map[string]bool{}
	for _, w := range idiomWishes {
		held[w.idiom] = true
	}
	for _, i := range idioms.All() {
		if !held[i.Name] {
			t.Errorf("no session is about idiom:%s", i.Name)
		}
	}
}
