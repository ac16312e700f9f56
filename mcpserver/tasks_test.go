package mcpserver

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

const waitThenAsk = `{"name":"wait_then_ask","description":"Waits and asks","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"nodes":[
	{"id":"entry","type":"entry","next":"wait"},
	{"id":"wait","type":"mcp","server":"shop","tool":"wait","args":{},"next":"first"},
	{"id":"first","type":"ask","message":"How many?","schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"next":"second"},
	{"id":"second","type":"ask","message":"Sure?","next":"both"},
	{"id":"both","type":"transform","transform":{"expr":"{\"n\": $.first.content.n, \"sure\": $.second.action}"},"next":"exit"},
	{"id":"exit","type":"exit"}]}`

// A call whose run takes longer is a task, which is its run: its result is the reply that
// the call would have had.
func TestACallBecomesATask(t *testing.T) {
	waits := one("wait", "{}")
	for name, tt := range map[string]struct{ tool, arguments, result string }{
		"run_graph":       {"run_graph", `{"graph":` + waits + `}`, `"status":"succeeded","result":"waited","trace":[`},
		"without a trace": {"run_graph", `{"graph":` + waits + `,"trace":"none"}`, `"status":"succeeded","result":"waited","duration_ms"`},
		"run_node":        {"run_node", `{"id":"mcp:shop/wait"}`, `"status":"succeeded","output":"waited"`},
		"its shape":       {"run_node", `{"id":"mcp:shop/wait","shape_only":true}`, `"status":"succeeded","paths":["`},
		"a saved graph":   {"waits", `{}`, `"waited"`},
	} {
		t.Run(name, func(t *testing.T) {
			eachTaskClient(t, options{documents: []string{`{"name":"waits","description":"Waits","inputSchema":{"type":"object"},` + waits[1:]}}, func(c *taskClient) {
				task := c.begin(tt.tool, tt.arguments)
				if task.CreatedAt == "" || task.LastUpdatedAt == "" || string(task.TTLMs) != "null" || task.PollIntervalMs < 500 {
					c.Errorf("the task lacks something: %+v", task)
				}
				if working := c.get(task.TaskID); working.TaskID != task.TaskID || working.Status != taskWorking || working.ResultType != "complete" || working.CreatedAt != task.CreatedAt {
					c.Errorf("while it works it is %+v", working)
				}
				c.shop.release <- struct{}{}
				done := c.until(task.TaskID)
				if done.Status != taskCompleted || done.Result == nil || done.Result.IsError || !strings.Contains(done.Result.Content[0].Text, tt.result) {
					c.Fatalf("the result is %+v", done)
				}
				runID, _, _ := taskRun(task.TaskID)
				if run := c.call("get_run", `{"run_id":"`+runID+`"}`); !strings.Contains(string(run.StructuredContent), `"status":"succeeded"`) {
					c.Errorf("its run is %s", run.StructuredContent)
				}
				if r := c.request(tasksCancel, map[string]any{"taskId": task.TaskID}); r.Error != nil || c.get(task.TaskID).Status != taskCompleted {
					c.Errorf("after a late cancellation: %+v", r)
				}
			})
		})
	}
}

// A task is nothing but its run: another server over the same runs knows it.
func TestATaskOutlivesItsServer(t *testing.T) {
	server, s := newServer(t, options{})
	task := overStdio(t, server, s).begin("run_graph", `{"graph":`+one("wait", "{}")+`}`)
	s.release <- struct{}{}
	c := overStdio(t, New(s.app, Options{}), s)
	if done := c.until(task.TaskID); done.Status != taskCompleted || !strings.Contains(string(done.Result.StructuredContent), `"result":"waited"`) {
		t.Errorf("%+v", done)
	}
}

func TestATaskIsCancelled(t *testing.T) {
	eachTaskClient(t, options{}, func(c *taskClient) {
		task := c.begin("run_graph", `{"graph":`+one("wait", "{}")+`}`)
		<-c.shop.calls
		var ack map[string]any
		if err := json.Unmarshal(c.request(tasksCancel, map[string]any{"taskId": task.TaskID}).Result, &ack); err != nil {
			c.Fatal(err)
		}
		delete(ack, "_meta")
		if len(ack) != 1 || ack["resultType"] != "complete" {
			c.Errorf("the acknowledgement is %v", ack)
		}
		if err := <-c.shop.ended; err == nil {
			c.Error("the call was not cancelled")
		}
		if r := c.until(task.TaskID); r.Status != "cancelled" || r.Result != nil {
			c.Errorf("%+v", r)
		}
	})
}

