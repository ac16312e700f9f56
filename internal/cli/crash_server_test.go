package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// recorder is a downstream server whose tools append each call to a file, with the
// idempotency key that came with it: that is their effect. It announces each call to
// a watch, if there is one, which lets it return. While it is connected, it may record
// something.
func recorder() {
	log, watch := flag.String("calls", "", "file"), flag.String("watch", "", "address")
	flag.Parse()
	announce := func() {}
	if *watch != "" {
		announce = announcer(*watch)
		announce() // it is there
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "recorder", Version: "1.0.0"}, nil)
	for _, name := range []string{"read", "write"} {
		s.AddTool(&mcp.Tool{Name: name, Description: "Records the call", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: name == "read"}},
			func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				key, _ := req.Params.Meta["patchbay/idempotencyKey"].(string)
				if err := recordCall(*log, crashCall{name, key, req.Params.Arguments}); err != nil {
					return nil, err
				}
				announce()
				return &mcp.CallToolResult{StructuredContent: req.Params.Arguments, Content: []mcp.Content{}}, nil
			})
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// announcer returns what tells a watch of a call, and returns when that has replied.
func announcer(watch string) func() {
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", watch)
	if err != nil {
		os.Exit(1)
	}
	replies := bufio.NewReader(conn)
	var mu sync.Mutex
	return func() {
		mu.Lock()
		defer mu.Unlock()
		_, _ = conn.Write([]byte{'\n'})
		_, _ = replies.ReadByte()
	}
}

// callWatch is told of each call that recorders have got, before they reply.
type callWatch struct {
	net.Listener

	mu        sync.Mutex
	connected int                // recorders
	left      *sync.Cond         // signalled when one ends
	called    func(reply func()) // replies
}

func watchCalls(t *testing.T) *callWatch {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &callWatch{Listener: l}
	w.left = sync.NewCond(&w.mu)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			w.join(1)
			go w.follow(conn)
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return w
}

func (w *callWatch) join(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connected += n
	w.left.Broadcast()
}

func (w *callWatch) follow(conn net.Conn) {
	defer w.join(-1)
	defer func() { _ = conn.Close() }()
	reply := func() { _, _ = conn.Write([]byte{'\n'}) }
	lines := bufio.NewReader(conn)
	for n := 0; ; n++ {
		if _, err := lines.ReadByte(); err != nil {
			return
		}
		if n == 0 { // it has connected
			reply()
			continue
		}
		w.mu.Lock()
		w.called(reply)
		w.mu.Unlock()
	}
}

// TestCrashOfTheCommand kills patchbay itself, as crashGraph runs with a server in
// another process, and continues with runs resume and runs answer.
func TestCrashOfTheCommand(t *testing.T) {
	s, watch := newCrashSite(t, "name: crash\n"+crashGraph), watchCalls(t)
	s.configure("mcpServers: {s: {command: recorder, args: [-watch, " + strconv.Quote(watch.Addr().String()) + ", -calls, " + strconv.Quote(s.calls) + "]}}\ntrust: [s]\n")
	c := &crashes{crashSite: s, moments: rand.New(rand.NewPCG(*crashSeed, 1)), left: 1 + *crashKills/5} //nolint:gosec // to be repeated
	c.untilDone(watch, c.expect)
}

// configure gives patchbay folders of the test, with a configuration.
func (s *crashSite) configure(text string) {
	dir := s.t.TempDir()
	for _, variable := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		s.t.Setenv(variable, filepath.Join(dir, variable))
	}
	s.journal = filepath.Join(dir, "XDG_STATE_HOME", "patchbay", "runs.db")
	own := filepath.Join(dir, "XDG_CONFIG_HOME", "patchbay")
	if err := errors.Join(os.MkdirAll(own, 0o700), os.WriteFile(filepath.Join(own, "patchbay.yaml"), []byte(text), 0o600)); err != nil {
		s.t.Fatal(err)
	}
}

// untilDone kills patchbay until no kills are left and a run has ended, and checks each run.
func (c *crashes) untilDone(watch *callWatch, expect func(*run.Record)) {
	var rec *run.Record
	for attempts := 0; rec == nil || rec.Status != run.Succeeded; attempts++ {
		if attempts > 100+3*c.kills {
			c.t.Fatal("the run does not end")
		}
		c.patchbay(watch, rec)
		rec = c.latest()
		if rec != nil && rec.Status == run.Succeeded && c.left > 0 {
			expect(rec)
			rec = nil // and another
		}
	}
	expect(rec)
	c.t.Logf("seed %d: %d kills, %d unknown outcomes", *crashSeed, c.kills, c.unknown)
}

// patchbay starts or resumes a run, and kills it during or after some call if there
// are kills to come.
func (c *crashes) patchbay(watch *callWatch, rec *run.Record) {
	args := []string{"run", c.graph}
	if rec == nil && c.fresh != nil {
		c.fresh()
	}
	if rec != nil {
		how := c.decision(rec)
		switch {
		case len(how) == 0:
			args = []string{"runs", "resume", rec.ID}
		case how[1] == "answer":
			args = []string{"runs", "answer", rec.ID, "accept"}
		case how[1] == "pin":
			args = []string{"runs", "resume", rec.ID, "--step", how[3], "--pin", how[5]}
		default:
			args = []string{"runs", "resume", rec.ID, "--retry", "--step", how[3]}
		}
	}
	cmd := exec.CommandContext(c.t.Context(), "patchbay", args...)
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	left, first := 0, c.moments.IntN(2) == 0 // whether it is killed before the call returns
	if c.left > 0 {
		left = 1 + c.moments.IntN(8)
	}
	killed := false
	kill := func() { killed = cmd.Process.Kill() == nil }
	watch.mu.Lock()
	watch.called = func(reply func()) {
		left--
		if left == 0 && first {
			kill()
		}
		reply()
		if left == 0 && !first {
			kill()
		}
	}
	err := cmd.Start()
	watch.mu.Unlock()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() == 2 {
		c.t.Fatalf("%q: %v\n%s", args, err, out)
	}
	watch.mu.Lock()
	defer watch.mu.Unlock()
	for watch.connected > 0 {
		watch.left.Wait()
	}
	if killed {
		c.left--
		c.kills++
	}
}

// expect checks a run that has ended.
func (c *crashes) expect(rec *run.Record) {
	if got := resultText(rec); got != crashResult {
		c.t.Errorf("%s: %s, want %s", rec.ID, got, crashResult)
	}
	made := c.made()
	for _, step := range []string{"loop#0", "loop#3", "puts#0[5]", "fork#0/left/left#0", "each#0[11]"} {
		calls := made[idempotencyOf(rec.ID, step)]
		if len(calls) == 0 || len(calls) > 1 && calls[0].Tool == "write" {
			c.t.Errorf("%s: %s was called %d times", rec.ID, step, len(calls))
		}
	}
	for key, calls := range made {
		if calls[0].Tool == "write" && len(calls) > 1 {
			c.t.Errorf("a call that changes something (%s) was made %d times", key, len(calls))
		}
	}
}

// latest reads the latest run, nil if there is none.
func (s *crashSite) latest() *run.Record {
	s.t.Helper()
	j, err := journal.Open(s.journal, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	list, err := j.List(run.Filter{Actor: run.Actor{Operator: true}, Limit: 1})
	if err := errors.Join(err, j.Close()); err != nil {
		s.t.Fatal(err)
	}
	if len(list) == 0 {
		return nil
	}
	return s.load(list[0].ID)
}
