package local_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// answering is a server whose one tool has a given output schema and answers with given
// bytes.
type answering struct {
	output json.RawMessage
	result json.RawMessage
}

func (a *answering) Tool(string, string) (*engine.Tool, *diag.Fault) {
	t := &engine.Tool{Spec: &specs.Spec{NodeType: "mcp", Subtype: "s/t", OutputSchema: a.output}, Input: schema.New([]byte(`{"type":"object"}`))}
	if a.output != nil {
		t.Output = schema.New(a.output)
	}
	return t, nil
}

func (*answering) Names() []string { return []string{"s/t"} }

func (*answering) Resolve(string) (server, tool string, ok bool) { return "", "", false }

func (a *answering) CallTool(context.Context, run.Call) (*run.Result, error) {
	res, err := run.ReadResult(a.result)
	if err != nil {
		return nil, &run.CallError{Outcome: run.CallCompleted, Err: diag.Faultf("bad-result", "%w", err)}
	}
	return res, nil
}

// FuzzToolResult: whatever a tool answers, and whatever it says that it answers, a graph
// that calls it ends as the same bytes end it again, with a result that is JSON or with a
// fault; so does a dry run, which makes an answer of the schema.
func FuzzToolResult(f *testing.F) {
	for _, result := range []string{
		`{"structuredContent":{"z":9007199254740993,"a":1.10,"b":[{},null,"\ud800"]}}`, `{"content":[{"type":"text","text":"{\"a\":1}"},{"type":"text","text":"x"},{"type":"image","data":"aGk=","mimeType":"image/png"}]}`,
		`{"structuredContent":{"a":1,"a":2,"":{}},"isError":true}`, `{"content":[]}`, `{"content":[{"type":"text"}],"structuredContent":null}`, `{"content":[7]}`, `{"content":{}}`, `[]`, `{`, ``, `null`,
		`{"structuredContent":1e400}`, `{"structuredContent":` + strings.Repeat("9", 2000) + `}`, `{"structuredContent":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`,
		`{"structuredContent":` + strings.Repeat(`{"a":`, 5000) + `1` + strings.Repeat("}", 5000) + `}`, `{"content":[{"type":"text","text":"` + strings.Repeat("[", 20000) + `"}]}`, `{"resultType":"input_required"}`,
	} {
		f.Add([]byte(result), []byte(`{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}`))
	}
	for _, output := range []string{
		`{"type":"array","minItems":1e9,"items":{"type":"object","minProperties":1e9}}`, `{"type":"string","minLength":1e18,"pattern":"^(a+)+$"}`, `{"$ref":"#"}`, `{"type":"number","multipleOf":1e-320,"exclusiveMinimum":1e308}`, `false`,
		`{"required":["a"],"properties":{"a":{"$ref":"#","required":["b","c"],"properties":{"b":{"$ref":"#"},"c":{"$ref":"#"}}}}}`, `{"enum":[]}`, `{"const":{"a":1e400}}`, `{"uniqueItems":true,"contains":{"type":"null"},"minContains":1e9}`, `7`,
	} {
		f.Add([]byte(`{"structuredContent":{"a":[1,{"b":null}]}}`), []byte(output))
	}
	doc, _ := graph.Parse("g.yaml", `
name: g
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: t, args: {}, next: size}
  - {id: size, type: transform, transform: {expr: '$length($string($.call))'}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"size": $.size, "call": $.call}'}}
`)
	f.Fuzz(func(t *testing.T, result, output []byte) {
		server := &answering{result: result, output: output}
		if len(output) == 0 {
			server.output = nil
		}
		plan, found := engine.Compile(doc, "", engine.Env{Tools: server})
		if plan == nil {
			if !found.HasErrors() {
				t.Fatalf("no plan and no errors with %q", output)
			}
			return
		}
		for _, mode := range []string{"", run.DryRun} {
			var first string
			for again := range 2 {
				rec := local.Run(t.Context(), plan, server, json.RawMessage(`{}`), local.Options{Mode: mode})
				ended := string(rec.Status)
				switch {
				case rec.Status == run.Failed && rec.Fault != nil && rec.Fault.Code != "internal-error":
					ended += " " + rec.Fault.Code
				case rec.Status == run.Succeeded:
					b, err := expr.Encode(rec.Result)
					if err != nil || !json.Valid(b) {
						t.Errorf("%q gives %q: %v", result, b, err)
					}
					ended += " " + string(b)
				default:
					t.Errorf("%q ends as %s: %v", result, rec.Status, rec.Fault)
				}
				if again == 0 {
					first = ended
				} else if ended != first {
					t.Errorf("%q ends as %s, then as %s", result, first, ended)
				}
			}
		}
	})
}
