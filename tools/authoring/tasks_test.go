package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Each of the eighteen tasks has a graph that runs in worlds of any size, and answers
// differently in different ones.
func TestTasks(t *testing.T) {
	tasks, err := allTasks()
	if err != nil || len(tasks) != 18 {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	for i := range tasks {
		task := &tasks[i]
		answers := map[string]bool{}
		for _, n := range []int{1, 40, 60} {
			want, err := expect(t.Context(), task, n)
			if err != nil {
				t.Fatal(err)
			}
			answers[fmt.Sprint(want.answer)] = true
		}
		if len(answers) < 2 {
			t.Errorf("%s: the answer is always %v", task.Name, answers)
		}
	}
}

// graphPlayer saves a graph, calls it, and answers what that returns.
func graphPlayer(graph string) player {
	return func(messages []message, _ []string) message {
		last := messages[len(messages)-1].Content
		switch len(messages) {
		case 2:
			return calls("save_graph", quote(map[string]any{"graph": graph}))
		case 4:
			return calls("quarters", "{}")
		}
		return says(last)
	}
}

// What a model made is run again in another world: a graph that only has the answer of the
// first is right once.
func TestWhatWasMadeIsRunAgain(t *testing.T) {
	tasks, err := allTasks()
	if err != nil {
		t.Fatal(err)
	}
	quarters := tasks[slices.IndexFunc(tasks, func(x task) bool { return x.Name == "quarters" })]
	rows, printed := run(t, graphPlayer(quarters.Graph), "-tasks", "quarters", "-arms", "graph")
	if len(rows) != 1 || !rows[0].Right || rows[0].Again == nil || !*rows[0].Again || rows[0].Calls != 2 || !strings.Contains(printed, "| none | graph | 1 of 1 | 1 of 1 |") {
		t.Errorf("%+v\n%s", rows, printed)
	}

	want, err := expect(t.Context(), &quarters, rows[0].Items)
	if err != nil {
		t.Fatal(err)
	}
	constant := quote(map[string]any{
		"name": "quarters", "description": "Returns what it returned once", "inputSchema": map[string]any{"type": "object"}, "outputSchema": want.schema,
		"nodes": []any{
			map[string]any{"id": "entry", "type": "entry", "next": "answer"},
			map[string]any{"id": "answer", "type": "transform", "transform": map[string]string{"expr": quote(want.answer)}, "next": "exit"},
			map[string]any{"id": "exit", "type": "exit", "result": map[string]string{"expr": "$.answer"}},
		},
	})
	if rows, _ := run(t, graphPlayer(constant), "-tasks", "quarters", "-arms", "graph"); !rows[0].Right || rows[0].Again == nil || *rows[0].Again {
		t.Errorf("%+v", rows[0])
	}
	if rows, _ := run(t, func([]message, []string) message { return says(quote(want.answer)) }, "-tasks", "quarters", "-arms", "graph"); !rows[0].Right || *rows[0].Again || !strings.Contains(rows[0].Answer, "no graph quarters is saved") {
		t.Errorf("%+v", rows[0])
	}
}

// The last script is kept, and run again.
func TestScriptsAreRunAgain(t *testing.T) {
	if !nodeRunsTypeScript(t.Context()) {
		t.Skip("Node 22.18 is not installed")
	}
	script := `
import { close, shop } from "./tools.ts";
const { orders } = await shop.listOrders({});
const sales = {};
for (const o of orders) {
  const q = "Q" + Math.ceil(Number(o.placed.slice(5, 7)) / 3);
  sales[q] = (sales[q] ?? 0) + o.amount;
}
const [most] = Object.entries(sales).sort((a, b) => b[1] - a[1])[0];
console.log(JSON.stringify({ sales, most }));
close();
`
	rows, _ := run(t, func(messages []message, _ []string) message {
		if len(messages) == 2 {
			return calls("run_script", quote(map[string]string{"script": script}))
		}
		return says(messages[len(messages)-1].Content)
	}, "-tasks", "quarters", "-arms", "script")
	if !rows[0].Right || rows[0].Again == nil || !*rows[0].Again {
		t.Errorf("%+v", rows[0])
	}
}

// A task whose wish gives the titles is right only with these.
func TestTitles(t *testing.T) {
	tasks, err := allTasks()
	if err != nil {
		t.Fatal(err)
	}
	reorder := &tasks[slices.IndexFunc(tasks, func(x task) bool { return x.Name == "reorder" })]
	want, err := expect(t.Context(), reorder, 40)
	if err != nil || len(want.created) == 0 {
		t.Fatal(want, err)
	}
	for _, title := range []string{"", "Anything"} {
		p, err := openPlace(t.Context(), 40, newTrouble(noFault, reorder, 40))
		if err != nil {
			t.Fatal(err)
		}
		for _, right := range want.created {
			if title != "" {
				right = title
			}
			p.callDirect(t.Context(), "tracker__create_task", json.RawMessage(quote(map[string]string{"title": right})))
		}
		r := &row{}
		want.judge(r, p.world, quote(want.answer))
		p.close()
		if r.Right != (title == "") {
			t.Errorf("%q: %+v", title, r)
		}
	}
}

// Anthropic's interface has the same conversation in other words.
func TestAnthropic(t *testing.T) {
	var asked []map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != "key" || r.Header.Get("Anthropic-Version") == "" {
			http.Error(w, "not a request", http.StatusBadRequest)
			return
		}
		asked = append(asked, in)
		content := []any{map[string]any{"type": "text", "text": "I look."}, map[string]any{"type": "tool_use", "id": "u1", "name": "shop__list_orders", "input": map[string]any{}}}
		if len(asked) > 1 {
			content = []any{map[string]any{"type": "text", "text": `{"sales": {}, "most": "Q1"}`}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"content": content, "usage": map[string]int{"input_tokens": 70, "output_tokens": 20, "cache_read_input_tokens": 10}})
	}))
	defer s.Close()
	t.Setenv("ANTHROPIC_TEST_KEY", "key")
	raw := t.TempDir()
	err := measure(t.Context(), []string{"-api", "anthropic", "-endpoint", s.URL + "/v1", "-key-env", "ANTHROPIC_TEST_KEY", "-model", "m", "-budget", "1000", "-items", "8", "-repeats", "1", "-tasks", "quarters", "-arms", "direct", "-raw", raw}, &strings.Builder{})
	if err != nil || len(asked) != 2 {
		t.Fatalf("%d requests, %v", len(asked), err)
	}
	turns := asked[1]["messages"].([]any)
	said, told := turns[1].(map[string]any), turns[2].(map[string]any)
	result := told["content"].([]any)[0].(map[string]any)
	if asked[0]["system"] == "" || len(turns) != 3 || said["role"] != "assistant" || len(said["content"].([]any)) != 2 || told["role"] != "user" || result["type"] != "tool_result" || result["tool_use_id"] != "u1" || !strings.Contains(fmt.Sprint(result["content"]), "orders") {
		t.Errorf("%v", asked[1])
	}
	kept, err := os.ReadFile(filepath.Join(raw, "m-quarters-direct-none-1.json"))
	if err != nil || !strings.Contains(string(kept), "shop__list_orders") {
		t.Errorf("%s, %v", kept, err)
	}
}

