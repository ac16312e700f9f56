// Package e2e_test kills workers of runs, with a Temporal server in its process: make e2e.
package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.temporal.io/server/temporaltest"
)

var (
	built = flag.String("program", "", "patchbay-temporal, if it is built")

	program string
	server  *temporaltest.TestServer // of all tests
)

func TestMain(m *testing.M) {
	if log := os.Getenv("E2E_CALLS"); log != "" {
		serveCounter(log)
		return
	}
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "e2e")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		if program = *built; program == "" {
			program = filepath.Join(dir, "patchbay-temporal")
			build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "./cmd/patchbay-temporal")
			build.Dir = ".."
			if out, err := build.CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
				return 1
			}
		}
		server = temporaltest.NewServer()
		defer server.Stop()
		return m.Run()
	}())
}

// serveCounter is the downstream server: each call of its tool is a line of a file, with
// the time and what it was called with.
func serveCounter(log string) {
	type noted struct {
		N int `json:"n"`
	}
	no := false
	s := mcp.NewServer(&mcp.Implementation{Name: "counter", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "note", Description: "Notes a number", Annotations: &mcp.ToolAnnotations{IdempotentHint: true, DestructiveHint: &no}},
		func(_ context.Context, _ *mcp.CallToolRequest, in noted) (*mcp.CallToolResult, noted, error) {
			f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err == nil {
				_, err = fmt.Fprintf(f, "%d %d\n", time.Now().UnixNano(), in.N)
				_ = f.Close()
			}
			return nil, in, err
		})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// A site is a configuration with workers of its own.
type site struct {
	t       *testing.T
	dir     string
	workers []*exec.Cmd
}

func newSite(t *testing.T, graph string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.write("graph.yaml", graph)
	s.write("patchbay.yaml", fmt.Sprintf("project: e2e\ntrust: [counter]\nservers:\n  counter: {command: %q, env: {E2E_CALLS: %q}}\nruntime:\n  temporal: {address: %q, namespace: %q, taskQueue: %q, blobs: %q}\n",
		self, s.path("calls"), server.GetFrontendHostPort(), server.GetDefaultNamespace(), t.Name(), s.path("blobs")))
	t.Cleanup(func() {
		for i := range s.workers {
			s.kill(i)
		}
	})
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), program, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "PATCHBAY_TRUST=all", "XDG_STATE_HOME="+s.path("state"), "XDG_CACHE_HOME="+s.path("cache"), "XDG_DATA_HOME="+s.path("data"))
	return cmd
}

// work starts a worker.
func (s *site) work(args ...string) int {
	s.t.Helper()
	cmd := s.command(append([]string{"worker"}, args...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.workers = append(s.workers, cmd)
	return len(s.workers) - 1
}

// kill kills a worker with SIGKILL.
func (s *site) kill(worker int) {
	cmd := s.workers[worker]
	if cmd.ProcessState == nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// outcome is what patchbay run prints.
type outcome struct {
	RunID  string          `json:"run_id"`
	Status string          `json:"status"`
	Result struct{ N int } `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// do runs a command of the program, and returns what it prints.
func (s *site) do(args ...string) (o outcome) {
	out := s.output(args...)
	if json.Unmarshal([]byte(out), &o) != nil {
		s.t.Errorf("patchbay-temporal %s: %s", strings.Join(args, " "), out)
	}
	return o
}

// output is what a command of the program prints.
func (s *site) output(args ...string) string {
	out, _ := s.command(append(args, "-o", "json")...).Output() // that it fails is in its output
	return string(out)
}

// run starts the graph, and returns what receives its outcome.
func (s *site) run(args ...string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() { done <- s.do(append([]string{"run", "graph.yaml"}, args...)...) }()
	return done
}

// A call is a line of the downstream server's.
type call struct {
	at time.Time
	n  int
}

func (s *site) calls() (list []call) {
	f, err := os.Open(s.path("calls"))
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		at, n, _ := strings.Cut(lines.Text(), " ")
		nanos, _ := strconv.ParseInt(at, 10, 64)
		number, _ := strconv.Atoi(n)
		list = append(list, call{time.Unix(0, nanos), number})
	}
	return list
}

// until waits until something is so.
func (s *site) until(what string, so func() bool) {
	s.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(5 * time.Minute)
	for !so() {
		select {
		case <-tick.C:
		case <-late:
			s.t.Fatalf("after five minutes: %s", what)
		}
	}
}
