package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"
)

// orderGraph orders an article; %s is the tool's name.
const orderGraph = `{"name":"buy","description":"Buys an article","inputSchema":{"type":"object","properties":{"article":{"type":"string"}},"required":["article"]},` +
	`"outputSchema":{"type":"object","properties":{"number":{"type":"integer"}},"required":["number"]},"nodes":[` +
	`{"id":"entry","type":"entry","next":"order"},` +
	`{"id":"order","type":"mcp","server":"shop","tool":"order","args":{"article":{"expr":"$.entry.article"}},"next":"exit"},` +
	`{"id":"exit","type":"exit"}]}`

func TestValidate(t *testing.T) {
	c := connect(t, options{})
	r := c.call("validate_graph", `{"graph":`+orderGraph+`}`)
	r.want(t, map[string]string{"valid": "true", "errors": "", "flow": `"entry -> order(shop/order) -> exit"`, "missing_to_save": ""})
	if !strings.HasPrefix(r.text("draft"), "draft:") || len(r.text("draft")) != len("draft:")+26 {
		t.Errorf("draft is %q", r.text("draft"))
	}

	slips := strings.Replace(strings.Replace(orderGraph, `"tool":"order"`, `"tool":"ordr"`, 1), `"next":"exit"`, `"next":"exti"`, 1)
	r = c.call("validate_graph", `{"graph":`+slips+`}`)
	if r.Failed {
		t.Errorf("a verdict is not a failure: %s", r.Text)
	}
	r.want(t, map[string]string{
		"valid": "false", "errors/0/code": `"unknown-tool"`, "errors/0/path": `"/nodes/1/tool"`, "errors/0/node": `"order"`,
		"errors/1/code": `"dangling-edge"`, "errors/1/path": `"/nodes/1/next"`, "errors/2": "",
		"errors/0/fixes/0/patch": `[{"op":"replace","path":"/nodes/1/tool","value":"order"}]`,
		"errors/0/range":         "", // the caller has sent no text
	})
	draft := r.text("draft")
	r = c.call("validate_graph", `{"graph":"`+draft+`","apply_fixes":true}`)
	r.want(t, map[string]string{"valid": "true", "errors": "", "fixed_graph": "", "diff": `"@@ -10 +10 @@\n-    tool: ordr\n+    tool: order\n@@ -12 +12 @@\n-    next: exti\n+    next: exit\n"`})
	c.fixed(r).want(t, map[string]string{"nodes/1/tool": `"order"`, "nodes/1/next": `"exit"`})
	if len(c.shop.calls) > 0 {
		t.Errorf("checking has called %s", <-c.shop.calls)
	}
}

// fixed is the graph that the draft of a reply stands for.
func (c *client) fixed(r *answer) *answer {
	c.t.Helper()
	text := c.call("get_graph", `{"name":"`+r.text("draft")+`"}`).text("graph")
	return &answer{Structured: json.RawMessage(text), Text: text}
}

// Three faults take at most 1.2 kB, in an object and in a text.
func TestThreeFaultsAreShort(t *testing.T) {
	c := connect(t, options{})
	slips := strings.NewReplacer(`"type":"mcp"`, `"type":"mpc"`, `"args":{"article"`, `"args":{"artcle"`, `"next":"exit"`, `"next":"exti"`).Replace(orderGraph)
	text, _ := json.Marshal(slips)
	for _, graph := range []string{slips, string(text)} {
		r := c.call("validate_graph", `{"graph":`+graph+`}`)
		r.want(t, map[string]string{"errors/2/fixes/0/title": `"change to \"exit\""`, "errors/3": ""})
		if n := len(strings.Join(r.Texts, "\n")); n > 1200 || len(r.Structured) > 1200 {
			t.Errorf("three faults take %d bytes, %d of them structured: %s", n, len(r.Structured), r.Texts)
		}
	}
}

