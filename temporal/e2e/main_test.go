// Package e2e_test has runs on a Temporal server, and takes away what they need: workers,
// the server, the connection to it: make e2e.
package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var (
	built  = flag.String("program", "", "patchbay-temporal, if it is built")
	outage = flag.Duration("e2e.outage", 20*time.Second, "how long the connection to the server is lost")
	write  = flag.Bool("e2e.write", false, "write what became of the runs, and the figures, into docs/measured/temporal.md")

	program string
	server  *temporalServer // of all tests that do not kill it
)

// counterEnv makes this program the downstream server, which notes calls in a file.
const counterEnv = "E2E_CALLS"

// slowCall is how long the slow tools take after they have noted a call.
const slowCall = 8 * time.Second

func TestMain(m *testing.M) {
	if log := os.Getenv(counterEnv); log != "" {
		serveCounter(log)
		return
	}
	if settings := os.Getenv(serverEnv); settings != "" {
		if err := serveTemporal(settings); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "e2e")
		if err != nil {
			panic(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		if program = *built; program == "" {
			program = filepath.Join(dir, "patchbay-temporal")
			build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "./cmd/patchbay-temporal")
			build.Dir = ".."
			if out, err := build.CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
				return 1
			}
		}
		if server, err = newServer(dir); err == nil {
			err = server.start()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer server.kill()
		code := m.Run()
		if err := report(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

// serveCounter is the downstream server. Each call of its tools is a line of a file: the
// time, the number it was called with and its idempotency key. Of its tools, put and
// slow_put must not be repeated, text returns many bytes, and repeat notes how long its text is.
func serveCounter(log string) {
	type noted struct {
		N int `json:"n"`
	}
	note := func(_ context.Context, r *mcp.CallToolRequest, in noted) (*mcp.CallToolResult, noted, error) {
		f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintf(f, "%d %d %v\n", time.Now().UnixNano(), in.N, r.Params.Meta["patchbay/idempotencyKey"])
			_ = f.Close()
		}
		return nil, in, err
	}
	no, yes := false, true
	s := mcp.NewServer(&mcp.Implementation{Name: "counter", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "note", Description: "Notes a number", Annotations: &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: &no}}, note)
	mcp.AddTool(s, &mcp.Tool{Name: "put", Description: "Notes a number once", Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}}, note)
	slow := func(ctx context.Context, r *mcp.CallToolRequest, in noted) (*mcp.CallToolResult, noted, error) {
		_, _, err := note(ctx, r, in)
		<-time.After(slowCall)
		return nil, in, err
	}
	mcp.AddTool(s, &mcp.Tool{Name: "slow_note", Description: "Notes a number slowly", Annotations: &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: &no}}, slow)
	mcp.AddTool(s, &mcp.Tool{Name: "slow_put", Description: "Notes a number once, slowly", Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}}, slow)
	type text struct {
		Text string `json:"text"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "text", Description: "A text of n bytes", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(ctx context.Context, r *mcp.CallToolRequest, in noted) (*mcp.CallToolResult, text, error) {
		_, _, err := note(ctx, r, in)
		return nil, text{strings.Repeat("x", in.N)}, err
	})
	mcp.AddTool(s, &mcp.Tool{Name: "repeat", Description: "The text that it gets", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(ctx context.Context, r *mcp.CallToolRequest, in text) (*mcp.CallToolResult, text, error) {
		_, _, err := note(ctx, r, noted{len(in.Text)})
		return nil, in, err
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}
