package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// nullGraph has a node whose field reads an argument v of any type.
func nullGraph(node, schema string) string {
	return `{"name": "g", "description": "d", "inputSchema": {"type": "object", "properties": {"v": ` + schema + `}, "additionalProperties": true}, "outputSchema": {},
"nodes": [{"id": "entry", "type": "entry", "next": "n"}, {"id": "n", ` + node + `, "next": "exit"}, {"id": "exit", "type": "exit", "result": {"expr": "{'n': $.n}"}}]}`
}

// TestNullMissingAndEmpty: in every field that takes a list, a map, a number or a text,
// a missing value counts as a field that is not written, null is an error that says what to
// write, and an empty value stays empty.
func TestNullMissingAndEmpty(t *testing.T) {
	says := callerFunc(func(_ context.Context, c run.Call) (*run.Result, error) {
		return nil, fmt.Errorf("called %s/%s %s", c.Server, c.Tool, c.Args)
	})
	for _, tt := range []struct{ node, arguments, want string }{
		{`"type": "transform", "transform": {"expr": "1"}, "foreach": {"items": {"expr": "$.entry.v"}}`, `{}`, `{"n":[]}`},
		{`"type": "transform", "transform": {"expr": "1"}, "foreach": {"items": {"expr": "$.entry.v"}}`, `{"v": null}`, `items is null, expected a list`},
		{`"type": "transform", "transform": {"expr": "1"}, "foreach": {"items": {"expr": "$.entry.v"}}`, `{"v": []}`, `{"n":[]}`},
		{`"type": "transform", "transform": {"expr": "1"}, "foreach": {"items": {"expr": "$.entry.v"}}`, `{"v": [null]}`, `{"n":[1]}`},
		{`"type": "transform", "transform": {"expr": "1"}, "foreach": {"items": {"expr": "($v := $.entry.v; $v != null ? $v : [])"}}`, `{"v": null}`, `{"n":[]}`},
		{`"type": "transform", "transform": {"expr": "1"}, "foreach": {"items": [1], "concurrency": null, "as": null, "onItemError": null}, "timeoutMs": null`, `{}`, `{"n":[1]}`},
		{`"type": "wait", "ms": {"expr": "$.entry.v"}, "retry": {"maxAttempts": null, "initialMs": null, "factor": null, "unsafe": null}`, `{"v": 0}`, `{"n":{"waitedMs":0}}`},
		{`"type": "wait", "ms": {"expr": "$.entry.v"}`, `{}`, `ms is undefined, expected a number of milliseconds`},
		{`"type": "wait", "ms": {"expr": "$.entry.v"}`, `{"v": null}`, `ms is null, expected a number of milliseconds`},
		{`"type": "wait", "until": {"expr": "$.entry.v"}`, `{"v": null}`, `until is null, expected a time`},
		{`"type": "wait", "until": {"expr": "$.entry.v"}`, `{}`, `until is undefined, expected a time`},
		{`"type": "ask", "message": {"expr": "$.entry.v"}`, `{}`, `message is undefined, expected a text`},
		{`"type": "ask", "message": {"expr": "$.entry.v"}`, `{"v": null}`, `message is null, expected a text`},
		{`"type": "http", "url": {"expr": "$.entry.v"}`, `{}`, `url is undefined, expected a text`},
		{`"type": "http", "url": {"expr": "$.entry.v"}`, `{"v": null}`, `url is null, expected a text`},
		{`"type": "http", "url": "https://api.example.com/x", "query": {"expr": "$.entry.v"}`, `{"v": null}`, `query is null, expected a map`},
		{`"type": "http", "url": "https://api.example.com/x", "headers": {"expr": "$.entry.v"}`, `{"v": null}`, `headers is null, expected a map`},
		{`"type": "http", "url": "https://api.example.com/x", "auth": {"expr": "$.entry.v"}`, `{"v": null}`, `auth is null, expected a map`},
		{`"type": "http", "url": "https://api.example.com/x", "method": {"expr": "$.entry.v"}`, `{}`, `method is undefined, expected a text`},
		{`"type": "http", "url": "https://api.example.com/x", "method": {"expr": "$.entry.v"}`, `{"v": null}`, `method is null, expected a text`},
		{`"type": "state", "key": {"expr": "$.entry.v"}, "get": null`, `{}`, `key is undefined, expected a text`},
		{`"type": "state", "key": {"expr": "$.entry.v"}, "get": null`, `{"v": null}`, `key is null, expected a text`},
		{`"type": "state", "key": "k", "add": {"expr": "$.entry.v"}`, `{"v": null}`, `add is null, expected a list`},
		{`"type": "mcp", "server": "s", "tool": "t", "args": {"expr": "$.entry.v"}`, `{"v": null}`, `args is null, expected a map`},
		{`"type": "mcp", "server": "s", "tool": "t", "args": {"expr": "$.entry.v"}`, `{}`, `called s/t {}`},
		{`"type": "mcp", "server": "s", "tool": "t", "args": {"expr": "$.entry.v"}`, `{"v": {}}`, `called s/t {}`},
		{`"type": "mcp", "server": "s", "tool": "t", "args": {"a": {"expr": "$.entry.v"}, "l": [{"expr": "$.entry.v"}]}`, `{}`, `called s/t {"l":[null]}`},
		{`"type": "mcp", "server": "s", "tool": "t", "args": {"a": {"expr": "$.entry.v"}, "l": [{"expr": "$.entry.v"}]}`, `{"v": null}`, `called s/t {"a":null,"l":[null]}`},
	} {
		p := compile(t, nullGraph(tt.node, "{}"), engine.Env{HTTP: offeredWeb{}})
		rec := local.Run(t.Context(), p, says, json.RawMessage(tt.arguments), local.Options{})
		got := ""
		switch {
		case rec.Status == run.Succeeded:
			b, _ := json.Marshal(rec.Result)
			got = string(b)
		case rec.Fault != nil:
			got = rec.Fault.Message
			if strings.Contains(got, ", expected a ") && !strings.Contains(rec.Fault.Hint, "$v != null ? $v : ") {
				t.Errorf("%s of %s: the hint is %q", tt.node, tt.arguments, rec.Fault.Hint)
			}
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s of %s gives %s, want %s", tt.node, tt.arguments, got, tt.want)
		}
	}
}

