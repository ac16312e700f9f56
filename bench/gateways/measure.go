package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A subject is a gateway that runs, with what was measured of it.
type subject struct {
	gateway
	version, behind string
	url             string
	command         *exec.Cmd
	session         *mcp.ClientSession
	rounds          []round
	idle, end       int64 // bytes of memory
}

// A round is what the calls of one round took. The processor time is that of the gateway alone.
type round struct {
	p50, p99, cpu time.Duration
	throughput    float64
	lost          int // calls of several clients at once that were not answered
}

// clients is how many call at once in the second half of a round, and answerTime how long
// each of them waits for an answer.
const (
	clients    = 16
	answerTime = 5 * time.Second
)

// start starts a gateway and returns when a client lists the tool that is called.
func start(ctx context.Context, g gateway, p place) (*subject, error) {
	var err error
	if p.addr, err = freeAddress(ctx); err != nil {
		return nil, err
	}
	var files map[string]string
	if g.files != nil {
		files = g.files(p)
	}
	if err := write(p.dir, files); err != nil {
		return nil, err
	}
	s := &subject{gateway: g, url: "http://" + p.addr + g.path, version: moduleVersion(ctx, p), behind: map[bool]string{true: "a process over stdio", false: "HTTP"}[g.stdio]}
	if g.ours {
		s.version = ""
	}
	s.command = run(ctx, g, p, g.args(p))
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startupTime)
	defer cancel()
	for _, args := range g.enrollments(p) {
		if err := retry(ctx, func() error { return run(ctx, g, p, args).Run() }); err != nil {
			s.stop()
			return nil, fmt.Errorf("%v: %w\n%s", args, err, s.log(p))
		}
	}
	if err := retry(ctx, func() error { s.session, err = s.connect(); return err }); err != nil {
		s.stop()
		return nil, fmt.Errorf("%w\n%s", err, s.log(p))
	}
	s.idle = s.memory()
	return s, nil
}

func (g gateway) enrollments(p place) [][]string {
	if g.enroll == nil {
		return nil
	}
	return g.enroll(p)
}

// run is a command of a gateway in a folder and a home of its own, with its output in a file.
func run(ctx context.Context, g gateway, p place, args []string) *exec.Cmd {
	c := exec.CommandContext(ctx, p.binary, args...)
	c.Dir = p.dir
	c.Env = append(os.Environ(), "HOME="+p.dir, "XDG_CONFIG_HOME="+p.dir, "XDG_STATE_HOME="+p.dir, "XDG_CACHE_HOME="+p.dir, "XDG_DATA_HOME="+p.dir)
	if g.env != nil {
		c.Env = append(c.Env, g.env(p)...)
	}
	if out, err := os.OpenFile(filepath.Join(p.dir, "output"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		c.Stdout, c.Stderr = out, out
	}
	return c
}

func (s *subject) log(p place) string {
	out, _ := os.ReadFile(filepath.Join(p.dir, "output"))
	return string(out[max(0, len(out)-2000):])
}

// retry repeats f until it succeeds or the context ends, and returns its last error.
func retry(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// moduleVersion is the version that go records in a binary, shortened.
func moduleVersion(ctx context.Context, p place) string {
	out, err := exec.CommandContext(ctx, "go", "version", "-m", p.binary).Output()
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "build" && strings.HasPrefix(f[1], "vcs.revision=") {
			return strings.TrimPrefix(f[1], "vcs.revision=")[:8]
		}
	}
	return ""
}

// connect opens a session and makes one call.
func (s *subject) connect() (*mcp.ClientSession, error) {
	ctx := context.Background()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.url, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return nil, err
	}
	if err := s.call(ctx, session); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return session, nil
}

// call calls the tool, and sees that its own answer comes back.
func (s *subject) call(ctx context.Context, session *mcp.ClientSession) error {
	args := map[string]any{"text": "hello"}
	if s.wrap != nil {
		args = s.wrap(args)
	}
	got, err := session.CallTool(ctx, &mcp.CallToolParams{Name: s.tool, Arguments: args})
	if err != nil {
		return err
	}
	for _, c := range got.Content {
		if text, ok := c.(*mcp.TextContent); ok && strings.Contains(text.Text, "hello") && !got.IsError {
			return nil
		}
	}
	return fmt.Errorf("%s answered %v", s.tool, got.Content)
}

// round makes calls one after the other, and then as many by several clients at once.
func (s *subject) round(ctx context.Context, calls int) error {
	times := make([]time.Duration, calls)
	before := s.processorTime()
	for i := range times {
		began := time.Now()
		if err := s.call(ctx, s.session); err != nil {
			return err
		}
		times[i] = time.Since(began)
	}
	r := round{cpu: (s.processorTime() - before) / time.Duration(calls)}
	slices.Sort(times)
	r.p50, r.p99 = times[calls/2], times[calls*99/100]
	var err error
	if r.throughput, r.lost, err = s.together(ctx, calls); err != nil {
		return err
	}
	s.rounds = append(s.rounds, r)
	s.end = s.memory()
	return nil
}

// together returns how many calls a second several clients get answered, and how many
// calls were not answered in time.
func (s *subject) together(ctx context.Context, calls int) (float64, int, error) {
	var sessions []*mcp.ClientSession
	for range clients {
		c, err := s.connect()
		if err != nil {
			return 0, 0, err
		}
		sessions = append(sessions, c)
	}
	var lost atomic.Int64
	began := time.Now()
	var all sync.WaitGroup
	for _, c := range sessions {
		all.Go(func() {
			for range calls / clients {
				ctx, cancel := context.WithTimeout(ctx, answerTime)
				if err := s.call(ctx, c); err != nil {
					lost.Add(1)
				}
				cancel()
			}
		})
	}
	all.Wait()
	took := time.Since(began).Seconds()
	for _, c := range sessions {
		_ = c.Close()
	}
	answered := calls/clients*clients - int(lost.Load())
	return float64(answered) / took, int(lost.Load()), nil
}

// best is the least of each figure over the rounds, the highest throughput, and all calls that were lost.
func (s *subject) best() round {
	best := s.rounds[0]
	for _, r := range s.rounds[1:] {
		best.p50, best.p99, best.cpu = min(best.p50, r.p50), min(best.p99, r.p99), min(best.cpu, r.cpu)
		best.throughput, best.lost = max(best.throughput, r.throughput), best.lost+r.lost
	}
	return best
}

// stop ends the gateway and its session.
func (s *subject) stop() {
	if s.session != nil {
		_ = s.session.Close()
	}
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

// memory is the resident size of the gateway's process, in bytes.
func (s *subject) memory() int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			kB, _ := strconv.ParseInt(f[1], 10, 64)
			return kB << 10
		}
	}
	return 0
}

// processorTime is what the gateway's process has used, to a hundredth of a second.
func (s *subject) processorTime() time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
