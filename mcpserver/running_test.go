package mcpserver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// loopGraph counts to n.
const loopGraph = `{"nodes":[{"id":"entry","type":"entry","next":"add"},` +
	`{"id":"add","type":"transform","transform":{"expr":"{\"i\": $executionCount(\"add\") + 1}"},"next":"more"},` +
	`{"id":"more","type":"switch","conditions":[{"rule":{"<":[{"var":"$.add.i"},{"var":"$.entry.n"}]},"next":"add"}],"next":"done"},` +
	`{"id":"done","type":"transform","transform":{"expr":"{\"total\": $.add.i}"},"next":"exit"},` +
	`{"id":"exit","type":"exit"}]}`

// one is a graph of a single tool of the shop.
func one(tool, args string) string {
	return `{"nodes":[{"id":"entry","type":"entry","next":"call"},{"id":"call","type":"mcp","server":"shop","tool":"` + tool + `","args":` + args + `,"next":"exit"},{"id":"exit","type":"exit"}]}`
}

func TestRunGraph(t *testing.T) {
	c := connect(t, options{})
	r := c.call("run_graph", `{"graph":`+orderGraph+`,"arguments":{"article":"tea"}}`)
	r.want(t, map[string]string{
		"status": `"succeeded"`, "result": `{"article":"tea","number":7}`, "node_executions": "3",
		"trace/1/node": `"order"`, "trace/1/output": `{"article":"tea","number":7}`, "trace/1/input": "",
	})
	r = c.call("run_graph", `{"graph":`+orderGraph+`,"arguments":{"article":"tea"},"trace":"full"}`)
	r.want(t, map[string]string{"trace/1/input": `{"article":"tea"}`})
	r = c.call("run_graph", `{"graph":`+orderGraph+`,"arguments":{"article":"tea"},"trace":"none"}`)
	r.want(t, map[string]string{"trace": "", "status": `"succeeded"`})
	r = c.call("run_graph", `{"graph":`+loopGraph+`,"arguments":{"n":5}}`)
	r.want(t, map[string]string{"result": `{"total":5}`, "node_executions": "13"})
}

// Many inputs are one call: a line for each, and an error if one does not pass.
func TestRunGraphCases(t *testing.T) {
	c := connect(t, options{})
	r := c.call("run_graph", `{"graph":`+loopGraph+`,"cases":[{"arguments":{"n":5},"expect":{"total":5}},{"arguments":"{\"n\":2}"}]}`)
	r.want(t, map[string]string{"status": `"succeeded"`, "cases": `{"passed":2,"failed":0,"lines":["1 ok","2 ok: {\"total\":2}"]}`, "run_id": "", "result": ""})
	if r.Failed || r.text("draft") == "" {
		t.Error(r.Text)
	}
	r = c.call("run_graph", `{"graph":"`+r.text("draft")+`","cases":[{"arguments":{"n":5},"expect":{"total":6}}]}`)
	r.want(t, map[string]string{"status": `"failed"`, "error/code": `"cases-failed"`, "cases/details/0/differs": `{"at":"/total","want":6,"got":5}`})
	if !r.Failed {
		t.Error("a case that differs is not an error")
	}
	c.call("get_run", `{"run_id":"`+r.text("cases", "details", "0", "run_id")+`"}`).want(t, map[string]string{"result": `{"total":5}`})
	r = c.call("run_graph", `{"graph":`+loopGraph+`,"cases":[{"argumants":{"n":5}}]}`)
	if !r.Failed || !strings.Contains(r.text("error", "message"), `"argumants" is not a key of a case`) {
		t.Error(r.Text)
	}
}

