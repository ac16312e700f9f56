package mcpserver

import (
	"strconv"
	"strings"
	"testing"
)

// named reports whether a list of tools has one of the name.
func named(list []listedTool, name string) bool {
	for _, t := range list {
		if t.Name == name {
			return true
		}
	}
	return false
}

// A saved graph keeps its former texts: they can be read, compared and restored, after
// a deletion too.
func TestRevisions(t *testing.T) {
	c := connect(t, options{})
	one := c.call("save_graph", `{"graph":`+orderGraph+`}`).text("revision")
	two := c.call("save_graph", `{"graph":`+strings.Replace(orderGraph, "Buys", "Orders", 1)+`,"overwrite":true}`).text("revision")
	g := c.call("get_graph", `{"name":"buy"}`)
	g.want(t, map[string]string{"revision": strconv.Quote(two), "revisions/0/revision": strconv.Quote(two), "revisions/1/revision": strconv.Quote(one), "revisions/2": ""})
	g = c.call("get_graph", `{"name":"buy","revision":"`+one+`"}`)
	if g.text("revision") != one || !strings.Contains(g.text("graph"), "Buys an article") || !strings.Contains(g.text("hint"), `"restore": "`+one) {
		t.Error(g.Text)
	}
	for _, args := range []string{`{"name":"buy","diff":true}`, `{"name":"buy","revision":"` + one[:6] + `","diff":true}`} {
		d := c.call("get_graph", args)
		if diff := d.text("diff"); d.get("graph") != "" || !strings.Contains(diff, "\n-description: Buys") || !strings.Contains(diff, "\n+description: Orders") {
			t.Error(d.Text)
		}
	}
	c.call("save_graph", `{"name":"buy","restore":"`+one+`"}`).want(t, map[string]string{"status": `"saved"`, "revision": strconv.Quote(one)})
	gone := c.call("delete_graph", `{"name":"buy"}`)
	if want := `save_graph {"name": "buy", "restore": "` + one + `"} restores it`; gone.text("hint") != want {
		t.Error(gone.Text)
	}
	if r := c.call("get_graph", `{"name":"buy"}`); r.text("error", "code") != "unknown-graph" || !strings.Contains(r.text("error", "hint"), one) {
		t.Error(r.Text)
	}
	c.call("get_graph", `{"name":"buy","revision":"`+two+`"}`).want(t, map[string]string{"revision": strconv.Quote(two)})
	c.call("save_graph", `{"name":"buy","restore":"`+two+`"}`).want(t, map[string]string{"revision": strconv.Quote(two)})
	c.call("buy", `{"article":"tea"}`).want(t, map[string]string{"number": "7"})
	for args, path := range map[string]string{
		`{"name":"buy","restore":"ffff"}`: "/restore", `{"restore":"` + one + `"}`: "/name", `{"name":"buy","restore":"` + one + `","graph":` + orderGraph + `}`: "/restore",
	} {
		if r := c.call("save_graph", args); !r.Failed || r.text("error", "path") != path {
			t.Errorf("%s: %s", args, r.Text)
		}
	}
}

// Cases that pass become the tests of the graph that is saved, with what its tools have
// answered; saving over it or editing it is refused if it breaks one.
func TestPassedCasesGuardAGraph(t *testing.T) {
	c := connect(t, options{})
	draft := c.call("run_graph", `{"graph":`+orderGraph+`,"cases":[{"arguments":{"article":"tea"},"expect":{"article":"tea","number":7},"keep":true}]}`).text("draft")
	c.call("save_graph", `{"graph":"`+draft+`"}`).want(t, map[string]string{"tests/kept": "1", "tests/added": "1"})
	drain(c.shop.calls)
	broken := strings.Replace(orderGraph, `{"id":"exit","type":"exit"`, `{"id":"exit","type":"exit","result":{"article":"tea","number":8}`, 1)
	r := c.call("save_graph", `{"graph":`+broken+`,"overwrite":true}`)
	r.want(t, map[string]string{"status": `"rejected"`, "error/code": `"breaks-tests"`, "tests/failing": `["case 1 differs at /number: want 7, got 8"]`})
	const edit = `{"name":"buy","ops":[{"op":"update_node","id":"exit","set":{"result":{"article":"tea","number":8}}}]`
	e := c.call("edit_graph", edit+`}`)
	e.want(t, map[string]string{"valid": "true", "saved": "", "error/code": `"breaks-tests"`})
	if !r.Failed || !e.Failed || e.text("draft") == "" {
		t.Errorf("%s\n%s", r.Text, e.Text)
	}
	c.call("edit_graph", edit+`,"drop_failing_tests":true}`).want(t, map[string]string{"saved": "true", "tests/dropped": "true", "tests/kept": "0"})
	if len(c.shop.calls) > 0 {
		t.Errorf("the tests have called %s", <-c.shop.calls)
	}
}