// agentEnv makes the test binary a coding agent, which reads its file of servers.
const agentEnv = "PATCHBAY_AUTHORING_AGENT"

// agent calls tool after tool of the servers in its file, as its variable says, and prints
// what a coding agent prints.
func agent(ctx context.Context) error {
	var config struct {
		Servers map[string]struct {
			Command string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	text, err := os.ReadFile(os.Args[len(os.Args)-1])
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err != nil {
		return err
	}
	for name, s := range config.Servers {
		if name != "shop" && name != "patchbay" {
			continue
		}
		c := exec.CommandContext(ctx, s.Command)
		for k, v := range s.Env {
			c.Env = append(os.Environ(), k+"="+v)
		}
		session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: c}, nil)
		if err != nil {
			return err
		}
		tool := "quarters"
		if name == "shop" {
			tool = "list_orders"
		}
		answer, err := call(ctx, session, tool, json.RawMessage("{}"))
		if err != nil {
			return err
		}
		b, err := json.Marshal(map[string]any{"result": "It is done: " + answer, "num_turns": 3, "usage": map[string]int{"input_tokens": 5, "output_tokens": 6}})
		if err != nil {
			return err
		}
		fmt.Println(string(b))
	}
	return nil
}

// A coding agent's command line gets the servers of a way, and is judged like a model.
func TestCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(agentEnv, "1")
	var out strings.Builder
	err = measure(t.Context(), []string{"-command", self + " --model {model} --config {config}", "-model", "m", "-items", "8", "-repeats", "1", "-tasks", "quarters", "-arms", "direct,search,saved"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| none | direct | 0 of 1 | - | 0-0 % | 11, 11-11 |", "| none | search | 0 of 0 |", "| none | saved | 1 of 1 | - | 100-100 % | 11, 11-11 |", "A graph loses in none of 1 pairs"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// The page of a log says where a way without a graph is better.
func TestLosses(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.jsonl")
	var lines []string
	for _, r := range []row{
		{Task: "a", Arm: "script", Right: true, Tokens: 50},
		{Task: "a", Arm: "graph", Right: true, Tokens: 60},
		{Task: "a", Arm: "saved", Right: false, Tokens: 5},
		{Task: "b", Arm: "script", Right: false, Tokens: 50},
		{Task: "b", Arm: "saved", Right: true, Tokens: 60},
		{Task: "c", Arm: "direct", Right: true, Tokens: 1},
		{Task: "d", Arm: "saved", Lost: "x"},
		{Task: "d", Arm: "direct", Right: true},
	} {
		r.Model, r.Fault, r.At = "m", noFault, "2026-01-02T03:04:05Z"
		lines = append(lines, quote(r))
	}
	if err := os.WriteFile(log, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := measure(t.Context(), []string{"-page", log}, &out); err != nil {
		t.Fatal(err)
	}
	want := "Where a graph loses (1 of 2):\n\n| task | fault | better way | right, median tokens | best graph | right, median tokens |\n|---|---|---|--:|---|--:|\n| a | none | script | 1 of 1, 50 | graph | 1 of 1, 60 |\n"
	if !strings.Contains(out.String(), want) || !strings.HasPrefix(out.String(), "m, 2026-01-02\n") {
		t.Errorf("%s", out.String())
	}
}