func TestRunGraphUntilAndPins(t *testing.T) {
	c := connect(t, options{})
	c.call("run_graph", `{"graph":`+loopGraph+`,"arguments":{"n":5},"until":"add"}`).want(t, map[string]string{"result": `{"i":1}`, "node_executions": "2"})
	drain(c.shop.calls)
	r := c.call("run_graph", `{"graph":`+orderGraph+`,"arguments":{"article":"tea"},"pins":{"order":{"number":99}}}`)
	r.want(t, map[string]string{"result": `{"number":99}`, "trace/1/simulated": `"pin"`})
	if len(c.shop.calls) > 0 {
		t.Error("a pinned node was called")
	}
	// A pinned switch goes where the pin says.
	c.call("run_graph", `{"graph":`+loopGraph+`,"arguments":{"n":5},"pins":{"more":"done"}}`).want(t, map[string]string{"result": `{"total":1}`})
	for args, code := range map[string]string{
		`"pins":{"ordr":1}`: "unknown-node", `"until":"ordr"`: "unknown-node", `"mode":"dry"`: "bad-argument", `"trace":"all"`: "bad-argument",
	} {
		r := c.call("run_graph", `{"graph":`+orderGraph+`,"arguments":{"article":"tea"},`+args+`}`)
		if !r.Failed || r.text("error", "code") != code {
			t.Errorf("%s: %s", args, r.Text)
		}
	}
}

func drain(calls chan string) {
	for len(calls) > 0 {
		<-calls
	}
}

// A dry run calls nothing that is not known to be read-only, on the server's word
// only where the operator trusts it, and says where values come from.
func TestDryRun(t *testing.T) {
	c := connect(t, options{trusted: true})
	r := c.call("run_graph", `{"graph":`+orderGraph+`,"arguments":{"article":"tea"},"mode":"dry_run"}`)
	r.want(t, map[string]string{"status": `"succeeded"`, "trace/1/simulated": `"schema"`})
	r = c.call("run_graph", `{"graph":`+one("refuse", "{}")+`,"mode":"dry_run"}`)
	r.want(t, map[string]string{"status": `"failed"`, "error/code": `"needs-pin"`, "error/node": `"call"`})
	if len(c.shop.calls) > 0 {
		t.Fatalf("the dry run called %s", <-c.shop.calls)
	}
	c.call("run_graph", `{"graph":`+one("exact", "{}")+`,"mode":"dry_run"}`).want(t, map[string]string{"result": exactJSON})

	untrusting := connect(t, options{})
	untrusting.call("run_graph", `{"graph":`+one("exact", "{}")+`,"mode":"dry_run"}`).want(t, map[string]string{"error/code": `"needs-pin"`})
}

// Failures say status, code, node, and what the node was given.
func TestRunGraphFails(t *testing.T) {
	c := connect(t, options{})
	r := c.call("run_graph", `{"graph":`+one("refuse", `{"why":{"expr":"$.entry.reason"}}`)+`,"arguments":{"reason":"late"}}`)
	r.want(t, map[string]string{"status": `"failed"`, "error/code": `"tool-failed"`, "error/node": `"call"`, "trace/1/input": `{"why":"late"}`, "trace/1/node": `"call"`})
	r.says(t, "the shop is closed", `"hint":"`)
	if !r.Failed {
		t.Error("no failure")
	}
	for graph, want := range map[string][2]string{
		`{"graph":` + orderGraph + `}`:                                                               {"rejected", "invalid-arguments"},
		`{"graph":` + orderGraph + `,"arguments":{"article":5}}`:                                     {"rejected", "invalid-arguments"},
		`{"graph":` + strings.Replace(orderGraph, "exit", "x", 1) + `}`:                              {"rejected", ""},
		`{"graph":` + loopGraph + `,"arguments":{"n":100000}}`:                                       {"failed", "too-many-executions"},
		`{"graph":` + one("wait", "{}") + `,"timeout_ms":30}`:                                        {"failed", "time-limit"},
		`{"graph":` + strings.Replace(loopGraph, "$.add.i}", "1 + {}}", 1) + `,"arguments":{"n":1}}`: {"", ""},
	} {
		r := c.call("run_graph", graph)
		if !r.Failed || want[0] != "" && r.text("status") != want[0] || r.text("error", "code") != want[1] && want[1] != "" {
			t.Errorf("%s: %s", graph, r.Text)
		}
		if r.get("error") == "" && r.get("diagnostics") == "" {
			t.Errorf("%s says not why: %s", graph, r.Text)
		}
	}
	if err := <-c.shop.ended; err == nil {
		t.Error("the waiting tool was not stopped")
	}
	if r := c.call("run_graph", `{"name":"nosuch"}`); r.text("error", "code") != "unknown-graph" {
		t.Error(r.Text)
	}
	if r := c.call("run_graph", `{"name":"a","graph":`+orderGraph+`}`); r.text("error", "code") != "bad-argument" {
		t.Error(r.Text)
	}
}