// The questions of a run are those of its task. Each has a name of its own, and what the task
// does not ask is ignored.
func TestATaskAsks(t *testing.T) {
	eachTaskClient(t, options{}, func(c *taskClient) {
		task := c.begin("run_graph", `{"graph":`+waitThenAsk+`}`)
		c.shop.release <- struct{}{}
		answer := func(key, response string) message {
			return c.request(tasksUpdate, map[string]any{"taskId": task.TaskID, "inputResponses": map[string]any{key: raw(response)}})
		}
		first := c.until(task.TaskID)
		keys := slices.Collect(maps.Keys(first.InputRequests))
		if first.Status != "input_required" || len(keys) != 1 || first.InputRequests[keys[0]].Method != "elicitation/create" || first.InputRequests[keys[0]].Params.Message != "How many?" {
			c.Fatalf("%+v", first)
		}
		if m := answer("first", `{"ignored":true}`); m.Error != nil {
			c.Errorf("an answer to another question: %+v", m.Error)
		}
		for _, wrong := range []string{`5`, `{}`, `{"action":"accept","content":{"n":"many"}}`, `{"action":"perhaps"}`} {
			if m := answer(keys[0], wrong); m.Error == nil || m.Error.Code != -32602 {
				c.Errorf("the answer %s: %+v", wrong, m)
			}
		}
		if again := c.get(task.TaskID); again.Status != "input_required" || again.InputRequests[keys[0]].Method == "" {
			c.Fatalf("after answers that are none: %+v", again)
		}
		if m := answer(keys[0], `{"action":"accept","content":{"n":3}}`); m.Error != nil {
			c.Fatal(m.Error)
		}
		second := c.until(task.TaskID)
		next := slices.Collect(maps.Keys(second.InputRequests))
		if second.Status != "input_required" || len(next) != 1 || next[0] == keys[0] {
			c.Fatalf("%+v", second)
		}
		if m := answer(next[0], `{"action":"decline"}`); m.Error != nil {
			c.Fatal(m.Error)
		}
		if done := c.until(task.TaskID); done.Status != taskCompleted || !strings.Contains(string(done.Result.StructuredContent), `"result":{"n":3,"sure":"decline"}`) {
			c.Errorf("%+v", done)
		}
	})
}

// Questions at the same time are answered together, or one after the other.
func TestATaskAsksTwoQuestions(t *testing.T) {
	const fork = `{"nodes":[{"id":"entry","type":"entry","next":"wait"},
		{"id":"wait","type":"mcp","server":"shop","tool":"wait","args":{},"next":"fork"},
		{"id":"fork","type":"parallel","branches":["a","b"],"join":"both"},
		{"id":"a","type":"ask","message":"A?","next":"both"},{"id":"b","type":"ask","message":"B?","next":"both"},
		{"id":"both","type":"transform","transform":{"expr":"$.a.action & \" \" & $.b.action"},"next":"exit"},
		{"id":"exit","type":"exit"}]}`
	for name, together := range map[string]bool{"together": true, "one by one": false} {
		t.Run(name, func(t *testing.T) {
			server, s := newServer(t, options{})
			c := overStdio(t, server, s)
			task := c.begin("run_graph", `{"graph":`+fork+`}`)
			s.release <- struct{}{}
			asking := c.until(task.TaskID)
			if asking.Status != "input_required" || len(asking.InputRequests) != 2 {
				t.Fatalf("%+v", asking)
			}
			responses := map[string]any{}
			for key, question := range asking.InputRequests {
				responses[key] = raw(`{"action":"` + map[string]string{"A?": "accept", "B?": "decline"}[question.Params.Message] + `"}`)
			}
			for key, response := range responses {
				update := responses
				if !together {
					update = map[string]any{key: response}
				}
				if m := c.request(tasksUpdate, map[string]any{"taskId": task.TaskID, "inputResponses": update}); m.Error != nil {
					t.Fatal(m.Error)
				}
				r := c.until(task.TaskID)
				if _, asks := r.InputRequests[key]; asks {
					t.Fatalf("it asks again: %+v", r)
				}
			}
			if done := c.get(task.TaskID); done.Status != taskCompleted || !strings.Contains(string(done.Result.StructuredContent), `"result":"accept decline"`) {
				t.Errorf("%+v", done)
			}
		})
	}
}

// A client that cannot show forms has the reply that says how a person answers.
func TestATaskOfAClientWithoutForms(t *testing.T) {
	eachTaskClient(t, options{}, func(c *taskClient) {
		delete(c.capabilities, "elicitation")
		task := c.begin("run_graph", `{"graph":`+waitThenAsk+`}`)
		c.shop.release <- struct{}{}
		done := c.until(task.TaskID)
		if done.Status != taskCompleted || done.InputRequests != nil || !done.Result.IsError || !strings.Contains(string(done.Result.StructuredContent), `"asks":[`) {
			c.Errorf("%+v", done)
		}
	})
}

// The reply is not a task where the run is quick, or where the call says how long it waits.
func TestWhatIsNotATask(t *testing.T) {
	server, s := newServer(t, options{taskAfter: time.Hour})
	c := overStdio(t, server, s)
	if r := c.call("run_graph", `{"graph":`+one("exact", "{}")+`}`); r.ResultType != "complete" || r.TaskID != "" {
		t.Errorf("a quick run: %+v", r)
	}
	for _, how := range []string{`"background":true`, `"wait_ms":1`} {
		r := c.call("run_graph", `{"graph":`+one("wait", "{}")+`,`+how+`}`)
		if r.ResultType != "complete" || !strings.Contains(string(r.StructuredContent), `"status":"running"`) {
			t.Errorf("%s: %+v", how, r)
		}
		s.release <- struct{}{}
	}
}