// Text comes back with places, and with the caret rendering as a second text where it is
// no graph, so that there is no path.
func TestValidateText(t *testing.T) {
	c := connect(t, options{})
	text, _ := json.Marshal("nodes:\n  - {id: entry, type: entry, next: exti}\n  - {id: exit, type: exit}\n")
	r := c.call("validate_graph", `{"graph":`+string(text)+`}`)
	r.want(t, map[string]string{"errors/0/range/start": `{"line":2,"column":36}`, "errors/0/range/end": `{"line":2,"column":40}`})
	if unreadable := c.call("validate_graph", `{"graph":"nodes:\n  - {id: entry"}`); len(r.Texts) != 1 || len(unreadable.Texts) != 2 || !strings.Contains(unreadable.Texts[1], "^") {
		t.Errorf("rendered: %q\n%q", r.Texts, unreadable.Texts)
	}
	r = c.call("validate_graph", `{"graph":`+string(text)+`,"apply_fixes":true}`)
	if fixed := c.fixed(r).Text; fixed != "nodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit}\n" {
		t.Errorf("the fixed graph is %s", fixed)
	}
}

// apply_fixes never removes a node: a graph that has two collections of nodes keeps
// both, and the other fixes are applied.
func TestApplyFixesKeepsNodes(t *testing.T) {
	c := connect(t, options{})
	r := c.call("validate_graph", `{"apply_fixes":true,"graph":{"mood":"good",
		"nodes":[{"id":"entry","type":"entry","next":"exti"},{"id":"exit","type":"exit"}],
		"steps":[{"id":"order","type":"mcp","server":"shop","tool":"order"}]}}`)
	r.want(t, map[string]string{
		"valid":           "true",
		"warnings/0/path": `"/steps"`, "warnings/0/fixes/0/title": `"remove \"steps\""`,
	})
	c.fixed(r).want(t, map[string]string{"nodes/0/next": `"exit"`, "steps/0/id": `"order"`, "mood": ""})
	const nodes = `"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]`
	r = c.call("validate_graph", `{"apply_fixes":true,"graph":{"tools":[{"name":"buy","description":"buys",`+nodes+`}],`+nodes+`}}`)
	r.want(t, map[string]string{"valid": "true", "fixed_graph": "", "diff": "", "warnings/0/path": `"/nodes"`})
	r = c.call("validate_graph", `{"apply_fixes":true,"graph":{"tools":[{"name":"buy","description":"buys"}],`+nodes+`}}`)
	c.fixed(r).want(t, map[string]string{"nodes": "", "tools/0/nodes/0/id": `"entry"`})
}

// A key exp is renamed to expr, unless the output schema declares a key exp.
func TestApplyFixesRenamesExp(t *testing.T) {
	c := connect(t, options{})
	r := c.call("validate_graph", `{"apply_fixes":true,"graph":{
		"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit","result":{"given":{"exp":"$.entry"}}}]}}`)
	c.fixed(r).want(t, map[string]string{"nodes/1/result": `{"given":{"expr":"$.entry"}}`})
	r = c.call("validate_graph", `{"apply_fixes":true,"graph":{"outputSchema":{"type":"object","properties":{"token":{"type":"object","properties":{"exp":{}}}}},
		"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit","result":{"token":{"exp":"$.entry"}}}]}}`)
	c.fixed(r).want(t, map[string]string{"nodes/1/result": `{"token":{"exp":{"expr": "$.entry"}}}`})
}

// What cannot be a graph is a verdict too, or names what to send instead.
func TestValidateOddInput(t *testing.T) {
	c := connect(t, options{})
	for _, c2 := range []struct{ graph, says string }{
		{`"{\"nodes\": ["`, `"valid":false`},
		{`"nodes:\n  - {id"`, `"valid":false`},
		{`""`, `"valid":false`},
		{`"draft:nosuch"`, `unknown-draft`},
		{`42`, `"valid":false`},
		{`true`, `"valid":false`},
		{`{}`, `"valid":false`},
		{`[]`, `"valid":false`},
		{`{"nodes":{}}`, `"valid":false`},
		{`{"nodes":[1,"a",null,[]]}`, `"valid":false`},
		{`{"nodes":[{"id":5,"type":{}},{"id":"exit","type":"exit"}]}`, `"valid":false`},
		{`{"mcpServers":{"x":{"command":"rm"}},"tools":[]}`, `mcpServers`},
		{`{"nodes":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`, `"valid":false`},
	} {
		c.call("validate_graph", `{"graph":`+c2.graph+`}`).says(t, c2.says)
	}
	if r := c.call("validate_graph", `{}`); !r.Failed || r.text("error", "path") != "/graph" {
		t.Error(r.Text)
	}
	if r := c.call("validate_graph", `{"graph":null}`); !r.Failed {
		t.Error(r.Text)
	}
}