// Arguments that a graph does not declare are refused however it is called, with the ones
// that were meant and those that are missing, unless its schema allows others.
func TestUnknownArgumentsOfGraphs(t *testing.T) {
	c := connect(t, options{})
	c.call("save_graph", `{"graph":`+orderGraph+`}`)
	c.note("notifications/tools/list_changed")
	for tool, call := range map[string]string{
		"buy":       `%s`,
		"run_node":  `{"id":"graph:buy","arguments":%s}`,
		"run_graph": `{"name":"buy","arguments":%s}`,
	} {
		r := c.call(tool, fmt.Sprintf(call, `{"artcle":"tea"}`))
		r.says(t, `unknown \"artcle\"`, `missing \"article\"`, `did you mean \"article\" instead of \"artcle\"?`)
		if !r.Failed || r.text("error", "code") != "invalid-arguments" || r.get("error", "suggestions") != `["article"]` {
			t.Errorf("%s: %s", tool, r.Text)
		}
		c.call(tool, fmt.Sprintf(call, `{"article":"tea","colour":"red"}`)).says(t, `unknown \"colour\"`, "its arguments are article")
	}
	c.call("run_graph", `{"name":"buy","cases":[{"arguments":{"artcle":"tea"}},{"arguments":{"artcle":"tea"},"error":"invalid-arguments"}]}`).
		want(t, map[string]string{"cases/passed": "1", "cases/failed": "1"})

	open := strings.Replace(orderGraph, `"inputSchema":{`, `"inputSchema":{"additionalProperties":true,`, 1)
	c.call("run_graph", `{"graph":`+open+`,"arguments":{"article":"tea","artcle":"green"}}`).want(t, map[string]string{"status": `"succeeded"`})
}

// A value over 4 kB is shown by its shape and its first items, and the call in the hint
// reads the rest; the tool of a saved graph returns all.
func TestLargeValuesAreShownInPart(t *testing.T) {
	c := connect(t, options{})
	const graph = `{"name":"many","description":"Many","inputSchema":{"type":"object"},"outputSchema":{"type":"array"},"nodes":[{"id":"entry","type":"entry","next":"make"},` +
		`{"id":"make","type":"transform","transform":{"expr":"[1..2000].{\"id\": $, \"name\": \"item \" & $}"},"next":"exit"},{"id":"exit","type":"exit"}]}`
	c.call("save_graph", `{"graph":`+graph+`}`).want(t, map[string]string{"status": `"saved"`})
	ran := c.call("run_graph", `{"graph":`+graph+`,"trace":"none"}`)
	ran.want(t, map[string]string{"status": `"succeeded"`, "result/0": `{"id":1,"name":"item 1"}`, "result_size": "59787", "paths": `["[].id: number","[].name: string"]`})
	called := c.call("run_node", `{"id":"graph:many"}`)
	called.want(t, map[string]string{"status": `"succeeded"`, "output/0": `{"id":1,"name":"item 1"}`, "output_size": "59787", "paths": `["[].id: number","[].name: string"]`})
	for _, r := range []*answer{ran, called} {
		if len(r.Text) > 5000 {
			t.Errorf("%d bytes: %s", len(r.Text), r.Text)
		}
		found := regexp.MustCompile(`^get_run \{"run_id": "(\w+)", "expr": "(\w+)"\}`).FindStringSubmatch(r.text("hint"))
		if found == nil {
			t.Fatalf("no call in the hint of %s", r.Text)
		}
		c.call("get_run", `{"run_id":"`+found[1]+`","expr":"`+found[2]+`[1999].name"}`).want(t, map[string]string{"value": `"item 2000"`})
	}
	if whole := c.call("many", `{}`); !strings.Contains(whole.Text, `{"id":2000,"name":"item 2000"}`) {
		t.Errorf("the tool returns %.300s", whole.Text)
	}
}

