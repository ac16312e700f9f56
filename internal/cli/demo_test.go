package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/setup"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
)

// doubling is the server of the demo, but each call has its effect twice.
func doubling() {
	s := setup.DemoTracker{Dir: os.Args[1]}.Server()
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/call" {
				if _, err := next(ctx, method, req); err != nil {
					return nil, err
				}
			}
			return next(ctx, method, req)
		}
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// unchanging is the server of the demo, but its tools stay as they are.
func unchanging() {
	_ = os.Remove(filepath.Join(os.Args[1], "changed"))
	_ = setup.DemoTracker{Dir: os.Args[1]}.Server().Run(context.Background(), &mcp.StdioTransport{})
}

// Where a promise does not hold, the demo says which, and ends with exit code 1.
func TestDemoOfBrokenPromise(t *testing.T) {
	for server, broken := range map[string]string{
		"doubling":   "The server's own log: 100 tasks, ",
		"unchanging": "It is refused. The server's own log: 100 new calls.",
	} {
		t.Run(server, func(t *testing.T) {
			var out bytes.Buffer
			err := (&setup.Demo{Out: &term.Page{Writer: &out}, Program: "patchbay", Tracker: []string{server}}).Run(t.Context())
			if code := (&command.Flags{}).ExitCode(nil, err); code != command.ExitFailed {
				t.Errorf("exit %d: %v", code, err)
			}
			if !strings.Contains(out.String(), "FAILED  "+broken) {
				t.Errorf("it does not say what failed:\n%s", out.String())
			}
		})
	}
}
