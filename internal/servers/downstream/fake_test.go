package downstream

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

// TestMain makes the test binary an MCP server when the variable FAKE says
// what it is to be like. Such a process ends by syscall.Exit, as os.Exit waits a
// second under the race detector.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE"); mode != "" {
		fake(mode)
		syscall.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Cursor    string          `json:"cursor"`
		Meta      struct {
			Token any    `json:"progressToken"`
			Key   string `json:"patchbay/idempotencyKey"`
			Trace string `json:"traceparent"`
		} `json:"_meta"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

const fakeTool = `{"name":"echo","title":"Echo","description":"Says it again","inputSchema":{"type":"object","properties":{"z":{"type":"integer","default":9007199254740993},"a":{"type":"number","minimum":1.10}},"required":["z"]},"annotations":{"readOnlyHint":true}}`

// fake serves one session on stdin and stdout, misbehaving as mode says.
func fake(mode string) {
	is := func(m string) bool { return mode == m }
	out := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	reply := func(m *message, result string) { out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result) }
	signals := make(chan os.Signal, 1)
	fmt.Fprintln(os.Stderr, "fake server says hello, token", os.Getenv("TOKEN"))
	book := openNotebook()
	book.note("started %d", os.Getpid())
	if file := os.Getenv("STARTS"); file != "" {
		f, _ := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		fmt.Fprintln(f, os.Getpid())
		_ = f.Close()
	}
	switch mode {
	case "dead":
		fmt.Fprintln(os.Stderr, "cannot find module x")
		syscall.Exit(3)
	case "slow", "late":
		book.wait()
	case "junk":
		out("Starting up…\n\n{not json}")
	case "onlyjunk":
		for range 1000 {
			out("%s", strings.Repeat("spam ", 20))
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "immortal", "family":
		signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		if is("family") {
			c := exec.CommandContext(context.Background(), os.Args[0])
			c.Env = append(os.Environ(), "FAKE=immortal")
			c.Stdin, c.Stdout, c.Stderr = nil, os.Stdout, os.Stderr
			if c.Start() != nil {
				syscall.Exit(9)
			}
		}
	}
	in := bufio.NewReader(os.Stdin)
	pages := 0
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if is("immortal") || is("family") {
				for range signals { // it ignores them
				}
			}
			return
		}
		var m message
		_ = json.Unmarshal(line, &m)
		switch m.Method {
		case "server/discover":
			switch mode {
			case "strict": // one that does not survive what it does not know
				syscall.Exit(4)
			case "silent", "slow":
			default:
				out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)
			}
		case "initialize":
			if is("mute") {
				continue
			}
			reply(&m, fmt.Sprintf(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","version":%q}}`, cmp.Or(os.Getenv("VERSION"), "1")))
		case "ping":
			if !is("hang") {
				reply(&m, `{}`)
			}
		case "tools/list":
			switch mode {
			case "pages":
				n, _ := strconv.Atoi(m.Params.Cursor)
				next := fmt.Sprintf(`,"nextCursor":"%d"`, n+1)
				if n == 6 {
					next = ""
				}
				reply(&m, fmt.Sprintf(`{"tools":[%s]%s}`, strings.Replace(fakeTool, "echo", fmt.Sprintf("echo%d", n), 1), next))
			case "loop":
				reply(&m, fmt.Sprintf(`{"tools":[%s],"nextCursor":"again"}`, fakeTool))
			case "bulky": // new names and large schemas without end
				pages++
				text := strings.Repeat("x", 20<<10)
				var tools []string
				for i := range 40 {
					tools = append(tools, fmt.Sprintf(`{"name":"t%d_%d","inputSchema":{"type":"object","$comment":%q}}`, pages, i, text))
				}
				reply(&m, fmt.Sprintf(`{"tools":[%s],"nextCursor":"%d"}`, strings.Join(tools, ","), pages))
			case "endless":
				pages++
				reply(&m, fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, pages))
			case "invalid":
				reply(&m, invalidTools())
			case "cold": // until the fourth time
				switch pages++; pages {
				case 1:
					out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"still indexing"}}`, m.ID)
				case 2, 3:
					reply(&m, `{"tools":[]}`)
				default:
					reply(&m, fmt.Sprintf(`{"tools":[%s]}`, fakeTool))
				}
			case "empty":
				reply(&m, `{"tools":[]}`)
			case "refusing":
				out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"still indexing"}}`, m.ID)
			case "listless":
			case "nolist":
				reply(&m, `{"tools":"none"}`)
			case "changing":
				pages++
				reply(&m, fmt.Sprintf(`{"tools":[%s]}`, strings.Replace(fakeTool, "echo", fmt.Sprintf("echo%d", pages), 1)))
			case "secret":
				reply(&m, fmt.Sprintf(`{"tools":[{"name":"echo","description":"signed in with %s","inputSchema":{"type":"object"}}]}`, os.Getenv("TOKEN")))
			default:
				tools := fakeTool
				if file := os.Getenv("TOOLS"); file != "" {
					text, _ := os.ReadFile(file)
					tools = string(text)
				}
				reply(&m, fmt.Sprintf(`{"tools":[%s]}`, tools))
			}
		case "tools/call":
			book.note("called %s", m.ID)
			fakeCall(mode, &m, book, reply, out)
		case "notifications/cancelled":
			book.note("cancelled %s", m.Params.RequestID)
		}
	}
}

