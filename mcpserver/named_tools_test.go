package mcpserver

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// calledNext finds the calls of tools that replies lead to.
var calledNext = regexp.MustCompile(`\b(edit_graph|get_run|resume_run|cancel_run) \{"`)

// callsIn are the calls of such tools in a hint.
func callsIn(t *testing.T, hint string) map[string]string {
	t.Helper()
	calls := map[string]string{}
	for _, at := range calledNext.FindAllStringSubmatchIndex(hint, -1) {
		var args json.RawMessage
		if err := json.NewDecoder(strings.NewReader(hint[at[3]:])).Decode(&args); err != nil {
			t.Errorf("the call of %s is not JSON: %v in %s", hint[at[2]:at[3]], err, hint)
		}
		calls[hint[at[2]:at[3]]] = string(args)
	}
	return calls
}

// A reply that leads to another tool has its call, which works as it is.
func TestRepliesHaveTheNextCall(t *testing.T) {
	c := connect(t, options{})

	r := c.call("validate_graph", `{"graph":`+strings.Replace(orderGraph, `"next":"exit"`, `"next":"elsewhere"`, 1)+`}`)
	edit := strings.Replace(callsIn(t, r.text("hint"))["edit_graph"], "VALUE", "exit", 1)
	c.call("edit_graph", edit).want(t, map[string]string{"valid": "true"})
	for _, op := range []string{"add_node", "update_node", "remove_node", "connect", "insert_between", "rename_node"} {
		if !strings.Contains(r.text("hint"), op+" {") {
			t.Errorf("the hint does not say what %s takes: %s", op, r.text("hint"))
		}
	}
	for _, text := range []string{orderGraph, strings.Replace(orderGraph, `"next":"exit"`, `"next":"exti"`, 1)} { // apply_fixes is enough
		c.call("validate_graph", `{"graph":`+text+`}`).want(t, map[string]string{"hint": ""})
	}

	r = c.call("get_node_details", `{"nodes":["mcp:shop/order","transform"]}`)
	r = c.call("edit_graph", callsIn(t, r.text("hint"))["edit_graph"])
	r.says(t, `"draft":"`, "order(shop/order) -> transform")
	r = c.call("edit_graph", `{"scaffold":["mcp:shop/order","mcp:shop/order"]}`)
	c.call("edit_graph", callsIn(t, r.text("hint"))["edit_graph"]).says(t, `VALUE`)
	c.call("get_node_details", `{"nodes":["mcp:shop/order","nonsense"]}`).want(t, map[string]string{"hint": ""})
	c.call("get_node_details", `{"nodes":["mcp:shop/order","exit"]}`).want(t, map[string]string{"hint": ""})

	r = c.call("run_graph", `{"graph":`+one("refuse", `{"why":"late"}`)+`}`)
	calls := callsIn(t, r.text("hint"))
	c.call("get_run", calls["get_run"]).want(t, map[string]string{"step/node": `"call"`, "step/input": `{"why":"late"}`})
	corrected, _ := json.Marshal(one("exact", "{}"))
	resume := strings.Replace(calls["resume_run"], `"CORRECTED GRAPH"`, string(corrected), 1)
	c.call("resume_run", resume).want(t, map[string]string{"status": `"succeeded"`, "result": exactJSON})

	r = c.call("run_graph", `{"graph":`+one("wait", "{}")+`,"background":true}`)
	calls = callsIn(t, r.text("hint"))
	c.call("get_run", calls["get_run"]).want(t, map[string]string{"status": `"running"`})
	c.call("cancel_run", calls["cancel_run"]).want(t, map[string]string{"status": `"cancelled"`})

	large := strings.Replace(one("large", "{}"), `{"id":"exit","type":"exit"}`, `{"id":"exit","type":"exit","result":{}}`, 1)
	r = c.call("run_graph", `{"graph":`+large+`}`)
	read := strings.Replace(callsIn(t, r.text("hint"))["get_run"], "EXPRESSION", "$substring(call, 99990)", 1)
	c.call("get_run", read).want(t, map[string]string{"value": `"0123456789"`})
	r = c.call("run_node", `{"id":"mcp:shop/large"}`)
	c.call("get_run", callsIn(t, r.text("hint"))["get_run"]).want(t, map[string]string{"type": `"string"`})
}

// What a client reads of an argument's values is what the tool takes, and a graph is
// taken as text and as an object.
func TestListedLimits(t *testing.T) {
	c := connect(t, options{})
	for _, tool := range c.list() {
		var schema struct {
			Properties map[string]struct {
				Type string   `json:"type"`
				Enum []string `json:"enum"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		if p, takes := schema.Properties["graph"]; takes && p.Type != "string" {
			t.Errorf("%s: the type of graph is %q", tool.Name, p.Type)
		}
		for _, f := range fieldsOf(tool.Name) {
			if f.Name != "" && !slices.Equal(schema.Properties[f.Name].Enum, f.Enum) {
				t.Errorf("%s: the values of %s are %q, want %q", tool.Name, f.Name, schema.Properties[f.Name].Enum, f.Enum)
			}
		}
	}
	text, _ := json.Marshal(orderGraph)
	for _, graph := range []string{orderGraph, string(text)} {
		run := `{"graph":` + graph + `,"arguments":{"article":"tea"}`
		for _, more := range []string{"", `,"mode":"run"`, `,"mode":"dry_run"`, `,"trace":"none"`, `,"trace":"summary"`, `,"trace":"full"`} {
			c.call("run_graph", run+more+`}`).want(t, map[string]string{"status": `"succeeded"`})
		}
	}
	for tool, calls := range map[string][2]string{
		"search_nodes":     {`{"query":"x","max_results":50,"mode":"all"}`, `{"query":"x","max_results":51}`},
		"evaluate":         {`{"expression":"1","language":"jsonata"}`, `{"expression":"1","language":"python"}`},
		"get_node_details": {`{"nodes":[` + strings.TrimSuffix(strings.Repeat(`"transform",`, 50), ",") + `]}`, `{"nodes":[` + strings.TrimSuffix(strings.Repeat(`"transform",`, 51), ",") + `]}`},
	} {
		if r := c.call(tool, calls[0]); r.Failed {
			t.Errorf("%s: %s", tool, r.Text)
		}
		if r := c.call(tool, calls[1]); !r.Failed {
			t.Errorf("%s takes %s", tool, calls[1])
		}
	}
}

// fieldsOf are the fields of a tool's input.
func fieldsOf(tool string) []app.Field {
	for _, o := range app.Operations() {
		if o.Tool == tool {
			return o.Fields()
		}
	}
	return nil
}
