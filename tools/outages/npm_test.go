//go:build linux || darwin

package outages

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A deed is something done to a server; undo is nil if it does not last.
type deed func(r *rand.Rand) (undo func())

// A control is connected to each shim that runs.
type control struct {
	listener net.Listener
	mu       sync.Mutex
	shims    map[string]*shimConn // the last of each name
	running  sync.WaitGroup
}

// shimConn is the connection of a shim: while it lasts, its process is there.
type shimConn struct {
	net.Conn
	pid int
}

func listen(t *testing.T) *control {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &control{listener: l, shims: map[string]*shimConn{}}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.running.Go(func() { c.follow(conn) })
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return c
}

// follow holds the connection of a shim until its process is gone.
func (c *control) follow(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	var name string
	s := &shimConn{Conn: conn}
	if _, err := fmt.Fscanln(in, &name, &s.pid); err != nil {
		return
	}
	c.mu.Lock()
	c.shims[name] = s
	c.mu.Unlock()
	_, _ = io.Copy(io.Discard, in)
	c.mu.Lock()
	if c.shims[name] == s {
		delete(c.shims, name)
	}
	c.mu.Unlock()
}

// awaitAllGone returns when no process of a shim is left.
func (c *control) awaitAllGone() {
	_ = c.listener.Close()
	c.running.Wait()
}

// do does something to the process of a server, if it runs. That the process is gone is
// known a moment later, so a signal is sent under the lock that forgetting it takes.
func (c *control) do(name string, f func(*shimConn)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.shims[name]; s != nil {
		f(s)
	}
}

// An npmServer is a server of npm over stdio, behind a shim.
type npmServer struct {
	key, package_ string
	args          []string
	env           map[string]string
	to            *control
	request       func(caller, n int) (string, map[string]any)
}

func (s *npmServer) name() string  { return s.key }
func (s *npmServer) title() string { return s.package_ }

func (s *npmServer) call(caller, n int) (string, map[string]any) { return s.request(caller, n) }

func (s *npmServer) entry() string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	env := fmt.Sprintf("%s: %q, %s: %q", shimEnv, s.to.listener.Addr(), nameEnv, s.key)
	for _, name := range slices.Sorted(maps.Keys(s.env)) {
		env += fmt.Sprintf(", %s: %q", name, s.env[name])
	}
	return fmt.Sprintf("{command: %q, args: [%s], env: {%s}}", self, quoted(s.args), env)
}

func quoted(all []string) string {
	var out []string
	for _, a := range all {
		out = append(out, fmt.Sprintf("%q", a))
	}
	return strings.Join(out, ", ")
}

func (s *npmServer) deeds() ([]string, map[string]deed) {
	order := func(text string) func(*shimConn) {
		return func(c *shimConn) { _, _ = io.WriteString(c, text+"\n") }
	}
	kill := func(sig syscall.Signal) func(*shimConn) {
		return func(c *shimConn) { _ = syscall.Kill(c.pid, sig) }
	}
	once := func(f func(*shimConn)) deed {
		return func(*rand.Rand) func() {
			s.to.do(s.key, f)
			return nil
		}
	}
	all := map[string]deed{
		"killed":    once(kill(syscall.SIGKILL)),
		"restarted": once(order("quit")),
		"flooded":   once(order("flood")),
		"changed":   once(order("change")),
		"emptied": func(*rand.Rand) func() {
			s.to.do(s.key, order("hide"))
			return func() { s.to.do(s.key, order("show")) }
		},
		"hung": func(r *rand.Rand) func() {
			s.to.do(s.key, kill(syscall.SIGSTOP))
			if r.IntN(3) == 0 {
				return nil // until Patchbay kills it
			}
			return func() { s.to.do(s.key, kill(syscall.SIGCONT)) }
		},
	}
	return slices.Sorted(maps.Keys(all)), all
}

// npmServers are the official servers, none if they are not installed.
func npmServers(t *testing.T, to *control) []server {
	t.Helper()
	modules, err := filepath.Abs("../../testdata/npm/node_modules/@modelcontextprotocol")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(modules); err != nil {
		t.Log("the npm servers are not installed: run make npm")
		return nil
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Log("node is not installed")
		return nil
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var entities strings.Builder
	for c := range callers {
		for n := range values {
			fmt.Fprintf(&entities, `{"type":"entity","name":%q,"entityType":"value","observations":[]}`+"\n", value(c, n))
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d-%d.txt", c, n)), []byte(value(c, n)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	memory := filepath.Join(t.TempDir(), "memory.jsonl")
	if err := os.WriteFile(memory, []byte(entities.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	script := func(name string) string { return filepath.Join(modules, "server-"+name, "dist", "index.js") }
	return []server{
		&npmServer{
			key: "folder", package_: "filesystem", to: to, args: []string{"node", script("filesystem"), dir},
			request: func(c, n int) (string, map[string]any) {
				return "read_text_file", map[string]any{"path": filepath.Join(dir, fmt.Sprintf("%d-%d.txt", c, n))}
			},
		},
		&npmServer{
			key: "every", package_: "everything", to: to, args: []string{"node", script("everything")},
			request: func(c, n int) (string, map[string]any) { return "echo", map[string]any{"message": value(c, n)} },
		},
		&npmServer{
			key: "memo", package_: "memory", to: to, args: []string{"node", script("memory")}, env: map[string]string{"MEMORY_FILE_PATH": memory},
			request: func(c, n int) (string, map[string]any) {
				return "open_nodes", map[string]any{"names": []string{value(c, n)}}
			},
		},
	}
}
