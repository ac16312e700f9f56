package downstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/search"
)

// hostileTools are lists of tools: of each kind of attack that is known.
var hostileTools = []string{
	`{"tools":[` + fakeTool + `],"nextCursor":"x"}`,
	`{"tools":[{"name":"a","inputSchema":{"type":"object","required":["a"],"properties":{"a":{"type":"array","minItems":1e9,"items":{"type":"string","minLength":1e9}}}}}]}`,
	`{"tools":[{"name":"a","inputSchema":{"type":"object","minProperties":1000000000,"required":["a","a"],"properties":{"a":{"$ref":"#"}}}}]}`,
	`{"tools":[{"name":"a","inputSchema":{"type":"object","required":["n"],"properties":{"n":{"type":"number","multipleOf":1e-300,"minimum":1e308}}}}]}`,
	`{"tools":[{"name":"a","inputSchema":{"type":"object","required":["s"],"properties":{"s":{"type":"string","pattern":"(a+)+$"}}}}]}`,
	`{"tools":[{"name":"a","inputSchema":{"$ref":"#/$defs/l0","type":"object","$defs":{"l0":{"type":"object","required":["a","b"],"properties":{"a":{"$ref":"#/$defs/l1"},"b":{"$ref":"#/$defs/l1"}}},"l1":{"$ref":"#/$defs/l0"}}}}]}`,
	`{"tools":[{"name":"a","name":"b","inputSchema":{"type":"object"}},{"name":"b","description":7,"inputSchema":{"type":"object","type":"array"}}]}`,
	`{"tools":[{"name":"` + strings.Repeat("n", 300) + `","inputSchema":{"type":"object"}}]}`,
	`{"tools":[{"name":"a\u200b","title":"\ud800","inputSchema":{"type":"object","properties":{"\u0000":{},"` + "`" + `":{}," ":{}},"required":["\u0000","` + "`" + `"," "]}}]}`,
	`{"tools":[{"name":"a","inputSchema":` + strings.Repeat(`{"allOf":[`, 60) + `{}` + strings.Repeat(`]}`, 60) + `}]}`,
	`{"tools":[{"name":"a","inputSchema":{"type":"object","required":["a"],"properties":{"a":{"enum":[{"x":[1,2]},"` + strings.Repeat("e", 1000) + `"]}}},"outputSchema":{"type":"object","anyOf":[{"$ref":"#/anyOf/0"}]}}]}`,
	`{"tools":[null,7,"a",[],{}],"nextCursor":{}}`, `{"tools":{}}`, `[]`, `{"nextCursor":"x"}`,
}

// maxDerived is how many bytes the skeleton and the example of a tool may have: they show
// each required property, but large values and schemas only in part.
func maxDerived(t *tooldef.Tool) int { return 64<<10 + 40*len(t.InputSchema) }

// FuzzTools: whatever a server lists, its tools that can be kept become nodes with a
// skeleton and an example of bounded size, are found and resolved, do not change by being
// read again, and come out of the cache as they went in.
func FuzzTools(f *testing.F) {
	for _, page := range hostileTools {
		f.Add([]byte(page))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		raws, _, err := readPage(page)
		if err != nil {
			return
		}
		var tools []*tooldef.Tool
		seen := map[string]bool{}
		for _, raw := range raws {
			tool, err := tooldef.Read("s", raw, true)
			if err != nil || seen[tool.Name] {
				continue
			}
			seen[tool.Name] = true
			tools = append(tools, tool)
			checkTool(t, tool, raw)
		}
		c := catalog.New()
		list := tooldef.Specs(tools)
		c.Replace("server:s", list)
		for _, s := range list {
			if found, miss := c.Snapshot().Resolve(catalog.Ref{ID: s.ID()}); miss != nil || found.ID() != s.ID() {
				t.Errorf("%q is not resolved: %v", s.ID(), miss)
			}
			if _, err := c.Snapshot().Search(t.Context(), search.Query{Text: s.Description}); err != nil {
				t.Error(err)
			}
			if line := search.Signature(s); strings.Contains(line, "\n") {
				t.Errorf("a signature of two lines: %q", line)
			}
		}
		checkKept(t, tools)
	})
}

