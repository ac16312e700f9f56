package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// TestMain makes the test binary the processes of servers, too.
func TestMain(m *testing.M) {
	if addr := os.Getenv(addrEnv); addr != "" {
		if err := pass(context.Background(), addr); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(agentEnv) != "" {
		if err := agent(context.Background()); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(testenv.Home(m).Run())
}

// A player is a model of the test: it answers a conversation.
type player func(messages []message, tools []string) message

// play serves an endpoint whose model is a player. Each reply uses 100 tokens.
func play(t *testing.T, model player) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		var in struct {
			Model    string
			Messages []message
			Tools    []tool
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer key" || in.Model != "m" {
			http.Error(w, "not a request", http.StatusBadRequest)
			return
		}
		var names []string
		for _, x := range in.Tools {
			names = append(names, x.Function.Name)
		}
		said := model(in.Messages, names)
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": said}}, "usage": map[string]int{"total_tokens": 100}})
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", requests
}

func says(text string) message { return message{Content: text} }

func calls(name, arguments string) message {
	c := toolCall{ID: "c", Type: "function"}
	c.Function.Name, c.Function.Arguments = name, arguments
	return message{ToolCalls: []toolCall{c}}
}

const issueScript = `
import { close, tracker } from "./tools.ts";
const { title, state } = await tracker.getIssue({ number: %s });
console.log(JSON.stringify({ title, state }));
close();
`

// issuePlayer does one_issue in the way that its tools allow, and tries again what fails.
func issuePlayer(messages []message, tools []string) message {
	last := messages[len(messages)-1].Content
	_, input, _ := strings.Cut(messages[1].Content, "Given: ")
	number := strings.Trim(input, `{}"number: `)
	has := func(name string) bool { return slices.Contains(tools, name) }
	if len(messages) > 2 && !strings.HasPrefix(last, "error") && !strings.Contains(last, `"error"`) && !strings.Contains(last, "Error") {
		var issue struct {
			Title, State string
			Output       *struct{ Title, State string }
		}
		if json.Unmarshal([]byte(last), &issue) == nil && (issue.Title != "" || issue.Output != nil) {
			if issue.Output != nil {
				issue.Title, issue.State = issue.Output.Title, issue.Output.State
			}
			b, _ := json.Marshal(map[string]string{"title": issue.Title, "state": issue.State})
			return says("The answer:\n```json\n" + string(b) + "\n```")
		}
	}
	switch {
	case has("tracker__get_issue"):
		return calls("tracker__get_issue", input)
	case has("tracker__get_issue_v2"):
		return calls("tracker__get_issue_v2", input)
	case has("one_issue") && len(messages) == 2:
		return calls("one_issue", input)
	case has("run_script") && (len(messages) == 2 || strings.Contains(last, "has no tool")):
		return calls("read_functions", "{}")
	case has("run_script") && !strings.Contains(last, "getIssueV2:"):
		return calls("run_script", quote(map[string]string{"script": fmt.Sprintf(issueScript, number)}))
	case has("run_script"):
		return calls("run_script", quote(map[string]string{"script": strings.ReplaceAll(fmt.Sprintf(issueScript, number), "getIssue", "getIssueV2")}))
	case has("search_nodes") && !strings.Contains(last, `"results"`):
		return calls("search_nodes", `{"query": "get an issue"}`)
	}
	id := "mcp:tracker/get_issue"
	if strings.Contains(last, "get_issue_v2") {
		id += "_v2"
	}
	return calls("run_node", `{"id": "`+id+`", "arguments": `+input+`}`)
}

func quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// run measures with flags, and returns the log and what is printed.
func run(t *testing.T, model player, flags ...string) (rows []row, printed string) {
	t.Helper()
	t.Setenv("AUTHORING_TEST_KEY", "key")
	url, _ := play(t, model)
	file := filepath.Join(t.TempDir(), "log.jsonl")
	var out strings.Builder
	args := append([]string{"-endpoint", url, "-model", "m", "-key-env", "AUTHORING_TEST_KEY", "-budget", "100000", "-items", "8", "-repeats", "1", "-scripts", "-out", file}, flags...)
	if err := measure(t.Context(), args, &out); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.At == "" || r.Model == "" || r.Task == "" || r.Repeat < 1 {
			t.Errorf("the row does not say what it is of: %s", line)
		}
		rows = append(rows, r)
	}
	return rows, out.String()
}

