package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// recorder is a downstream server whose tools append each call to a file, with the
// idempotency key that came with it: that is their effect.
func recorder() {
	log := flag.String("calls", "", "file")
	flag.Parse()
	// As long as this address can be reached the process is there, and may still
	// record something.
	here, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil || os.WriteFile(fmt.Sprintf("%s.at%d", *log, os.Getpid()), []byte(here.Addr().String()), 0o600) != nil {
		os.Exit(1)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "recorder", Version: "1.0.0"}, nil)
	for _, name := range []string{"read", "write"} {
		s.AddTool(&mcp.Tool{Name: name, Description: "Records the call", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: name == "read"}},
			func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				key, _ := req.Params.Meta["patchbay/idempotencyKey"].(string)
				if err := recordCall(*log, crashCall{name, key, req.Params.Arguments}); err != nil {
					return nil, err
				}
				time.Sleep(2 * time.Millisecond) // it works
				return &mcp.CallToolResult{StructuredContent: req.Params.Arguments, Content: []mcp.Content{}}, nil
			})
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// TestCrashOfTheCommand kills patchbay itself, as crashGraph runs with a server in
// another process, and continues with runs resume and runs answer.
func TestCrashOfTheCommand(t *testing.T) {
	dir := t.TempDir()
	for _, variable := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		t.Setenv(variable, filepath.Join(dir, variable))
	}
	s := newCrashSite(t, "name: crash\n"+crashGraph)
	s.journal = filepath.Join(dir, "XDG_STATE_HOME", "patchbay", "runs.db")
	own := filepath.Join(dir, "XDG_CONFIG_HOME", "patchbay")
	text := "mcpServers: {s: {command: recorder, args: [-calls, " + strconv.Quote(s.calls) + "]}}\ntrust: [s]\n"
	if err := errors.Join(os.MkdirAll(own, 0o700), os.WriteFile(filepath.Join(own, "patchbay.yaml"), []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	c := &crashes{crashSite: s, moments: rand.New(rand.NewPCG(*crashSeed, 1)), left: 1 + *crashKills/5} //nolint:gosec // to be repeated
	var rec *run.Record
	for attempts := 0; rec == nil || rec.Status != run.Succeeded; attempts++ {
		if attempts > 100+3*c.kills {
			t.Fatal("the run does not end")
		}
		c.command(rec)
		rec = s.latest()
		if rec != nil && rec.Status == run.Succeeded && c.left > 0 {
			c.expect(rec)
			rec = nil // and another
		}
	}
	c.expect(rec)
	t.Logf("seed %d: %d kills, %d unknown outcomes", *crashSeed, c.kills, c.unknown)
}

// command starts or resumes a run, and kills it after some calls if there
// are kills to come.
func (c *crashes) command(rec *run.Record) {
	args := []string{"run", c.graph}
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
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if c.left > 0 {
		after := c.count() + 1 + c.moments.IntN(8)
		for running := true; running; {
			select {
			case err := <-ended:
				ended <- err
				running = false
			case <-time.After(200 * time.Microsecond):
				if c.count() >= after {
					time.Sleep(time.Duration(c.moments.IntN(3000)) * time.Microsecond)
					if cmd.Process.Kill() == nil {
						c.left--
						c.kills++
					}
					running = false
				}
			}
		}
	}
	if err := <-ended; err != nil && cmd.ProcessState.ExitCode() == 2 {
		c.t.Fatalf("%q: %v\n%s", args, err, out)
	}
	for end := time.Now().Add(5 * time.Minute); c.serving(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatal("the server outlives the process that started it")
		}
	}
}

// serving reports whether a server that was started has not ended.
func (c *crashes) serving() bool {
	files, _ := filepath.Glob(c.calls + ".at*")
	for _, file := range files {
		at, _ := os.ReadFile(file)
		conn, err := (&net.Dialer{}).DialContext(c.t.Context(), "tcp", string(at))
		if err == nil {
			_ = conn.Close()
			return true
		}
		_ = os.Remove(file)
	}
	return false
}

func (c *crashes) count() int {
	b, _ := os.ReadFile(c.calls) // absent before the first call
	return bytes.Count(b, []byte("\n"))
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