// At most fifty diagnostics come, and the rest is counted.
func TestValidateManyFaults(t *testing.T) {
	c := connect(t, options{})
	var nodes []string
	for range 200 {
		nodes = append(nodes, `{"id":"x y","type":"trnsform","next":"nowhere"}`)
	}
	r := c.call("validate_graph", `{"graph":{"nodes":[`+strings.Join(nodes, ",")+`]}}`)
	var errors []json.RawMessage
	if err := json.Unmarshal([]byte(r.get("errors")), &errors); err != nil || len(errors) > 50 || r.get("more") == "" {
		t.Errorf("%d errors, %s more, %v", len(errors), r.get("more"), err)
	}
}

func TestEditGraph(t *testing.T) {
	c := connect(t, options{})
	draft := c.call("validate_graph", `{"graph":`+orderGraph+`}`).text("draft")
	r := c.call("edit_graph", `{"graph":"`+draft+`","ops":[{"op":"rename_node","id":"order","new_id":"buy_it"}]}`)
	r.want(t, map[string]string{"valid": "true", "flow": `"entry -> buy_it(shop/order) -> exit"`})
	edited := r.text("draft")
	if edited == draft || edited == "" {
		t.Errorf("draft is %q", edited)
	}
	c.call("run_graph", `{"graph":"`+edited+`","arguments":{"article":"tea"}}`).want(t, map[string]string{"status": `"succeeded"`, "result/number": "7"})
	r = c.call("edit_graph", `{"graph":"`+draft+`","ops":[{"op":"renam_node","id":"order","new_id":"x"}]}`)
	if !r.Failed {
		t.Errorf("an unknown operation: %s", r.Text)
	}
	r.says(t, "rename_node")
}

func TestEvaluate(t *testing.T) {
	c := connect(t, options{})
	for _, e := range []struct{ args, value, typ string }{
		{`{"expression":"$sum(a.b)","context":{"a":[{"b":2},{"b":3}]}}`, "5", "number"},
		{`{"language":"jsonata","expression":"a","context":{"a":9007199254740993}}`, "9007199254740993", "number"},
		{`{"language":"jsonlogic","expression":{"<":[{"var":"a"},3]},"context":{"a":2}}`, "true", "boolean"},
		{`{"language":"jsonlogic","expression":"{\"<\":[{\"var\":\"a\"},3]}","context":"{\"a\":5}"}`, "false", "boolean"},
		{`{"expression":"nothing"}`, "", "undefined"},
		{`{"expression":"$"}`, "{}", "object"},
	} {
		r := c.call("evaluate", e.args)
		if r.Failed || r.get("value") != e.value || r.text("type") != e.typ {
			t.Errorf("%s: %s", e.args, r.Text)
		}
	}
	r := c.call("evaluate", `{"expression":"\"größe\" & $sum(a"}`)
	r.want(t, map[string]string{"diagnostics/0/range/start": `{"line":1,"column":17}`})
	if !r.Failed {
		t.Error("no failure")
	}
	for _, bad := range []string{`{"expression":"$foo(1)"}`, `{"expression":"1 + \"a\""}`, `{"language":"jsonlogic","expression":{"nosuch":[1]}}`, `{"language":"lua","expression":"1"}`, `{"expression":"($f := function(){$f() + 1}; $f())"}`} {
		if r := c.call("evaluate", bad); !r.Failed {
			t.Errorf("%s: %s", bad, r.Text)
		}
	}
}

// With a run's id, the expression sees that run: latest outputs and history.
func TestEvaluateRun(t *testing.T) {
	c := connect(t, options{})
	run := c.call("run_graph", `{"graph":`+loopGraph+`,"arguments":{"n":3}}`)
	id := run.text("run_id")
	for expr, want := range map[string]string{
		`add.i`: "3", `$executionCount(\"add\")`: "3", `$nodeExecution(\"add\", 0).i`: "1", `$nodeExecutions(\"add\").i`: "[1,2,3]", `entry.n`: "3",
	} {
		r := c.call("evaluate", `{"run_id":"`+id+`","expression":"`+expr+`"}`)
		if r.get("value") != want {
			t.Errorf("%s: %s, want %s", expr, r.Text, want)
		}
	}
	if r := c.call("evaluate", `{"run_id":"run_nosuch","expression":"1"}`); r.text("error", "code") != "unknown-run" {
		t.Error(r.Text)
	}
}
