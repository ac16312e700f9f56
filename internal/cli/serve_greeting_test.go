package cli

import (
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// TestGreeting: a person is told what is served, where, how a client connects and how the
// program ends.
func TestGreeting(t *testing.T) {
	const stdio = `patchbay: serving MCP on standard input and output
  serves   1 server; no graphs yet: patchbay graphs save FILE adds one
  connect  a client starts this command itself: patchbay init --client NAME configures it
  web      patchbay ui opens the web UI; patchbay serve --http 127.0.0.1:8080 serves HTTP
  stop     Ctrl-C or Ctrl-D
`
	if got := greeting("", false, 1, nil); got != stdio {
		t.Errorf("over stdio:\n%s", got)
	}
	const http = `  serves   3 servers; 2 graphs as tools: count, send
  connect  clients of streamable HTTP, to https://mcp.example.com/mcp, with a token: patchbay token add NAME makes one
           such as: claude mcp add --transport http patchbay https://mcp.example.com/mcp
  stop     Ctrl-C
`
	if got := greeting("https://mcp.example.com", true, 3, []string{"count", "send"}); got != http {
		t.Errorf("over HTTP:\n%s", got)
	}
}

// TestAnnounce: each server has a line when it has started, and then all are summed up.
func TestAnnounce(t *testing.T) {
	now := []downstream.Status{{Name: "memory", State: "starting"}, {Name: "files", State: "ready", Tools: 14}}
	looks, ticks := make(chan []downstream.Status), make(chan time.Time)
	l := &command.LiveServers{
		Waiting: command.NewWaiting(io.Discard, &atomic.Bool{}, nil), Shown: func(string) bool { return true }, Every: true, Began: time.Now(),
		Took: map[string]time.Duration{"files": 1500 * time.Millisecond, "memory": 4 * time.Second}, Told: map[string]bool{},
		Status: func() []downstream.Status {
			select {
			case now = <-looks:
			default:
			}
			return now
		},
	}
	loaded, done := make(chan struct{}), make(chan struct{})
	close(loaded)
	var log bytes.Buffer
	go func() {
		announce(t.Context(), &log, loaded, l, ticks)
		close(done)
	}()
	ticks <- time.Time{}
	go func() {
		looks <- []downstream.Status{{Name: "memory", State: "failed", Reason: "no npx"}, {Name: "files", State: "ready", Tools: 14}}
	}()
	for {
		select {
		case ticks <- time.Time{}:
			continue
		case <-done:
		}
		break
	}
	want := "  ok   files                   1.5s  14 tools\n  FAIL memory                  4.0s  no npx\n  ready: 14 tools; 1 server failed: patchbay doctor says why\n"
	if log.String() != want {
		t.Errorf("got\n%swant\n%s", log.String(), want)
	}
	if got := summedUp([]downstream.Status{{Tools: 1}}); !strings.HasPrefix(got, "ready: 1 tool") {
		t.Error(got)
	}
}