// Cases can be run and kept by the call that saves the graph; then they must pass.
func TestSaveWithCases(t *testing.T) {
	c := connect(t, options{})
	r := c.call("save_graph", `{"graph":`+orderGraph+`,"cases":[{"arguments":{"article":"tea"},"expect":{"article":"tea","number":8}}]}`)
	r.want(t, map[string]string{"status": `"rejected"`, "error/code": `"cases-failed"`, "cases/failed": "1"})
	if !r.Failed || c.call("get_graph", `{"name":"buy"}`).text("error", "code") != "unknown-graph" {
		t.Error("a graph is saved whose case fails")
	}
	c.call("save_graph", `{"graph":`+orderGraph+`,"cases":[{"arguments":{"article":"tea"},"expect":{"article":"tea","number":7}}]}`).want(t, map[string]string{"status": `"saved"`, "tests/added": "1"})
}

// A saved graph becomes a tool in the session that saved it, a node that is found,
// and goes when it is deleted.
func TestSaveCallDelete(t *testing.T) {
	c := connect(t, options{trusted: true})
	draft := c.call("validate_graph", `{"graph":`+orderGraph+`}`).text("draft")
	r := c.call("save_graph", `{"graph":"`+draft+`"}`)
	r.want(t, map[string]string{"status": `"saved"`, "name": `"buy"`, "exposed": "true"})
	revision := r.text("revision")
	c.note("notifications/tools/list_changed")
	list := c.list()
	if !named(list, "buy") {
		t.Fatal("the saved graph is not a tool")
	}
	for _, tool := range list {
		if tool.Name == "buy" && (!strings.Contains(string(tool.InputSchema), `"article"`) || tool.Description != "Buys an article" || len(tool.Annotations) < 3) {
			t.Errorf("the tool is %+v", tool)
		}
	}
	bought := c.call("buy", `{"article":"tea"}`)
	if string(bought.Structured) != `{"article":"tea","number":7}` {
		t.Errorf("the tool answered %s", bought.Structured)
	}
	c.call("run_graph", `{"name":"buy","arguments":{"article":"tea"}}`).want(t, map[string]string{"result/number": "7"})
	c.call("run_node", `{"id":"graph:buy","arguments":{"article":"tea"}}`).want(t, map[string]string{"output/number": "7"})
	c.call("search_nodes", `{"query":"buys an article"}`).want(t, map[string]string{"results/0/node_type": `"graph"`, "results/0/subtype": `"buy"`})
	c.call("get_node_types", `{"type_filter":"graph"}`).want(t, map[string]string{"types/graph": `["buy"]`})
	c.call("get_node_details", `{"nodes":["graph:buy"],"detail":"full"}`).want(t, map[string]string{"nodes/0/parameters/0/name": `"article"`})

	g := c.call("get_graph", `{"name":"buy"}`)
	g.want(t, map[string]string{"revision": `"` + revision + `"`, "exposed": "true", "flow": `"entry -> order(shop/order) -> exit"`})
	if again := c.call("validate_graph", `{"graph":`+g.get("graph")+`}`); again.get("valid") != "true" {
		t.Errorf("what get_graph returns is not valid: %s", again.Text)
	}

	for _, tt := range [][2]string{
		{`{"graph":"` + draft + `"}`, "already-exists"},
		{`{"graph":"` + draft + `","revision":"0000"}`, "stale-revision"},
		{`{"graph":"` + draft + `","name":"run_graph"}`, "name-taken"},
		{`{"graph":{"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]}}`, "incomplete-tool"},
		{`{}`, "bad-argument"},
	} {
		args, code := tt[0], tt[1]
		if r := c.call("save_graph", args); !r.Failed || r.text("error", "code") != code {
			t.Errorf("%s: %s", args, r.Text)
		}
	}
	r = c.call("save_graph", `{"graph":`+strings.Replace(orderGraph, "exit", "exti", 1)+`}`)
	r.want(t, map[string]string{"status": `"rejected"`, "diagnostics/0/code": `"dangling-edge"`})

	c.call("save_graph", `{"graph":"`+draft+`","overwrite":true,"expose":false}`).want(t, map[string]string{"exposed": "false"})
	c.note("notifications/tools/list_changed")
	if named(c.list(), "buy") {
		t.Error("a graph that is not exposed is a tool")
	}
	if r := c.call("delete_graph", `{"name":"by"}`); !r.Failed || r.text("error", "code") != "unknown-graph" {
		t.Error(r.Text)
	}
	c.call("delete_graph", `{"name":"buy"}`).want(t, map[string]string{"deleted": "true"})
	if r := c.call("get_graph", `{"name":"buy"}`); r.text("error", "code") != "unknown-graph" {
		t.Error(r.Text)
	}
	c.call("get_node_types", `{}`).want(t, map[string]string{"types/graph": "[]"})
}

