package cli

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A served is the program serving over stdio.
type served struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// serve starts a binary, by default this test's own, in a folder with
// a configuration.
func serve(t testing.TB, binary, config string) *served {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return serveIn(t, binary, dir)
}

func serveIn(t testing.TB, binary, dir string) *served {
	t.Helper()
	cmd := &exec.Cmd{Path: binary, Args: []string{"patchbay", "serve"}, Dir: dir, Env: append(os.Environ(), "HOME="+filepath.Join(dir, ".home"))} // at home there is no workspace
	if binary == "" {
		var err error
		if cmd.Path, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	return serveBy(t, cmd)
}

// serveBy starts any server.
func serveBy(t testing.TB, cmd *exec.Cmd) *served {
	t.Helper()
	s := &served{Cmd: cmd}
	var err error
	if s.in, err = s.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Process.Kill() })
	return s
}

// ask sends a line and returns the reply.
func (s *served) ask(t testing.TB, request string) string {
	t.Helper()
	if _, err := io.WriteString(s.in, request+"\n"); err != nil {
		t.Fatal(err)
	}
	reply, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

const (
	initialize   = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	callShout    = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_node","arguments":{"id":"mcp:fake/shout","arguments":{"text":"x"}}}}`
	searchTicket = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_nodes","arguments":{"query":"archive the tickets of a customer"}}}`
)

// The program ends with its input or a signal, and takes its children with it,
// even one that ignores both.
func TestServeTakesItsChildrenAlong(t *testing.T) {
	for name, end := range map[string]func(*served) error{
		"end of input": func(s *served) error { return s.in.Close() },
		"SIGTERM":      func(s *served) error { return s.Process.Signal(syscall.SIGTERM) },
		"interrupt":    func(s *served) error { return s.Process.Signal(os.Interrupt) },
	} {
		t.Run(name, func(t *testing.T) {
			pids := filepath.Join(t.TempDir(), "pids")
			s := serve(t, "", "servers:\n  fake: {command: fake, args: [-stubborn, -pid, "+pids+"]}\n")
			s.ask(t, initialize)
			if reply := s.ask(t, callShout); !strings.Contains(reply, `\"X\"`) {
				t.Fatal(reply)
			}
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			if err := s.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
			text, err := os.ReadFile(pids)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.FieldsSeq(string(text)) {
				pid, err := strconv.Atoi(line)
				if err != nil {
					t.Fatal(err)
				}
				if running(pid) {
					t.Errorf("the child %d is still there", pid)
				}
			}
		})
	}
}

// running reports whether a process is alive. One that is dead and only not yet
// reaped by its parent, which after our end is the system, does not.
func running(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	if runtime.GOOS != "windows" && p.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