func fakeCall(mode string, m *message, book notebook, reply func(*message, string), out func(string, ...any)) {
	switch mode {
	case "crash":
		if m.Params.Name == "crash" || string(m.Params.Arguments) == `{"z":0}` {
			fmt.Fprintln(os.Stderr, "panic: out of cheese", os.Getenv("TOKEN"))
			syscall.Exit(7)
		}
	case "hang":
		return
	case "gated":
		book.wait()
	case "huge":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, m.ID)
		for range 100 { // MiB
			_, _ = os.Stdout.WriteString(strings.Repeat("x", 1<<20))
		}
		out(`"}]}}`)
		return
	case "badresult":
		reply(m, `{"content":{"type":"text"}}`)
		return
	case "deep":
		reply(m, `{"structuredContent":`+strings.Repeat("[", 1100)+strings.Repeat("]", 1100)+`}`)
		return
	case "cutoff":
		out(`{"jsonrpc":"2.0","id":%s,"result":{"content":[`, m.ID)
		return
	case "newcontent":
		reply(m, `{"content":[{"type":"hologram","depth":1.0}],"isError":true}`)
		return
	case "changing":
		out(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	case "junk":
		fmt.Print("debug: calling")
	case "raw":
		var raw struct{ Bytes []byte }
		if json.Unmarshal(m.Params.Arguments, &raw) == nil && raw.Bytes != nil {
			text := bytes.ReplaceAll(raw.Bytes, []byte("$id"), m.ID)
			_, _ = os.Stdout.Write(append(text, '\n'))
		}
	case "meta":
		reply(m, fmt.Sprintf(`{"structuredContent":{"key":%q,"trace":%q}}`, m.Params.Meta.Key, m.Params.Meta.Trace))
		return
	case "env":
		b, _ := json.Marshal(strings.Join(os.Environ(), "\n"))
		reply(m, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, b))
		return
	}
	if m.Params.Name != "echo" {
		out(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Unknown tool: %s (%s)"}}`, m.ID, m.Params.Name, os.Getenv("TOKEN"))
		return
	}
	reply(m, fmt.Sprintf(`{"structuredContent":{"z":9007199254740993,"a":1.10,"args":%s,"pid":%d},"content":[{"type":"text","text":"<ok>"},{"type":"text","n":9007199254740993,"text":""}]}`, m.Params.Arguments, os.Getpid()))
}

func invalidTools() string {
	deep := strings.Repeat(`{"properties":{"a":`, 200) + "{}" + strings.Repeat("}}", 200)
	return `{"tools":[` + strings.Join([]string{
		`{"name":"none"}`,
		`{"name":"string","inputSchema":"object"}`,
		`{"name":"array","inputSchema":{"type":["object","null"]}}`,
		`{"name":"notype","inputSchema":{"properties":{"a":{"type":"string"}}}}`,
		`{"name":"badtype","inputSchema":{"type":"object","properties":{"a":{"type":"strng"}}}}`,
		`{"name":"badref","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/no"}}}}`,
		`{"name":"remote","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json"}}}}`,
		`{"name":"loop","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}}`,
		`{"name":"recursive","inputSchema":{"type":"object","properties":{"next":{"$ref":"#"}},"required":["next"]}}`,
		`{"name":"deep","inputSchema":{"type":"object","properties":{"a":` + deep + `}}}`,
		`{"name":"large","inputSchema":{"type":"object","description":"` + strings.Repeat("x", tooldef.MaxSchema) + `"}}`,
		`{"name":"lookahead","inputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x).*"}}}}`,
		`{"name":"badout","inputSchema":{"type":"object"},"outputSchema":7}`,
		`{"name":"oddtypes","description":7,"title":{},"annotations":"none","inputSchema":{"type":"object"}}`,
		`{"name":""}`, `{"description":"nameless"}`, `null`, `7`,
		fakeTool, fakeTool,
	}, ",") + `]}`
}
