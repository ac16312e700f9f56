package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// dialer is a downstream server with one tool, which only reads: it connects to an
// address, says a name and returns what it is told until the connection ends.
func dialer() {
	s := mcp.NewServer(&mcp.Implementation{Name: "dialer", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var args struct{ Addr, Name string }
			if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
				return nil, err
			}
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", args.Addr)
			if err != nil {
				return nil, err
			}
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			fmt.Fprintln(conn, args.Name)
			said, err := io.ReadAll(conn)
			if err != nil {
				return nil, err
			}
			b, err := json.Marshal(map[string]string{"said": string(said)})
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(b)}, err
		})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// A recovery is a machine on which patchbay is started and ended, in projects of
// one user. Its listener is what the tool of dialer connects to.
type recovery struct {
	t    *testing.T
	home string
	l    *net.TCPListener
}

func newRecovery(t *testing.T) *recovery {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &recovery{t, t.TempDir(), l.(*net.TCPListener)} //nolint:forcetypeassert // of tcp
}

// project makes a folder with a configuration, in which calls get no time at the end.
func (r *recovery) project() string { return r.projectWithGrace(0) }

// projectWithGrace makes a folder with a configuration, in which calls get so many
// milliseconds at the end.
func (r *recovery) projectWithGrace(ms int) string {
	dir := r.t.TempDir()
	text := fmt.Sprintf("servers:\n  d: {command: dialer}\ntrust: [d]\nshutdown: {graceMs: %d}\n", ms)
	if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	return dir
}

func (r *recovery) command(dir string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: append([]string{"patchbay"}, args...), Dir: dir, Env: append(os.Environ(), "HOME="+r.home)}
	for _, kind := range []string{"CONFIG", "DATA", "CACHE", "STATE"} {
		cmd.Env = append(cmd.Env, "XDG_"+kind+"_HOME=")
	}
	return cmd
}

// A visited is a patchbay serve whose log is read.
type visited struct {
	*served
	log chan string
}

// serve starts patchbay serve in a project, and initializes a session.
func (r *recovery) serve(dir string) *visited {
	s := &visited{&served{Cmd: r.command(dir, "serve")}, make(chan string, 1000)}
	var err error
	if s.in, err = s.StdinPipe(); err != nil {
		r.t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	stderr, err := s.StderrPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = s.Process.Kill() })
	go func() {
		defer close(s.log)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			s.log <- lines.Text()
		}
	}()
	s.ask(r.t, initialize)
	return s
}

// logged returns the next line of the log with a text in it.
func (r *recovery) logged(s *visited, text string) string {
	r.t.Helper()
	var all []string
	for line := range s.log {
		if strings.Contains(line, text) {
			return line
		}
		all = append(all, line)
	}
	r.t.Fatalf("the log ended without %q:\n%s", text, strings.Join(all, "\n"))
	return ""
}

// hold starts a run whose call of the tool is answered only on the connection that
// it returns. A failure of the call would be caught.
func (r *recovery) hold(s *visited, name string) net.Conn {
	r.t.Helper()
	graph := fmt.Sprintf(`
name: hold
nodes:
  - {id: entry, type: entry, next: ask}
  - {id: ask, type: mcp, server: d, tool: ask, args: {addr: %q, name: %s}, onError: caught, next: exit}
  - {id: caught, type: transform, transform: {expr: '{"said": "caught"}'}, next: exit}
  - {id: exit, type: exit}
`, r.l.Addr(), name)
	call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": map[string]any{"name": "run_graph", "arguments": map[string]string{"graph": graph}}})
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := s.in.Write(append(call, '\n')); err != nil {
		r.t.Fatal(err)
	}
	conn := r.called(name)
	s.ask(r.t, getNoRun) // what is told of the run is on disk before the reply
	return conn
}

const getNoRun = `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"get_run","arguments":{"run_id":"none"}}}`

// called accepts a call of the tool, which says a name.
func (r *recovery) called(name string) net.Conn {
	r.t.Helper()
	if err := r.l.SetDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		r.t.Fatal(err)
	}
	conn, err := r.l.Accept()
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.Close() })
	said, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || said != name+"\n" {
		r.t.Fatalf("called for %q (%v), want %q", said, err, name)
	}
	return conn
}

// answer lets a call return.
func (r *recovery) answer(conn net.Conn) {
	r.t.Helper()
	if _, err := io.WriteString(conn, "go"); err != nil {
		r.t.Fatal(err)
	}
	_ = conn.Close()
}

// kill ends a process as a power cut does.
func (r *recovery) kill(s *visited) {
	r.t.Helper()
	if err := s.Process.Kill(); err != nil {
		r.t.Fatal(err)
	}
	_ = s.Wait()
}

// crash serves a project and kills the server during the run of that name.
func (r *recovery) crash(dir, name string) {
	r.t.Helper()
	s := r.serve(dir)
	r.hold(s, name)
	r.kill(s)
}

// leave ends a process by the end of its input.
func (r *recovery) leave(s *visited) {
	r.t.Helper()
	if err := s.in.Close(); err != nil {
		r.t.Fatal(err)
	}
	if err := s.Wait(); err != nil {
		r.t.Error(err)
	}
}

// locks returns the files that say which processes have the journal open.
func (r *recovery) locks() []string {
	left, _ := filepath.Glob(filepath.Join(r.home, ".local", "state", "patchbay", "runs.db-owners", "*"))
	return left
}