// Who has not declared tasks gets none, and is told what is missing in its protocol.
func TestTasksAreForThoseWhoDeclareThem(t *testing.T) {
	eachTaskClient(t, options{wait: time.Millisecond}, func(c *taskClient) {
		task := c.begin("run_graph", `{"graph":`+one("wait", "{}")+`}`)
		if d := c.request("server/discover", map[string]any{}); !strings.Contains(string(d.Result), `"io.modelcontextprotocol/tasks":{}`) {
			c.Errorf("the server says %s", d.Result)
		}
		c.capabilities = map[string]any{}
		for _, method := range []string{tasksGet, tasksUpdate, tasksCancel} {
			if code := c.refused(method, map[string]any{"taskId": task.TaskID}); code != -32021 {
				c.Errorf("%s: %d", method, code)
			}
		}
		if r := c.call("run_graph", `{"graph":`+one("wait", "{}")+`}`); r.ResultType != "complete" || r.TaskID != "" {
			c.Errorf("%+v", r)
		}
		c.capabilities = tasksDeclared()
		for _, method := range []string{tasksGet, tasksUpdate, tasksCancel} {
			for _, id := range []string{"run_01JZZZZZZZZZZZZZZZZZZZZZZZ:run_graph", "no", ""} {
				if code := c.refused(method, map[string]any{"taskId": id}); code != -32602 {
					c.Errorf("%s of %q: %d", method, id, code)
				}
			}
		}
		for _, method := range []string{"tasks/result", "tasks/list"} {
			if code := c.refused(method, map[string]any{"taskId": task.TaskID}); code != -32601 {
				c.Errorf("%s: %d", method, code)
			}
		}
	})
	server, s := newServer(t, options{})
	stdio := overStdio(t, server, s)
	stdio.request("tools/list", map[string]any{})
	if m := stdio.send(tasksGet, nil); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("without params: %+v", m)
	}
	c := connect(t, options{})
	for _, method := range []string{tasksGet, tasksUpdate, tasksCancel} {
		if m := c.request(method, map[string]any{"taskId": "run_1"}); m.Error == nil || m.Error.Code != -32601 {
			t.Errorf("%s of an earlier protocol: %+v", method, m)
		}
	}
}

// The header that routes a request names the task of its body.
func TestTheHeaderOfATask(t *testing.T) {
	url, s := listenWith(t, options{})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := overHTTP(t, url, transport, s)
	task := c.begin("run_graph", `{"graph":`+one("wait", "{}")+`}`)
	for _, name := range []string{"", "another"} {
		status, m := postTo(t, transport, url, name, tasksGet, map[string]any{"taskId": task.TaskID})
		if status != http.StatusBadRequest || m.Error == nil || m.Error.Code != -32020 {
			t.Errorf("the name %q: %d %+v", name, status, m)
		}
	}
}

// The task of a principal does not exist for others.
func TestATaskIsItsPrincipals(t *testing.T) {
	g := serveTeam(t, options{})
	client := func(r access.Rights, name string) *taskClient {
		return overHTTP(t, g.url+"/mcp", bearer{g.client.Transport, g.token(t, name, r)}, g.shop)
	}
	owner, other, reader := client(access.Rights{}, "owner"), client(access.Rights{}, "other"), client(access.Rights{Scopes: []string{access.Read}}, "reader")
	task := owner.begin("run_graph", `{"graph":`+one("wait", "{}")+`}`)
	for _, c := range []*taskClient{other, reader} {
		for _, method := range []string{tasksGet, tasksUpdate, tasksCancel} {
			if code := c.refused(method, map[string]any{"taskId": task.TaskID}); code != -32602 {
				t.Errorf("%s: %d", method, code)
			}
		}
	}
	if r := owner.get(task.TaskID); r.Status != taskWorking {
		t.Errorf("%+v", r)
	}
}

// The operator's secrets are masked in tasks as in replies.
func TestATaskIsMasked(t *testing.T) {
	_, s := newServer(t, options{})
	c := overStdio(t, New(s.app, Options{TaskAfter: 1, Redact: func(b json.RawMessage) json.RawMessage {
		return []byte(strings.NewReplacer("waited", "***", "How many", "***").Replace(string(b)))
	}}), s)
	task := c.begin("run_node", `{"id":"mcp:shop/wait"}`)
	s.release <- struct{}{}
	if done := c.until(task.TaskID); !strings.Contains(string(done.Result.StructuredContent), `"output":"***"`) || !strings.Contains(done.Result.Content[0].Text, `"output":"***"`) {
		t.Errorf("%+v", done.Result)
	}
	task = c.begin("run_graph", `{"graph":`+waitThenAsk+`}`)
	s.release <- struct{}{}
	asking := c.until(task.TaskID)
	for _, question := range asking.InputRequests {
		if question.Params.Message != "***?" || asking.StatusMessage != "***?" {
			t.Errorf("%+v", asking)
		}
	}
}