// TestNullIsSeenBefore: what the types show that a field does not take is a warning, whose
// fix leaves none.
func TestNullIsSeenBefore(t *testing.T) {
	const null, optional = `{"type": ["array", "null"], "items": {}}`, `{"type": "array", "items": {}}`
	for _, tt := range []struct{ node, schema, want string }{
		{`"type": "transform", "transform": {"expr": "1"}, "foreach": {"items": {"expr": "$.entry.v"}}`, null, "maybe-wrong-type"},
		{`"type": "transform", "transform": {"expr": "1"}, "foreach": {"items": {"expr": "$.entry.v"}}`, optional, ""},
		{`"type": "wait", "ms": {"expr": "$.entry.v"}`, `{"type": ["number", "null"]}`, "maybe-missing"},
		{`"type": "ask", "message": {"expr": "$.entry.v"}`, `{"type": "string"}`, "maybe-missing"},
		{`"type": "http", "url": "https://api.example.com/x", "query": {"expr": "$.entry.v"}`, `{"type": ["object", "null"]}`, "maybe-wrong-type"},
	} {
		src := nullGraph(tt.node, tt.schema)
		_, l := (fixture{name: "graph.json"}).check(src)
		if got := strings.Join(codesOf(l), " "); got != tt.want {
			t.Errorf("%s: %s, want %s\n%s", tt.node, got, tt.want, diag.Format("graph.json", src, l))
			continue
		}
		fixed, _ := diag.Apply(src, l)
		if _, l := (fixture{name: "graph.json"}).check(fixed); len(l) > 0 {
			t.Errorf("the fix of %s leaves\n%s", tt.node, diag.Format("graph.json", fixed, l))
		}
	}
}