// A large output is cut in the trace, with its size; get_run reads the rest.
func TestTraceIsBounded(t *testing.T) {
	c := connect(t, options{})
	graph := `{"nodes":[{"id":"entry","type":"entry","next":"a"},{"id":"a","type":"mcp","server":"shop","tool":"large","args":{},"next":"b"},` +
		`{"id":"b","type":"transform","transform":{"expr":"{\"n\": $length($.a)}"},"next":"more"},` +
		`{"id":"more","type":"switch","conditions":[{"rule":{"<":[{"var":"$executionCount(\"b\")"},50]},"next":"a"}],"next":"done"},{"id":"done","type":"transform","transform":{"expr":"$.b"},"next":"exit"},{"id":"exit","type":"exit"}]}`
	r := c.call("run_graph", `{"graph":`+graph+`,"trace":"full"}`)
	r.want(t, map[string]string{"status": `"succeeded"`, "result": `{"n":100000}`, "trace/1/output_size": "100002"})
	if len(r.get("trace")) > 32<<10 {
		t.Errorf("the trace is %d bytes", len(r.get("trace")))
	}
	id := r.text("run_id")
	c.call("get_run", `{"run_id":"`+id+`","expr":"$substring(a, 99990)"}`).want(t, map[string]string{"value": `"0123456789"`, "type": `"string"`})
}

func TestGetRun(t *testing.T) {
	c := connect(t, options{})
	id := c.call("run_graph", `{"graph":`+loopGraph+`,"arguments":{"n":3}}`).text("run_id")
	get := func(more string) *answer { return c.call("get_run", `{"run_id":"`+id+`"`+more+`}`) }
	get("").want(t, map[string]string{"status": `"succeeded"`, "node_executions": "9", "arguments": `{"n":3}`, "result": `{"total":3}`, "trace/0/node": `"entry"`})
	get(`,"node":"add"`).want(t, map[string]string{"step/output": `{"i":3}`, "step/index": "5"})
	get(`,"node":"add","index":0`).want(t, map[string]string{"step/output": `{"i":1}`, "step/index": "1"})
	get(`,"node":"add","index":-2`).want(t, map[string]string{"step/output": `{"i":2}`})
	get(`,"index":"2"`).want(t, map[string]string{"step/node": `"more"`, "step/output": `"add"`})
	get(`,"node":"add","index":1,"expr":"add.i"`).want(t, map[string]string{"value": "2"})
	get(`,"expr":"$nodeExecutions(\"add\").i"`).want(t, map[string]string{"value": "[1,2,3]"})
	for more, code := range map[string]string{`,"node":"ad"`: "unknown-node", `,"node":"add","index":7`: "bad-argument", `,"expr":"$sum("`: "expr-syntax", `,"expr":"1+\"a\""`: "bad-argument"} {
		if r := get(more); !r.Failed || r.text("error", "code") != code {
			t.Errorf("%s: %s", more, r.Text)
		}
	}
	if r := c.call("get_run", `{"run_id":"run_0"}`); r.text("error", "code") != "unknown-run" {
		t.Error(r.Text)
	}
}

func TestRunNode(t *testing.T) {
	c := connect(t, options{})
	r := c.call("run_node", `{"id":"mcp:shop/exact"}`)
	r.want(t, map[string]string{"status": `"succeeded"`, "output": exactJSON, "paths": `["z: number","a: number","m.y: number","m.b: array"]`})
	id := r.text("run_id")
	c.call("get_run", `{"run_id":"`+id+`","expr":"node.z"}`).want(t, map[string]string{"value": "9007199254740993"})
	c.call("run_node", `{"id":"mcp:shop/exact","shape_only":true}`).want(t, map[string]string{"output": ""})
	c.call("run_node", `{"id":"shop/large"}`).want(t, map[string]string{"output_size": "100002"})

	r = c.call("run_node", `{"id":"mcp:shop/order","arguments":{"artcle":"tea","amount":"two"}}`)
	r.want(t, map[string]string{"status": `"rejected"`, "diagnostics/0/path": `"/arguments/artcle"`, "diagnostics/1/path": `"/arguments/amount"`})
	r.says(t, `\"article\"`)
	for args, code := range map[string]string{
		`{"id":"mcp:shop/refuse"}`: "tool-failed", `{"id":"mcp:shop/refus"}`: "unknown-node", `{"id":"switch"}`: "not-runnable",
		`{"id":"mcp:nowhere/tool"}`: "unknown-node", `{}`: "bad-argument",
	} {
		if r := c.call("run_node", args); !r.Failed || r.text("error", "code") != code {
			t.Errorf("%s: %s", args, r.Text)
		}
	}
}

