package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// asking is a server of 2025-11-25 with a tool that asks during its call, and answers with
// what it was told.
func asking() app.Setup {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{"2025-11-25"}})
	s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "How many?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":1},"note":{"type":"string"}},"required":["n"]}`)})
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{StructuredContent: answer}, nil
	})
	return app.Setup{Servers: []downstream.Server{{Name: "s", InProcess: s}}}
}

const callsAskYAML = `nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: ask, args: {}, next: exit}
  - {id: exit, type: exit}
`

func inAskingFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("HOME", filepath.Join(t.TempDir(), "home"))
	if err := os.WriteFile("asks.yaml", []byte(callsAskYAML), 0o600); err != nil {
		t.Fatal(err)
	}
}

// At a terminal a person is asked what a server wants to know during a call, until the
// answer fits.
func TestThePersonAtTheTerminalAnswersCalls(t *testing.T) {
	for _, args := range [][]string{{"run", "asks.yaml"}, {"call", "mcp:s/ask"}} {
		for typed, want := range map[string]string{
			"what?\naccept\nmany\n0\n\naccept\n7\nfine\n": `{"action":"accept","content":{"n":7,"note":"fine"}}`,
			"decline\n":  `{"action":"decline"}`,
			"accept\n7":  `{"action":"cancel"}`, // the input ends
			"":           `{"action":"cancel"}`,
			"\ncancel\n": `{"action":"cancel"}`,
		} {
			inAskingFolder(t)
			var out, log strings.Builder
			f := &command.Flags{AtTerminal: func() bool { return true }, Setup: asking()}
			if code := runWith(t.Context(), f, args, strings.NewReader(typed), &out, &log); code != command.ExitOK || strings.TrimSpace(out.String()) != want {
				t.Errorf("%s, %q: exit %d: %s, want %s\n%s", args, typed, code, out.String(), want, log.String())
			}
			if !strings.Contains(log.String(), "The server s asks, for a call of its tool ask: How many?\naccept, decline or cancel> ") {
				t.Errorf("it asks\n%s", log.String())
			}
		}
	}
}

// Without a terminal, the command says how another answers, and continues with the answer.
func TestAnotherCommandAnswersACall(t *testing.T) {
	inAskingFolder(t)
	answered := make(chan int, 10)
	log := &watched{seen: func(string) {}}
	log.seen = func(text string) {
		m := regexp.MustCompile(`patchbay runs answer (\S+) accept\|decline\|cancel \[KEY=VALUE…\] --step '(\S+)'\n`).FindStringSubmatch(text)
		if m == nil {
			return
		}
		log.seen = func(string) {}
		go func() {
			var errors strings.Builder
			code := runWith(t.Context(), &command.Flags{}, []string{"runs", "answer", m[1], "accept", "n=7", "--step", m[2]}, strings.NewReader(""), io.Discard, &errors)
			if code != command.ExitOK {
				t.Errorf("exit %d: %s", code, errors.String())
			}
			answered <- code
		}()
	}
	var out strings.Builder
	if code := runWith(t.Context(), &command.Flags{Setup: asking()}, []string{"run", "asks.yaml"}, strings.NewReader(""), &out, log); code != command.ExitOK || strings.TrimSpace(out.String()) != `{"action":"accept","content":{"n":7}}` {
		t.Errorf("exit %d: %s\n%s", code, out.String(), log.text.String())
	}
	<-answered
}
