package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// exactJSON does not survive a reader that goes through float64 or Go maps.
const exactJSON = `{"z":9007199254740993,"a":1.10,"m":{"y":1e2,"b":[]}}`

// fake is a downstream server over stdio.
func fake() {
	exit := flag.Bool("exit", false, "say why on stderr and exit at once")
	stubborn := flag.Bool("stubborn", false, "ignore the end of the input and SIGTERM")
	many := flag.Int("tools", 0, "offer this many tools more")
	tell := flag.Bool("tell", false, "offer a tool that tells the value of an environment variable, or cwd")
	writes := flag.Bool("writes", false, "offer a tool that replaces a file")
	pid := flag.String("pid", "", "append the process id to this file")
	gate := flag.String("gate", "", "connect to this address, and serve only once that connection ends")
	described := flag.String("described", "", "offer a tool with the description that this file has")
	flag.Parse()
	if *pid != "" {
		f, err := os.OpenFile(*pid, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			syscall.Exit(9)
		}
		fmt.Fprintln(f, os.Getpid())
		_ = f.Close()
	}
	if *gate != "" {
		c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", *gate)
		if err != nil {
			syscall.Exit(8)
		}
		_, _ = io.Copy(io.Discard, c)
	}
	if *exit {
		fmt.Fprintln(os.Stderr, "no licence for token", os.Getenv("TOKEN"))
		syscall.Exit(3)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1.2.3"}, &mcp.ServerOptions{PageSize: 100})
	addFakeTools(s, *many)
	if *tell {
		addTell(s)
	}
	if *writes {
		addWrite(s)
	}
	if *described != "" {
		text, _ := os.ReadFile(*described)
		s.AddTool(&mcp.Tool{Name: "described", Description: string(text), InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
			})
	}
	signals := make(chan os.Signal, 1)
	if *stubborn {
		signal.Notify(signals, syscall.SIGTERM)
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
	if *stubborn {
		for range signals { // it ignores them
		}
	}
}

// addWrite adds a tool that replaces a file, and says so.
func addWrite(s *mcp.Server) {
	yes := true
	s.AddTool(&mcp.Tool{Name: "write", InputSchema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`), Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var args struct {
				Path string `json:"path"`
			}
			if err := json.Unmarshal(r.Params.Arguments, &args); err != nil {
				return nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{}}, os.WriteFile(args.Path, []byte("hello"), 0o600)
		})
}

// addTell offers a tool as leaky as those that print their environment.
func addTell(s *mcp.Server) {
	s.AddTool(&mcp.Tool{Name: "tell", InputSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var args struct{ Name string }
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, err
			}
			value := os.Getenv(args.Name)
			if args.Name == "cwd" {
				value, _ = os.Getwd()
			}
			b, err := json.Marshal(map[string]string{"value": value})
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(b), Content: []mcp.Content{&mcp.TextContent{Text: string(b)}}}, err
		})
}

func addFakeTools(s *mcp.Server, many int) {
	add := func(name, description, input string, readOnly bool, answer func(args map[string]any) *mcp.CallToolResult) {
		s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(input), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}},
			func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				var args map[string]any
				if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
					return nil, err
				}
				return answer(args), nil
			})
	}
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	add("exact", "Returns numbers and keys that must not change", `{"type":"object"}`, true, func(map[string]any) *mcp.CallToolResult {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(exactJSON), Content: []mcp.Content{&mcp.TextContent{Text: exactJSON}}}
	})
	add("shout", "Writes a text in capitals", `{"type":"object","properties":{"text":{"type":"string","description":"what to shout"}},"required":["text"]}`, false, func(args map[string]any) *mcp.CallToolResult {
		said, _ := args["text"].(string)
		return text(strings.ToUpper(said))
	})
	add("fail", "Always fails", `{"type":"object"}`, false, func(map[string]any) *mcp.CallToolResult {
		r := text("the printer is on fire")
		r.IsError = true
		return r
	})
	add("crash", "Ends the process", `{"type":"object"}`, false, func(map[string]any) *mcp.CallToolResult {
		syscall.Exit(7)
		return nil
	})
	add("variables", "Lists the environment variables of the server", `{"type":"object"}`, true, func(map[string]any) *mcp.CallToolResult {
		var names []string
		for _, v := range os.Environ() {
			name, _, _ := strings.Cut(v, "=")
			names = append(names, name)
		}
		return text(strings.Join(names, " "))
	})
	for i := range many {
		noun := []string{"invoice", "customer", "branch", "calendar", "ticket", "photo", "contract", "sensor"}[i%8]
		verb := []string{"create", "list", "delete", "update", "archive", "share", "export", "rename"}[i/8%8]
		add(fmt.Sprintf("%s_%s_%d", verb, noun, i), fmt.Sprintf("Tool %d: %ss one %s by its number, or several that match a filter, in the account of the caller", i, verb, noun),
			fmt.Sprintf(`{"type":"object","properties":{"%s_id":{"type":"string","description":"number of the %s"},"filter":{"type":"string","description":"only those that match"},"limit":{"type":"integer","minimum":1,"maximum":100,"default":10},"options":{"type":"object","properties":{"dry":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}}}}},"required":["%s_id"]}`, noun, noun, noun),
			true, func(map[string]any) *mcp.CallToolResult { return text("ok") })
	}
}