// Progress is reported for every node to a client that asks for it.
func TestProgress(t *testing.T) {
	c := connect(t, options{})
	c.request("tools/call", map[string]any{"name": "run_graph", "arguments": raw(`{"graph":` + orderGraph + `,"arguments":{"article":"tea"}}`), "_meta": map[string]any{"progressToken": "p1"}})
	for i, node := range []string{"entry", "order", "exit"} {
		m := c.note("notifications/progress")
		for _, part := range []string{`"progressToken":"p1"`, `"progress":` + strconv.Itoa(i+1), `"message":"` + node + `"`} {
			if !strings.Contains(string(m.Params), part) {
				t.Errorf("progress %d is %s, want %s", i, m.Params, part)
			}
		}
	}
}

// What a server reports about a call is reported while the call is in progress, by every
// tool that runs something.
func TestProgressOfACall(t *testing.T) {
	c := connect(t, options{documents: []string{waitingDocument}})
	for tool, args := range map[string]string{"run_graph": `{"graph":` + one("wait", "{}") + `}`, "run_node": `{"id":"mcp:shop/wait"}`, "patient": `{}`} {
		_, reply := c.begin("tools/call", map[string]any{"name": tool, "arguments": raw(args), "_meta": map[string]any{"progressToken": "p1"}})
		var p struct {
			Progress float64
			Message  string
		}
		hear := func() {
			if err := json.Unmarshal(c.note("notifications/progress").Params, &p); err != nil {
				t.Fatal(err)
			}
		}
		if hear(); p.Progress != 1 || p.Message != "entry" {
			t.Errorf("%s: the progress begins with %+v", tool, p)
		}
		if hear(); p.Progress != 1.5 || !strings.HasSuffix(p.Message, ": half of it") {
			t.Errorf("%s: then it is %+v", tool, p)
		}
		c.shop.release <- struct{}{}
		for last := p.Progress; last < 3; last = p.Progress { // the call and the exit may be told together
			if hear(); p.Progress != 2 && p.Progress != 3 {
				t.Fatalf("%s: after %v it is %+v", tool, last, p)
			}
		}
		<-reply
	}
}

// The reply is the last that a client hears of a call, although its run continues.
func TestNoProgressAfterTheReply(t *testing.T) {
	c := connect(t, options{})
	_, reply := c.begin("tools/call", map[string]any{"name": "run_graph", "arguments": raw(`{"background":true,"graph":` + one("wait", "{}") + `}`), "_meta": map[string]any{"progressToken": "p1"}})
	id := c.understand("run_graph", <-reply).text("run_id")
	for len(c.notes) > 0 {
		<-c.notes
	}
	<-c.shop.calls
	c.call("cancel_run", `{"run_id":"`+id+`"}`).want(t, map[string]string{"status": `"cancelled"`})
	if len(c.notes) > 0 {
		t.Errorf("after the reply comes %s", (<-c.notes).Params)
	}
}

// Progress only increases, also where a step ends after those it consists of.
func TestProgressIncreases(t *testing.T) {
	c := connect(t, options{})
	each := `{"nodes":[{"id":"entry","type":"entry","next":"each"},{"id":"each","type":"transform","transform":{"expr":"$item"},"foreach":{"items":[1,2,3],"concurrency":3},"next":"exit"},{"id":"exit","type":"exit"}]}`
	c.request("tools/call", map[string]any{"name": "run_graph", "arguments": raw(`{"graph":` + each + `}`), "_meta": map[string]any{"progressToken": "p1"}})
	for last := 0.0; last < 6; {
		var p struct{ Progress float64 }
		if err := json.Unmarshal(c.note("notifications/progress").Params, &p); err != nil {
			t.Fatal(err)
		}
		if p.Progress <= last {
			t.Fatalf("progress %v after %v", p.Progress, last)
		}
		last = p.Progress
	}
}

// Cancelling a call stops the node in flight, and the server continues.
func TestCancellation(t *testing.T) {
	c := connect(t, options{})
	id, _ := c.begin("tools/call", map[string]any{"name": "run_graph", "arguments": raw(`{"graph":` + one("wait", "{}") + `}`)})
	if called := <-c.shop.calls; called != "wait" {
		t.Fatalf("called %s", called)
	}
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id, "reason": "changed my mind"}})
	if err := <-c.shop.ended; err == nil {
		t.Error("the node was not stopped")
	}
	c.call("run_node", `{"id":"mcp:shop/exact"}`).want(t, map[string]string{"status": `"succeeded"`})
}