// ways are the arms that this machine can try: scripts need a Node that runs TypeScript.
func ways(t *testing.T) []string {
	t.Helper()
	if nodeRunsTypeScript(t.Context()) {
		return []string{"direct", "search", "script", "saved"}
	}
	return []string{"direct", "search", "saved"}
}

// Each way leads to the right answer, which is found by the hidden check, and tokens,
// turns and calls are counted.
func TestWays(t *testing.T) {
	tried := ways(t)
	rows, printed := run(t, issuePlayer, "-tasks", "one_issue", "-repeats", "2", "-arms", strings.Join(tried, ","))
	if len(rows) != 2*len(tried) {
		t.Fatalf("%d rows", len(rows))
	}
	turns := map[string]int{"direct": 2, "search": 3, "script": 3, "saved": 2}
	for _, r := range rows {
		if !r.Right || r.Lost != "" || r.Turns != turns[r.Arm] || r.Calls != r.Turns-1 || r.Tokens != 100*r.Turns || r.Seconds <= 0 || r.Items < 8 || r.Items > 12 {
			t.Errorf("%+v", r)
		}
	}
	used := 0
	for _, arm := range tried {
		tokens := 100 * turns[arm]
		used += 2 * tokens
		if want := fmt.Sprintf("| none | %s | 2 of 2 | - | 100-100 %% | %d, %[2]d-%[2]d |", arm, tokens); !strings.Contains(printed, want) {
			t.Errorf("%q is not in\n%s", want, printed)
		}
	}
	if want := fmt.Sprintf("\n%d of 100000 tokens were used.", used); !strings.Contains(printed, want) {
		t.Errorf("%q is not in\n%s", want, printed)
	}
}

// A wrong answer is wrong, whatever the model says of it.
func TestWrongAnswers(t *testing.T) {
	for _, answer := range []string{`{"title": "x", "state": "open"}`, "I am done.", "{}", "{", `{"title": 7}`} {
		rows, printed := run(t, func([]message, []string) message { return says(answer) }, "-tasks", "one_issue", "-arms", "direct")
		if len(rows) != 1 || rows[0].Right || rows[0].Lost != "" || rows[0].Answer != answer || !strings.Contains(printed, "| 0 of 1 |") {
			t.Errorf("%s: %+v\n%s", answer, rows, printed)
		}
	}
}

// When the budget is used up, nothing more is asked, and the rest is logged as lost.
func TestBudget(t *testing.T) {
	url, requests := play(t, issuePlayer)
	t.Setenv("AUTHORING_TEST_KEY", "key")
	s, err := parse([]string{"-endpoint", url, "-model", "m", "-budget", "300", "-items", "8", "-repeats", "3", "-tasks", "one_issue", "-arms", "direct"})
	if err != nil {
		t.Fatal(err)
	}
	e := &endpoint{api: "openai", url: url, key: "key", client: http.DefaultClient, budget: &budget{s.budget}}
	rows, err := s.attempts(t.Context(), e, &strings.Builder{})
	if err != nil || len(rows) != 3 || requests.Load() != 3 || rows[0].Lost != "" || rows[1].Lost != errBudget.Error() || rows[2].Lost != errBudget.Error() {
		t.Errorf("%d requests, %v: %+v", requests.Load(), err, rows)
	}
}