func checkTool(t *testing.T, tool *tooldef.Tool, raw json.RawMessage) {
	t.Helper()
	if again, err := tooldef.Read("s", raw, true); err != nil || again.Hash != tool.Hash {
		t.Errorf("%q is another when it is read again: %v", tool.Name, err)
	}
	if len(tool.Name) > 256 || len(tool.Description) > tooldef.MaxText+10 || len(tool.InputSchema) > 2*tooldef.MaxSchema {
		t.Errorf("%q is too large", tool.Name)
	}
	if text, n := tooldef.Visible(tool.Name + tool.Title + tool.Description); n > 0 {
		t.Errorf("invisible characters in %q", text)
	}
	tool.Suspicions()
	s := tooldef.Spec(tool).Whole()
	if size := len(s.Skeleton); size > maxDerived(tool) || !json.Valid(s.Skeleton) {
		t.Errorf("the skeleton of %s has %d bytes: %.300s", raw, size, s.Skeleton)
	}
	for _, e := range s.Examples {
		if len(e.Graph)+len(e.Arguments) > 2*maxDerived(tool) || e.Arguments != nil && !json.Valid(e.Arguments) {
			t.Errorf("the example of %s has %d bytes: %.300s", raw, len(e.Graph)+len(e.Arguments), e.Graph)
		}
	}
	for _, text := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
		if text == nil {
			continue
		}
		if sample := schema.Sample(schema.Read(text)); len(sample) > maxDerived(tool) || !json.Valid(sample) {
			t.Errorf("a sample for %s has %d bytes: %.300s", text, len(sample), sample)
		}
	}
}

// checkKept wants tools to come back from the cache, and to be those that are pinned.
func checkKept(t *testing.T, tools []*tooldef.Tool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "s.tools")
	if err := writeCache(file, cachedServer{Server: "s"}, tools); err != nil {
		t.Fatal(err)
	}
	_, back, err := readCache(file, true)
	if err != nil || len(back) != len(tools) {
		t.Fatalf("%d of %d tools come back: %v", len(back), len(tools), err)
	}
	p := &tooldef.Pins{}
	for range 2 {
		admitted, said, err := p.Admit("s", tooldef.TrustStrict, "1", back, time.Unix(0, 0))
		if err != nil || len(admitted) != len(tools) {
			t.Fatalf("%d of %d tools are admitted: %v, %v", len(admitted), len(tools), said, err)
		}
	}
	for i, tool := range back {
		if tool.Name != tools[i].Name || tool.Hash != tools[i].Hash || !bytes.Equal(tool.InputSchema, tools[i].InputSchema) || !bytes.Equal(tool.OutputSchema, tools[i].OutputSchema) {
			t.Errorf("%+v comes back as %+v", tools[i], tool)
		}
	}
}

// FuzzStdout: whatever a server writes to stdout before it answers, the call ends with an
// answer or a fault that names the server.
func FuzzStdout(f *testing.F) {
	for _, text := range []string{
		"junk", "{", "[1,2", `{"jsonrpc":"2.0","id":$id,"result":{"content":[]}}`, `{"jsonrpc":"2.0","id":$id,"result":{"content":7}}`, `{"jsonrpc":"2.0","id":$id,"result":null}`,
		`{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"no"}}`, `{"jsonrpc":"2.0","id":$id,"error":7}`, `{"jsonrpc":"2.0","id":"$id","result":{}}`, `{"jsonrpc":"2.0","id":null,"result":{}}`,
		`[{"jsonrpc":"2.0","id":$id,"result":{"structuredContent":{"a":1,"a":2},"content":[{"type":"text","text":"\ud800"}]}},{}]`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":7}`, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$id}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$id}}`,
		`{"jsonrpc":"2.0","id":$id,"result":{"structuredContent":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}`, "\x00\xff\r\n\r", strings.Repeat(" ", 100_000),
		`{"jsonrpc":"2.0","id":$id,"result":{"resultType":"input_required","content":[]}}`, `debug: {"jsonrpc":"2.0","id":$id,"result":{"content":[]}}`,
	} {
		f.Add([]byte(text))
	}
	server := fakeServer("raw")
	server.StartTimeout, server.CallTimeout = time.Hour, time.Hour
	h := New([]Server{server}, &Options{Wait: time.Hour})
	h.Start(f.Context())
	f.Cleanup(h.Close)
	f.Fuzz(func(t *testing.T, text []byte) {
		args, err := json.Marshal(map[string]any{"bytes": text})
		if err != nil {
			t.Fatal(err)
		}
		res, err := h.CallTool(t.Context(), run.Call{Server: server.Name, Tool: "echo", Args: args})
		if err == nil {
			if !json.Valid(res.Raw) {
				t.Errorf("%q gives %q", text, res.Raw)
			}
			return
		}
		fault, ok := errors.AsType[*diag.Fault](err)
		if !ok || fault.Code == "call-timeout" || !strings.Contains(fault.Message, fmt.Sprintf("%q", server.Name)) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
