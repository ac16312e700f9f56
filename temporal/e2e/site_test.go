package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A site is a configuration with workers of its own.
type site struct {
	t       testing.TB
	dir     string
	server  *temporalServer // for which it is
	address string          // at which it reaches it
	env     []string        // besides that of the tests
	workers []*exec.Cmd
}

// newSite is a site on the server of all tests.
func newSite(t testing.TB, graph string) *site {
	t.Helper()
	return siteAt(t, server, server.address(), graph)
}

// siteAt is a site that reaches a server at an address.
func siteAt(t testing.TB, server *temporalServer, address, graph string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), server: server, address: address}
	s.write("graph.yaml", graph)
	s.configure("patchbay.yaml", true, namespace)
	t.Cleanup(func() {
		for i := range s.workers {
			s.kill(i)
		}
		if t.Failed() {
			s.showLogs()
		}
	})
	return s
}

// configure writes a configuration, with the downstream server or without. More are
// further settings of Temporal, as in ", key: value".
func (s *site) configure(file string, counter bool, namespace string, more ...string) {
	s.t.Helper()
	text := s.project()
	if counter {
		text += s.counter()
	}
	s.write(file, text+fmt.Sprintf("runtime:\n  temporal: {address: %q, namespace: %q, taskQueue: %q, blobs: %q%s}\n", s.address, namespace, s.queue(), s.path("blobs"), strings.Join(more, "")))
}

// project is the part of a configuration that keeps the runs of sites apart.
func (s *site) project() string { return fmt.Sprintf("project: %s\n", s.t.Name()) }

// embed makes the runs of the site those of the embedded runtime.
func (s *site) embed() {
	s.t.Helper()
	s.write("patchbay.yaml", s.project()+s.counter())
}

// counter is the part of a configuration that has the downstream server.
func (s *site) counter() string {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	return fmt.Sprintf("trust: [counter]\nservers:\n  counter: {command: %q, env: {%s: %q}}\n", self, counterEnv, s.path("calls"))
}

func (s *site) queue() string { return s.t.Name() }

// showLogs shows the end of what each worker logged.
func (s *site) showLogs() {
	for i := range s.workers {
		b, _ := os.ReadFile(s.path(workerLog(i)))
		s.t.Logf("worker %d:\n%s", i, b[max(0, len(b)-2000):])
	}
}

func workerLog(worker int) string { return fmt.Sprintf("worker-%d.log", worker) }

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
	cmd.Env = append(append(os.Environ(), s.env...), "PATCHBAY_TRUST=all", "XDG_STATE_HOME="+s.path("state"), "XDG_CACHE_HOME="+s.path("cache"), "XDG_DATA_HOME="+s.path("data"))
	return cmd
}

// work starts a worker.
func (s *site) work(args ...string) int {
	s.t.Helper()
	return s.start(append([]string{"worker"}, args...)...)
}

// start starts a process that is killed like a worker.
func (s *site) start(args ...string) int {
	s.t.Helper()
	cmd := s.command(args...)
	log, err := os.Create(s.path(workerLog(len(s.workers))))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd.Stderr = log
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

// read reads what a command of the program prints.
func (s *site) read(into any, args ...string) {
	s.t.Helper()
	if out := s.output(args...); json.Unmarshal([]byte(out), into) != nil {
		s.t.Errorf("patchbay-temporal %s: %s", strings.Join(args, " "), out)
	}
}

// output is what a command of the program prints, or why it fails.
func (s *site) output(args ...string) string {
	out, err := s.command(append(args, "-o", "json")...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && len(out) == 0 {
		out = failed.Stderr
	}
	return string(out)
}

// run starts the graph, and returns what receives its outcome.
func (s *site) run(args ...string) <-chan outcome { return s.runFile("graph.yaml", args...) }

func (s *site) runFile(file string, args ...string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() { done <- s.do(append([]string{"run", file}, args...)...) }()
	return done
}

// A call is a line of the downstream server's.
type call struct {
	at  time.Time
	n   int
	key string // its idempotency key
}

func (s *site) calls() (list []call) {
	f, err := os.Open(s.path("calls"))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) != 3 {
			continue // it is being written
		}
		nanos, _ := strconv.ParseInt(words[0], 10, 64)
		n, _ := strconv.Atoi(words[1])
		list = append(list, call{time.Unix(0, nanos), n, words[2]})
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

// text is what a file of the site has.
func (s *site) text(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}
