package torture

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
)

// hostile is a server over stdio that answers with generated lists and results.
func hostile() {
	r := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			syscall.Exit(0)
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name            string
				ProtocolVersion string
				Arguments       struct {
					Kind string
					N    int
				}
			}
		}
		if json.Unmarshal([]byte(line), &m) != nil || m.ID == nil {
			continue
		}
		reply := func(result string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result) }
		switch m.Method {
		case "initialize":
			reply(fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"hostile","version":"1"}}`, m.Params.ProtocolVersion))
		case "tools/list":
			reply(toolList(r))
		case "tools/call":
			answer(r, m.ID, m.Params.Arguments.Kind, m.Params.Arguments.N)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", m.ID)
		}
	}
}

// toolList has a tool whose results are hostile, and others whose definitions are.
func toolList(r *rand.Rand) string {
	tools := []string{
		`{"name":"result","description":"gives what it is told","inputSchema":{"type":"object","properties":{"kind":{"type":"string"},"n":{"type":"integer"}}},"annotations":{"readOnlyHint":true}}`,
		`{"name":"write","description":"gives what it is told","inputSchema":{"type":"object","properties":{"kind":{"type":"string"},"n":{"type":"integer"}}}}`,
		`{"name":"wide","inputSchema":` + wideSchema(5000) + `}`,
	}
	for i := range 12 {
		schema, _ := schemaOf(r)
		schema = pick(r, `{"type":"object","properties":{"a":`+schema+`}}`, treeSchema(r, 1+r.IntN(8), 1+r.IntN(30)), wideSchema(size(r, 5000)), `{"type":["object"],"$ref":"http://localhost:1/x"}`, `{"type":"object","minProperties":1000000,"additionalProperties":{"type":"array","minItems":1000000,"items":{"type":"string","minLength":100000000}}}`)
		text, _ := json.Marshal(strings.Repeat(pick(r, "a file ", "\x1b[31m", "\u202e", "\U000e0041", "read write "), size(r, 100_000)))
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","description":%s,"inputSchema":%s,"outputSchema":%s}`, i, text, schema, pick(r, `{"type":"object"}`, schema)))
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]}`
}

func wideSchema(n int) string {
	key := func(i int) string { return fmt.Sprintf(`"key%d"`, i) }
	return `{"type":"object","required":` + list(n, key) + `,"properties":{` + pairs(n, func(i int) string { return key(i) + `:{"type":"string"}` }) + `}}`
}

// treeSchema requires width properties at each of its levels; references keep it short.
func treeSchema(_ *rand.Rand, levels, width int) string {
	key := func(i int) string { return fmt.Sprintf(`"p%d"`, i) }
	return `{"$ref":"#/$defs/l0","type":"object","$defs":{` + pairs(levels, func(l int) string {
		return fmt.Sprintf(`"l%d":{"type":"object","required":%s,"properties":{%s}}`, l, list(width, key), pairs(width, func(i int) string { return fmt.Sprintf(`%s:{"$ref":"#/$defs/l%d"}`, key(i), l+1) }))
	}) + fmt.Sprintf(`,"l%d":{"type":"string"}}}`, levels)
}

// results are the ways in which a tool answers.
var results = []string{"text", "deep", "keys", "items", "number", "junk", "unreadable", "twice", "silence", "death", "notifications", "stderr", "long line", "unicode", "structured", "error"}

func answer(r *rand.Rand, id json.RawMessage, kind string, n int) {
	reply := func(result string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result) }
	text := func(s string) string {
		b, _ := json.Marshal(s)
		return `{"content":[{"type":"text","text":` + string(b) + `}]}`
	}
	structured := func(s string) string { return `{"content":[],"structuredContent":` + s + `}` }
	switch kind {
	case "text":
		reply(text(strings.Repeat("x", n)))
	case "deep":
		n = min(n, 100_000)
		reply(structured(`{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`))
	case "keys":
		reply(structured(`{` + pairs(n/10, func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) }) + `}`))
	case "items":
		reply(structured(`{"a":` + list(n/10, func(i int) string { return fmt.Sprintf(`{"k%d":null}`, i%1000) }) + `}`))
	case "number":
		reply(structured(fmt.Sprintf(`{"a":1e%d,"b":%s}`, n, strings.Repeat("9", 1+n/10))))
	case "junk":
		for range min(n, 10_000) {
			fmt.Println("junk")
		}
		reply(text("after junk"))
	case "unreadable":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}`+"\n", id, strings.Repeat("[", min(n, 5000)))
	case "twice":
		for range 1 + min(n, 50) {
			reply(text("again"))
		}
	case "silence":
	case "death":
		syscall.Exit(3)
	case "notifications":
		for i := range min(n, 20_000) {
			fmt.Println(pick(r, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":%d}}`, i), `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`))
		}
		reply(text("after notifications"))
	case "stderr":
		fmt.Fprint(os.Stderr, strings.Repeat("e", n))
		reply(text("after stderr"))
	case "long line":
		fmt.Print(strings.Repeat(" ", n))
		reply(text("after spaces"))
	case "unicode":
		reply(text(strings.Repeat(pick(r, "\x1b]0;x\a", "\u202e", "\U000e0041", "\x00"), min(n, 1_000_000))))
	case "structured":
		schema, instance := schemaOf(r)
		reply(structured(`{"s":` + schema + `,"i":` + instance + `}`))
	default:
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", id, -n, strings.Repeat("m", n))
	}
}

// listAttack reads the definitions of the hostile server's tools.
func listAttack(r *rand.Rand) attack {
	if r.IntN(2) == 0 {
		return attack{tool: "search_nodes", args: map[string]any{"query": pick(r, "read a file", "result", strings.Repeat("write ", size(r, 10_000))), "server": "hostile", "include_details": true, "max_results": 50}, limit: lookLimit}
	}
	var ids []any
	for range 1 + r.IntN(20) {
		ids = append(ids, map[string]any{"id": "mcp:hostile/" + pick(r, "wide", "result", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8")})
	}
	return attack{tool: "get_node_details", args: map[string]any{"nodes": ids}, limit: lookLimit}
}

// resultAttack calls a tool of the hostile server, alone or in a graph.
func resultAttack(r *rand.Rand) attack {
	kind, n := pick(r, results...), size(r, 20<<20)
	tool := pick(r, "result", "result", "write")
	graph := graphOf(`{"type":"object"}`, fmt.Sprintf(`{"id":"entry","type":"entry","next":"c"},{"id":"c","type":"mcp","server":"hostile","tool":%q,"args":{"kind":%q,"n":%d},"next":"exit"},{"id":"exit","type":"exit","result":{"expr":"$string($.c)"}}`, tool, kind, n))
	return attack{tool: "run_graph", args: map[string]any{"graph": graph, "timeout_ms": runLimit.Milliseconds()}, limit: startLimit + runLimit}
}
