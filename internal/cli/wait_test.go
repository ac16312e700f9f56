package cli

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// A gated is a configuration with a server that starts when it is let go.
type gated struct {
	config string
	pids   string // file with a line for each start of the server
	graph  string // file of a graph that calls the server
	gate   net.Listener
}

func newGated(t *testing.T) *gated {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	dir := t.TempDir()
	g := &gated{config: filepath.Join(dir, "patchbay.yaml"), pids: filepath.Join(dir, "pids"), graph: filepath.Join(dir, "loud.yaml"), gate: l}
	for file, text := range map[string]string{
		g.config: fmt.Sprintf("graphs: graphs\ncache: cache\nservers:\n  slow: {command: fake, args: [-gate, %q, -pid, %q]}\n", l.Addr(), g.pids),
		g.graph: `nodes:
  - {id: entry, type: entry, next: shout}
  - {id: shout, type: mcp, server: slow, tool: shout, args: {text: hi}, next: exit}
  - {id: exit, type: exit}
`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// open lets the server start, now and when it is started again.
func (g *gated) open() {
	for {
		c, err := g.gate.Accept()
		if err != nil {
			return
		}
		_ = c.Close()
	}
}

// run runs a command that waits only an instant for servers it may not need.
func (g *gated) run(ctx context.Context, stderr *listener, args ...string) (code int, stdout string) {
	var out bytes.Buffer
	args = append([]string{"--config", g.config, "--store", "memory"}, args...)
	code = runWith(ctx, &command.Flags{OptionalWait: time.Millisecond}, args, strings.NewReader(""), &out, stderr)
	return code, out.String()
}

// A listener keeps what is written and calls hear once for what holds a text.
type listener struct {
	mu   sync.Mutex
	all  bytes.Buffer
	text string
	hear func()
}

func (l *listener) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hear != nil && strings.Contains(string(b), l.text) {
		l.hear()
		l.hear = nil
	}
	return l.all.Write(b)
}

// A command that needs a server waits until it has started, however long it
// takes to install, and says so.
func TestCommandsWaitForAServerThatIsInstalled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"doctor", "ok    server slow (stdio): ready, 5 tools"},
		{"mcp list", "ready  stdio"},
		{"search write a text in capitals", "mcp:slow/shout"},
		{"types", "slow/shout"},
		{"show mcp:slow/shout", "Writes a text in capitals"},
		{"validate GRAPH", "valid"},
		{"run GRAPH", "HI"},
		{"call mcp:slow/shout text=hi", "HI"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			g := newGated(t)
			stderr := &listener{text: `waiting for server "slow" to start…`, hear: func() { go g.open() }}
			code, stdout := g.run(t.Context(), stderr, strings.Fields(strings.ReplaceAll(c.args, "GRAPH", g.graph))...)
			if code != command.ExitOK || !strings.Contains(stdout, c.want) {
				t.Errorf("exit code %d, want %q in\n%s%s", code, c.want, stdout, stderr.all.String())
			}
		})
	}
}

// Ctrl-C ends the waiting.
func TestInterruptEndsTheWaiting(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	ctx, cancel := context.WithCancel(t.Context())
	stderr := &listener{text: "waiting for server", hear: cancel}
	code, stdout := g.run(ctx, stderr, "doctor")
	if code != command.ExitFailed || stdout != "" || !strings.Contains(stderr.all.String(), "interrupted while it waited for servers") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr.all.String())
	}
}

// A command that needs no server starts none, so it waits for none.
func TestCommandsWithoutServersStartNone(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	for _, args := range []string{"graphs list", "runs list", "runs prune", "eval 1", "show transform", "call graph:none", "version"} {
		stderr := &listener{}
		_, stdout := g.run(t.Context(), stderr, strings.Fields(args)...)
		if _, err := os.Stat(g.pids); err == nil {
			t.Fatalf("%s started a server\n%s%s", args, stdout, stderr.all.String())
		}
	}
}

// Once for each server, the program is named that may download it.
func TestNoticeNamesTheInstaller(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	w := command.NewWaiting(&stderr, &atomic.Bool{}, []config.Server{{Name: "files", Command: "/usr/bin/npx"}, {Name: "own", Command: "./server.js"}})
	for _, name := range []string{"files", "own", "files"} {
		w.Report(name)
	}
	want := "waiting for server \"files\" to start (installed by npx if needed)…\nwaiting for server \"own\" to start…\n"
	if stderr.String() != want {
		t.Errorf("it says\n%swant\n%s", stderr.String(), want)
	}
}