// Twenty graphs are tools without saying so.
func TestExposedAreLimited(t *testing.T) {
	c := connect(t, options{})
	for i := range 22 {
		name := "g" + string(rune('a'+i))
		c.call("save_graph", `{"graph":`+strings.Replace(orderGraph, `"buy"`, `"`+name+`"`, 1)+`}`).want(t, map[string]string{"status": `"saved"`})
	}
	list := c.list()
	if !named(list, "gt") || named(list, "gu") {
		t.Errorf("%d tools", len(list))
	}
	c.call("save_graph", `{"graph":`+strings.Replace(orderGraph, `"buy"`, `"zz"`, 1)+`,"expose":true}`).want(t, map[string]string{"exposed": "true"})
	c.call("save_graph", `{"graph":`+strings.Replace(orderGraph, `"buy"`, `"aa"`, 1)+`,"expose":true}`).want(t, map[string]string{"exposed": "true"})
	if list := c.list(); !named(list, "aa") || !named(list, "gt") {
		t.Error("a graph with expose: true took the place of one without it")
	}
}

const document = `
version: "1.0"
tools:
  - name: precise
    title: Precise
    description: Numbers as they are
    inputSchema: {type: object, properties: {any: true, none: false, text: {type: string}}}
    outputSchema: {type: object, properties: {z: true}, required: [z]}
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: mcp, server: shop, tool: exact, args: {}, next: exit}
      - {id: exit, type: exit}
  - name: count
    description: A number, which is not an object
    inputSchema: {type: object}
    outputSchema: {type: number}
    nodes:
      - {id: entry, type: entry, next: n}
      - {id: n, type: transform, transform: {expr: "2 + 1"}, next: exit}
      - {id: exit, type: exit}
  - name: refused
    description: Always fails
    inputSchema: {type: object}
    outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: mcp, server: shop, tool: refuse, args: {}, next: exit}
      - {id: exit, type: exit}
  - name: wrong
    description: Returns what its schema forbids
    inputSchema: {type: object}
    outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
    nodes:
      - {id: entry, type: entry, next: n}
      - {id: n, type: transform, transform: {expr: '{"n": $.entry.n}'}, next: exit}
      - {id: exit, type: exit}
`

// The tools of the operator's documents are tools of the server; numbers and the
// order of keys come through from the downstream server to the reply; a failure is
// text only, since structured content would have to satisfy the author's schema.
func TestDocumentTools(t *testing.T) {
	c := connect(t, options{documents: []string{document}})
	for _, tool := range c.list() {
		if tool.Name == "precise" {
			if got, want := string(tool.InputSchema), `{"type":"object","properties":{"any":{},"none":{"not":{}},"text":{"type":"string"}}}`; got != want {
				t.Errorf("inputSchema is %s, want %s", got, want)
			}
		}
	}
	r := c.call("precise", `{}`)
	if string(r.Structured) != exactJSON || r.Text != exactJSON {
		t.Errorf("the bytes are %s and %s, want %s", r.Structured, r.Text, exactJSON)
	}
	if r := c.call("count", `{}`); string(r.Structured) != `{"result":3}` {
		t.Errorf("a number is answered as %s", r.Structured)
	}
	for name, code := range map[string]string{"refused": "tool-failed", "wrong": "invalid-result"} {
		r := c.call(name, `{"n":"three"}`)
		if !r.Failed || r.Structured != nil || r.text("error", "code") != code {
			t.Errorf("%s: %s, structured %s", name, r.Text, r.Structured)
		}
	}
	if r := c.call("precise", `"{\"text\": \"arguments as text\"}"`); r.Failed {
		t.Error(r.Text)
	}
	if r := c.call("precise", `{"text":5}`); r.text("error", "code") != "invalid-arguments" || r.text("error", "path") != "/arguments/text" {
		t.Error(r.Text)
	}
	c.call("run_graph", `{"name":"count"}`).want(t, map[string]string{"result": "3"})
	if r := c.call("save_graph", `{"graph":`+strings.Replace(orderGraph, `"buy"`, `"count"`, 1)+`}`); r.text("error", "code") != "name-taken" {
		t.Error(r.Text)
	}

	only := connect(t, options{documents: []string{document}, toolsOnly: true})
	if list := only.list(); len(list) != 6 || named(list, "run_graph") || !named(list, "get_run") || !named(list, "cancel_run") {
		t.Errorf("%d tools with tools-only", len(list))
	}
}

