//go:build unix

package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/mcpserver/stdio"
)

// BenchmarkGatewayCall compares the processor time of a call through the gateway with that
// of one through the thinnest gateway of the same SDK: a server whose handler calls a
// client. Both call a server in another process; the client writes and reads lines
// and does nothing else. They take turns, 200 calls each, of large results fewer, and the least of each counts.
//
//	go test ./mcpserver -run '^$' -bench GatewayCall -benchtime 30x
func BenchmarkGatewayCall(b *testing.B) {
	for _, size := range []int{20, 1_000, 20_000, 200_000, 5_000_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			env := []string{upstreamSize + "=" + strconv.Itoa(size)}
			thin := linesTo(b, thinGateway(b, env), "echo")
			server, _ := gatewayOver(b, Options{Expose: prefixed()}, downstream.Server{Name: "s", Command: os.Args[0], Env: map[string]string{upstreamSize: strconv.Itoa(size)}})
			awaitTool(b, server, "s__echo")
			ours := linesTo(b, server, "s__echo")
			calls := max(5, min(200, 40_000_000/size))
			least := map[string]time.Duration{}
			for range b.N {
				for name, call := range map[string]func(){"thin": thin, "patchbay": ours} {
					began := cpu(b)
					for range calls {
						call()
					}
					if took := cpu(b) - began; least[name] == 0 || took < least[name] {
						least[name] = took
					}
				}
			}
			b.ReportMetric(float64(least["thin"].Microseconds())/float64(calls), "thin-µs/call")
			b.ReportMetric(float64(least["patchbay"].Microseconds())/float64(calls), "patchbay-µs/call")
			b.ReportMetric(float64(least["patchbay"])/float64(least["thin"]), "ratio")
		})
	}
}

func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// upstreamSize makes the test binary a server whose tool answers with so many bytes.
const upstreamSize = "GATEWAY_UPSTREAM"

func init() { //nolint:gochecknoinits // before the flags of tests are read
	size := 0
	if _, err := fmt.Sscan(os.Getenv(upstreamSize), &size); err != nil {
		return
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	text := strings.Repeat("0123456789", size/10)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
	syscall.Exit(0)
}

// thinGateway is the thinnest gateway over such a server.
func thinGateway(b *testing.B, env []string) *mcp.Server {
	b.Helper()
	upstream := exec.CommandContext(context.Background(), os.Args[0])
	upstream.Env = append(os.Environ(), env...)
	to, err := mcp.NewClient(&mcp.Implementation{Name: "thin", Version: "1"}, nil).Connect(b.Context(), &mcp.CommandTransport{Command: upstream}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = to.Close() })
	s := mcp.NewServer(&mcp.Implementation{Name: "thin", Version: "1"}, nil)
	tools, err := to.ListTools(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, tool := range tools.Tools {
		s.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return to.CallTool(ctx, &mcp.CallToolParams{Meta: r.Params.Meta, Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	return s
}

// linesTo opens a session with a server and returns what calls a tool.
func linesTo(b *testing.B, s *mcp.Server, tool string) (call func()) {
	b.Helper()
	return linesWith(b, s, tool, `{"message":"hello"}`)
}

// linesWith does the same with arguments.
func linesWith(b *testing.B, s *mcp.Server, tool, arguments string) (call func()) {
	b.Helper()
	return linesAsking(b, s, tool, func() string { return arguments })
}

// linesAsking does the same with the arguments of each call.
func linesAsking(b *testing.B, s *mcp.Server, tool string, arguments func() string) (call func()) {
	b.Helper()
	serverIn, out := io.Pipe()
	in, serverOut := io.Pipe()
	session, err := s.Connect(context.Background(), stdio.New(serverIn, serverOut), nil)
	if err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReaderSize(in, 8<<20)
	b.Cleanup(func() {
		_ = out.Close()
		go func() { _, _ = io.Copy(io.Discard, in) }()
		_ = session.Wait()
		_ = serverOut.Close()
	})
	request := func(text string) {
		if _, err := io.WriteString(out, text+"\n"); err != nil {
			b.Fatal(err)
		}
		for {
			line, err := lines.ReadSlice('\n')
			if err != nil || strings.Contains(string(line[:min(len(line), 200)]), `"error"`) {
				b.Fatal(string(line), err)
			}
			if strings.Contains(string(line[:min(len(line), 40)]), `"id":1`) {
				return
			}
		}
	}
	request(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	_, _ = io.WriteString(out, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return func() {
		request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments() + `}}`)
	}
}