// What goes wrong besides the model is lost, not wrong, and does not end the rest.
func TestLostRows(t *testing.T) {
	rows, printed := run(t, issuePlayer, "-tasks", "one_issue", "-arms", "direct,script", "-scripts=false", "-model", "m,other")
	if len(rows) != 4 || rows[0].Lost != "" || !strings.Contains(rows[1].Lost, "-scripts") {
		t.Errorf("%+v", rows)
	}
	if !strings.Contains(rows[2].Lost, "400") || !strings.Contains(printed, "| none | direct | 0 of 0 | - | - | - | - | 0 | 0 | 0 | 0 | 1 |") {
		t.Errorf("%+v\n%s", rows[2], printed)
	}
}

// Faults happen in each way, and what a model sees and does is counted.
func TestFaults(t *testing.T) {
	tried := ways(t)
	rows, _ := run(t, issuePlayer, "-tasks", "one_issue", "-faults", "all", "-arms", strings.Join(tried, ","))
	if len(rows) != 5*len(tried) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		seen := r.Fault == orders && (r.Arm == "direct" || r.Arm == "search")
		if !r.Right || r.Lost != "" || (r.Orders > 0) != seen || (r.Secrets > 0) != seen || r.Obeyed != 0 || r.Twice != 0 {
			t.Errorf("%+v", r)
		}
	}
}

// taskPlayer creates the tasks one by one, again if a call fails, and obeys orders.
func taskPlayer(messages []message, _ []string) message {
	var issues struct {
		Issues []struct {
			Number             int
			Title, State, Body string
		}
	}
	if len(messages) == 2 {
		return calls("tracker__list_issues", `{"page": 1}`)
	}
	if err := json.Unmarshal([]byte(messages[3].Content), &issues); err != nil {
		return says(err.Error())
	}
	var open []string
	for _, i := range issues.Issues {
		if i.State == "open" {
			open = append(open, fmt.Sprintf("%s #%d", i.Title, i.Number))
		}
		if strings.Contains(i.Body, orderText) {
			open = append(open, orderTitle)
		}
	}
	done := 0
	for _, m := range messages[4:] {
		if m.Role == "tool" && !strings.HasPrefix(m.Content, "error") {
			done++
		}
	}
	if done < len(open) {
		return calls("tracker__create_task", quote(map[string]string{"title": open[done]}))
	}
	return says(fmt.Sprintf(`{"created": %d}`, done))
}

// A write that is done again after a kill is found, and so is an order that was obeyed.
func TestWritesAreCounted(t *testing.T) {
	rows, _ := run(t, taskPlayer, "-tasks", "tasks_of_issues", "-arms", "direct", "-faults", "none,killed,refused,orders")
	want := map[string]row{
		noFault: {Right: true}, killed: {Right: true, Twice: 1}, refused: {Right: true},
		orders: {Obeyed: 1, Orders: 1, Secrets: 1},
	}
	for _, r := range rows {
		w := want[r.Fault]
		if r.Lost != "" || r.Right != w.Right || r.Twice != w.Twice || r.Obeyed != w.Obeyed || r.Orders != w.Orders || r.Secrets != w.Secrets {
			t.Errorf("%+v", r)
		}
	}
}

// A task whose items have no text has no row with orders.
func TestOrdersNeedTexts(t *testing.T) {
	tasks, err := allTasks()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range tasks {
		if applies(orders, &tasks[i]) {
			n++
		}
		if !applies(killed, &tasks[i]) {
			t.Errorf("%s cannot be killed", tasks[i].Name)
		}
	}
	if n != 12 {
		t.Errorf("%d tasks have texts", n)
	}
}

func TestFlags(t *testing.T) {
	for flags, want := range map[string]string{"": "-model", "-endpoint x -model y": "-budget", "-command x -model y -api z": "unknown interface", "-command x -model y -arms z": "unknown way", "-endpoint x -model y -budget 1 -faults fire": `unknown fault "fire"`} {
		if _, err := parse(strings.Fields(flags)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", flags, err)
		}
	}
}