// What clients and model APIs refuse keeps a graph from being published: each thing is
// a diagnostic, the fixes of all lead to a graph that is saved, and its listed tool has
// none of it.
func TestSaveRefusesWhatClientsRefuse(t *testing.T) {
	c := connect(t, options{})
	long := strings.Repeat("Checks a code. ", 80)
	graph := `{"name":"code","description":"` + long + `",
		"inputSchema":{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"code":{"type":"string","pattern":"(?i)^abc$"},"all codes":{"type":"array"}},"anyOf":[{"required":["code"]}]},
		"outputSchema":{"type":"object","properties":{"code":{"type":"string","pattern":"^[[:alpha:]]+$"}}},
		"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit","result":{"expr":"{\"code\": $.entry.code, \"n\": $count($.entry.` + "`all codes`" + `)}"}}]}`
	r := c.call("save_graph", `{"graph":`+graph+`}`)
	r.want(t, map[string]string{"status": `"rejected"`, "error/code": `"unpublishable-tool"`})
	for i, code := range []string{"long-description", "old-draft", "unportable-pattern", "property-name", "array-without-items", "schema-combinator", "unportable-pattern"} {
		r.want(t, map[string]string{"diagnostics/" + strconv.Itoa(i) + "/code": strconv.Quote(code)})
		if len(r.text("diagnostics", strconv.Itoa(i), "fixes", "0", "title")) == 0 {
			t.Errorf("%s has no fix", code)
		}
	}
	r = c.call("validate_graph", `{"apply_fixes":true,"graph":`+graph+`}`)
	r.want(t, map[string]string{"valid": "true", "warnings": ""})
	r = c.call("save_graph", `{"graph":"`+r.text("draft")+`"}`)
	r.want(t, map[string]string{"status": `"saved"`, "exposed": "true"})
	c.note("notifications/tools/list_changed")
	for _, tool := range c.list() {
		if tool.Name != "code" {
			continue
		}
		listed := string(tool.InputSchema) + string(tool.OutputSchema)
		for _, refused := range []string{"(?i)", "[[:", "draft-04", "anyOf", "all codes"} {
			if strings.Contains(listed, refused) {
				t.Errorf("the list has %s: %s", refused, listed)
			}
		}
		if len(tool.Description) > 1024 || !strings.Contains(listed, "items") {
			t.Errorf("the tool is listed as %s, %s", tool.Description, listed)
		}
	}
	if got := c.call("code", `{"code":"ABC","all_codes":[1,2]}`); string(got.Structured) != `{"code":"ABC","n":2}` {
		t.Errorf("the tool answered %s", got.Text)
	}
	// One that is not published harms no client.
	r = c.call("save_graph", `{"expose":false,"name":"hidden","graph":`+graph+`}`)
	r.want(t, map[string]string{"status": `"saved"`, "exposed": "false"})
}

// Keywords for which a client refuses the list of tools are not in the list, also where
// an older version has saved the graph or the operator has published it; calls are still
// checked with them.
func TestListLeavesOut(t *testing.T) {
	c := connect(t, options{documents: []string{`{"version":"1.0","tools":[{"name":"code","description":"Checks a code",
		"inputSchema":{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"code":{"type":"string","pattern":"(?i)^abc$"}},"anyOf":[{"required":["code"]}]},
		"outputSchema":{"type":"object","properties":{"code":{"type":"string","pattern":"^[[:alpha:]]+$"}}},
		"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]}]}`}})
	for _, tool := range c.list() {
		listed := string(tool.InputSchema) + string(tool.OutputSchema)
		if tool.Name != "code" {
			continue
		}
		for _, refused := range []string{"pattern", "draft-04", "anyOf"} {
			if strings.Contains(listed, refused) {
				t.Errorf("the list has %s: %s", refused, listed)
			}
		}
	}
	if got := c.call("code", `{"code":"ABC"}`); string(got.Structured) != `{"code":"ABC"}` {
		t.Errorf("the tool answered %s", got.Text)
	}
	for _, wrong := range []string{`{"code":"abd"}`, `{}`} {
		if got := c.call("code", wrong); !got.Failed || !strings.Contains(got.Text, "invalid-arguments") {
			t.Errorf("%s: the tool answered %s", wrong, got.Text)
		}
	}
}