// stands returns the status of the latest run, or the one before it, and its record.
func (r *recovery) stands(before int) (string, *run.Record) {
	r.t.Helper()
	j, err := journal.Open(filepath.Join(r.home, ".local", "state", "patchbay", "runs.db"), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	list, err := j.List(run.Filter{Actor: run.Actor{Operator: true}})
	if err != nil || len(list) <= before {
		r.t.Fatalf("%d runs: %v", len(list), err)
	}
	rec, err := j.Load(run.Actor{Operator: true}, list[before].ID)
	if err != nil {
		r.t.Fatal(err)
	}
	if rec.Fault == nil {
		return string(rec.Status), rec
	}
	return string(rec.Status) + " " + rec.Fault.Code, rec
}

const (
	listTools = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	ping      = `{"jsonrpc":"2.0","id":3,"method":"ping"}`
)

// A run that is in flight when the program ends in good order is parked, whether
// its input ends or a signal comes, and the next start finishes it. The edge
// onError is not taken: no node has failed.
func TestServeParksRuns(t *testing.T) {
	for name, end := range map[string]func(*visited) error{
		"end of input": func(s *visited) error { return s.in.Close() },
		"SIGTERM":      func(s *visited) error { return s.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecovery(t)
			dir := r.project()
			s := r.serve(dir)
			r.hold(s, "x")
			r.logged(s, `msg="run started"`)
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			r.logged(s, `msg="run ended"`)
			if err := s.Wait(); err != nil {
				t.Error(err)
			}
			if left := r.locks(); len(left) > 0 {
				t.Errorf("the process left %q", left)
			}
			if how, rec := r.stands(0); how != "interrupted shutting-down" {
				t.Fatalf("the run is %s: %v", how, rec.Fault)
			}
			s = r.serve(dir)
			s.ask(t, searchTicket)
			r.answer(r.called("x"))
			r.logged(s, "status=succeeded")
			r.leave(s)
			if how, rec := r.stands(0); how != "succeeded" || resultText(rec) != `{"said":"go"}` {
				t.Errorf("the run is %s: %s", how, resultText(rec))
			}
		})
	}
}

// A killed process's runs are resumed by a process with the same configuration,
// not by one of another project, whose servers only have the same names.
func TestServeLeavesOtherProjectsAlone(t *testing.T) {
	r := newRecovery(t)
	mine, other := r.project(), r.project()
	for _, p := range []struct{ dir, name string }{{other, "other"}, {mine, "mine"}} {
		r.crash(p.dir, p.name)
	}
	s := r.serve(mine)
	s.ask(t, searchTicket)
	r.answer(r.called("mine"))
	r.logged(s, "status=succeeded")
	if how, _ := r.stands(1); how != "interrupted crashed" {
		t.Errorf("the other project's run is %s", how)
	}
	r.leave(s)
	s = r.serve(other)
	s.ask(t, searchTicket)
	r.answer(r.called("other"))
	r.logged(s, "status=succeeded")
	r.leave(s)
}

// A client that only looks what the server offers resumes no run.
func TestServeThatIsProbedResumesNothing(t *testing.T) {
	r := newRecovery(t)
	dir := r.project()
	r.crash(dir, "x")
	s := r.serve(dir)
	s.ask(t, listTools)
	s.ask(t, ping)
	if how, _ := r.stands(0); how != "interrupted crashed" {
		t.Errorf("after a probe the run is %s", how)
	}
	s.ask(t, searchTicket)
	r.answer(r.called("x"))
	r.logged(s, "status=succeeded")
	r.leave(s)
}

// A run in which the process ended twice at the same step is not resumed a second
// time by itself: people see it, and decide.
func TestServeParksARunThatEndsTheProcess(t *testing.T) {
	r := newRecovery(t)
	dir := r.project()
	r.crash(dir, "x")
	s := r.serve(dir)
	s.ask(t, searchTicket)
	r.called("x")
	r.kill(s)
	s = r.serve(dir)
	s.ask(t, searchTicket)
	r.logged(s, "code=crashes")
	how, rec := r.stands(0)
	if how != "interrupted crashes" {
		t.Fatalf("the run is %s", how)
	}
	r.leave(s)
	if out, err := r.command(dir, "doctor").Output(); err == nil || !strings.Contains(string(out), rec.ID) {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	out, err := r.command(dir, "runs", "list").Output()
	if err != nil || !strings.Contains(string(out), "the process ended 2 times during the run without a new call") {
		t.Errorf("runs list: %v\n%s", err, out)
	}
	resume := r.command(dir, "runs", "resume", rec.ID, "--retry")
	result := &strings.Builder{}
	resume.Stdout = result
	if err := resume.Start(); err != nil {
		t.Fatal(err)
	}
	r.answer(r.called("x"))
	if err := resume.Wait(); err != nil || result.String() != `{"said":"go"}`+"\n" {
		t.Errorf("resumed: %v %s", err, result)
	}
}

// Over HTTP nobody starts the program only to look: it resumes runs once it
// listens.
func TestServeResumesOverHTTP(t *testing.T) {
	r := newRecovery(t)
	dir := r.project()
	r.crash(dir, "x")
	web := r.command(dir, "serve", "--http", "127.0.0.1:0")
	if err := web.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = web.Process.Kill() })
	r.called("x")
	if err := web.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := web.Wait(); err != nil {
		t.Error(err)
	}
	if how, _ := r.stands(0); how != "interrupted shutting-down" {
		t.Errorf("after SIGTERM the run is %s", how)
	}
}