// A run that takes longer than its call waits continues after the reply, and what
// cancels the call then does not cancel the run.
func TestRunsOutlastTheirCalls(t *testing.T) {
	c := connect(t, options{})
	for _, args := range []string{`,"wait_ms":1`, `,"background":true`} {
		id, reply := c.begin("tools/call", map[string]any{"name": "run_graph", "arguments": raw(`{"graph":` + one("wait", "{}") + args + `}`)})
		r := c.understand("run_graph", <-reply)
		run := r.text("run_id")
		r.want(t, map[string]string{"status": `"running"`, "result": "", "error": ""})
		r.says(t, "get_run", "cancel_run")
		if r.Failed {
			t.Errorf("%s: a run in progress has failed: %s", args, r.Text)
		}
		<-c.shop.calls
		c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
		c.call("get_run", `{"run_id":"`+run+`"}`).want(t, map[string]string{"status": `"running"`})
		c.call("cancel_run", `{"run_id":"`+run+`"}`).want(t, map[string]string{"status": `"cancelled"`})
		if err := <-c.shop.ended; err == nil {
			t.Error("the node was not stopped")
		}
	}
}

const waitingDocument = `
version: "1.0"
tools:
  - name: patient
    description: Waits for the shop
    inputSchema: {type: object}
    outputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: mcp, server: shop, tool: wait, args: {}, next: exit}
      - {id: exit, type: exit}
`

// The call of a graph that is still running when its reply leaves says so in text only,
// and how to follow the run, also where only graphs are tools. The other tools that
// run something wait as long.
func TestACallOfAGraphThatContinues(t *testing.T) {
	only := connect(t, options{documents: []string{waitingDocument}, toolsOnly: true, wait: time.Millisecond})
	r := only.call("patient", `{}`)
	r.want(t, map[string]string{"error/code": `"still-running"`, "status": `"running"`})
	r.says(t, "get_run")
	id := r.text("run_id")
	if !r.Failed || r.Structured != nil || !strings.Contains(r.text("error", "hint"), id) {
		t.Errorf("failed %t, structured %s: %s", r.Failed, r.Structured, r.Text)
	}
	only.call("get_run", `{"run_id":"`+id+`"}`).want(t, map[string]string{"status": `"running"`})
	only.call("cancel_run", `{"run_id":"`+id+`"}`).want(t, map[string]string{"status": `"cancelled"`})

	c := connect(t, options{wait: time.Millisecond})
	r = c.call("run_node", `{"id":"mcp:shop/wait"}`)
	r.want(t, map[string]string{"status": `"running"`, "output": ""})
	id = r.text("run_id")
	<-c.shop.calls // its step has started
	c.call("cancel_run", `{"run_id":"`+id+`"}`).want(t, map[string]string{"status": `"cancelled"`})
	r = c.call("resume_run", `{"run_id":"`+id+`","decision":"retry","step":"node#0"}`)
	r.want(t, map[string]string{"status": `"running"`})
	r.says(t, "get_run")
	c.call("cancel_run", `{"run_id":"`+id+`"}`).want(t, map[string]string{"status": `"cancelled"`})
}

// Runs are concurrent: a slow one does not delay the others.
func TestConcurrentRuns(t *testing.T) {
	c := connect(t, options{})
	_, slow := c.begin("tools/call", map[string]any{"name": "run_node", "arguments": raw(`{"id":"mcp:shop/wait"}`)})
	var replies []chan message
	for i := range 50 {
		_, r := c.begin("tools/call", map[string]any{"name": "run_graph", "arguments": raw(`{"graph":` + loopGraph + `,"arguments":{"n":` + strconv.Itoa(i+1) + `}}`)})
		replies = append(replies, r)
	}
	for i, r := range replies {
		c.understand("run_graph", <-r).want(t, map[string]string{"result": `{"total":` + strconv.Itoa(i+1) + `}`})
	}
	close(c.shop.release)
	c.understand("run_node", <-slow).want(t, map[string]string{"output": `"waited"`})
}
