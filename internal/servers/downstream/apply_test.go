package downstream

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/run"
)

// pidOf calls a server and returns the process that answered.
func pidOf(t *testing.T, h *Hub, server string) string {
	t.Helper()
	res, err := h.CallTool(t.Context(), run.Call{Server: server, Tool: "echo", Args: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	_, pid, _ := strings.Cut(string(res.Structured), `"pid":`)
	return pid
}

func TestApply(t *testing.T) {
	named := func(name string, env ...string) Server {
		s := fakeServer("ok", env...)
		s.Name = name
		return s
	}
	var removed []string
	listed := map[string]int{}
	lists := make(chan string, 100)
	h := startHub(t, &Options{
		OnRemoved: func(s string) { removed = append(removed, s) },
		OnTools:   func(s string, _ []*tooldef.Tool) { lists <- s },
	}, named("kept"), named("changed"), named("gone"))
	kept, changed := pidOf(t, h, "kept"), pidOf(t, h, "changed")
	pidOf(t, h, "gone")

	c := h.Apply([]Server{named("kept"), named("changed", "OTHER=1"), named("new")})
	if want := (Changes{Added: []string{"new"}, Changed: []string{"changed"}, Removed: []string{"gone"}}); !slices.Equal(c.Added, want.Added) || !slices.Equal(c.Changed, want.Changed) || !slices.Equal(c.Removed, want.Removed) {
		t.Errorf("changes: %+v", c)
	}
	if !slices.Equal(removed, []string{"gone"}) {
		t.Errorf("told of the removal of %v", removed)
	}
	if len(h.Tools("changed")) == 0 {
		t.Error("a changed server has no tools until it has listed them again")
	}
	if pidOf(t, h, "kept") != kept {
		t.Error("a server that serves as before was started again")
	}
	if pidOf(t, h, "changed") == changed {
		t.Error("a changed server was not started again")
	}
	pidOf(t, h, "new")
	_, err := h.CallTool(t.Context(), run.Call{Server: "gone", Tool: "echo"})
	if fault, ok := errors.AsType[*diag.Fault](err); !ok || fault.Code != "unknown-server" {
		t.Errorf("a call of a removed server: %v", err)
	}
	if again := h.Apply([]Server{named("kept"), named("changed", "OTHER=1"), named("new")}); len(again.Added)+len(again.Changed)+len(again.Removed) > 0 {
		t.Errorf("the same servers again: %+v", again)
	}
	h.Close()
	close(lists)
	for s := range lists {
		listed[s]++
	}
	if listed["gone"] != 1 || listed["new"] != 1 {
		t.Errorf("lists: %v", listed)
	}
}

// A call that a server has taken is answered although the server is removed meanwhile.
func TestRemovedServersAnswerTheirCalls(t *testing.T) {
	n := takeNotes(t)
	h := startHub(t, nil, fakeServer("gated", n.env()))
	answered := make(chan error, 1)
	go func() {
		_, err := h.CallTool(t.Context(), run.Call{Server: "fake", Tool: "echo", Args: json.RawMessage(`{}`)})
		answered <- err
	}()
	n.next("called")
	h.Apply(nil)
	n.release()
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

// Servers start four at a time, but one that is called does not wait for its turn.
func TestStartsTakeTurns(t *testing.T) {
	n := takeNotes(t)
	var servers []Server
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		s := fakeServer("slow", n.env())
		s.Name = name
		servers = append(servers, s)
	}
	h := startHub(t, nil, servers...)
	for range maxStarts {
		n.next("started")
	}
	attempts := func() (names []string) {
		for _, s := range *h.servers.Load() {
			s.mu.Lock()
			if s.attempt != nil {
				names = append(names, s.Name)
			}
			s.mu.Unlock()
		}
		return names
	}
	if got := attempts(); len(got) != maxStarts {
		t.Fatalf("%q start at the same time", got)
	}
	var waiting string
	for _, s := range servers {
		if !slices.Contains(attempts(), s.Name) {
			waiting = s.Name
		}
	}
	if state := h.named(waiting).status().State; state != "starting" {
		t.Errorf("a server that waits for its turn is %s", state)
	}
	go func() { _ = h.Ready(t.Context(), waiting) }()
	n.next("started")
	n.release()
}

// A server has no more than its share of calls at the same time, and those that wait end
// with their callers.
func TestCallsOfAServerTakeTurns(t *testing.T) {
	arrived, leave := make(chan struct{}, 10), make(chan struct{})
	own := mcp.NewServer(&mcp.Implementation{Name: "own"}, nil)
	own.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arrived <- struct{}{}
		<-leave
		return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
	})
	h := startHub(t, nil, Server{Name: "own", InProcess: own, MaxCalls: 2})
	call := func(ctx context.Context) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, err := h.CallTool(ctx, run.Call{Server: "own", Tool: "echo", Args: json.RawMessage(`{}`)})
			done <- err
		}()
		return done
	}
	first, second := call(t.Context()), call(t.Context())
	<-arrived
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	third := call(ctx)
	cancel()
	if err := <-third; !errors.Is(err, context.Canceled) {
		t.Errorf("a call that waits for its turn, cancelled: %v", err)
	}
	fourth := call(t.Context())
	if turns := h.named("own").turns.State().Turns; turns != 2 || len(arrived) > 0 {
		t.Errorf("%d calls at the same time", turns)
	}
	close(leave)
	for _, done := range []<-chan error{first, second, fourth} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
