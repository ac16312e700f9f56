//go:build linux

package hostile

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Home(m).Run()) }

// secret is the value of a variable of the user, which no clone may learn.
const secret = "canary-of-the-user-4711-0815-12345678"

// limit is how long a command may take.
const limit = 30 * time.Second

// A world is what clones share: the program, and who notes what it does.
type world struct {
	program  string
	watch    *watch
	server   *httptest.Server
	mu       sync.Mutex
	requests map[string][]string // by clone
	n        int
}

func newWorld(t *testing.T) *world {
	w := &world{program: testenv.Build(t, "../../cmd/patchbay"), watch: newWatch(t), requests: map[string][]string{}}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		w.requests[name] = append(w.requests[name], r.Method+" "+r.URL.String())
		rw.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(w.server.Close)
	return w
}

// A clone is a folder from elsewhere, on a machine of a user who has a server of his own.
type clone struct {
	*world
	t                      *testing.T
	name                   string
	dir, home, places, log string
	mode                   mode
	role                   role
	ready, called          *os.File // the user's server writes into them when it has listed its tools, and has a call
}

// A mode is where the user's own server is configured.
type mode string

const (
	named mode = "-m"  // in a file that is named
	own   mode = "own" // in the user's folder, whose configuration that of the clone hides
)

// newClone makes the folders. The settings come later, with bring.
func (w *world) newClone(t *testing.T, m mode) *clone {
	w.mu.Lock()
	w.n++
	name := fmt.Sprintf("clone%d", w.n)
	w.mu.Unlock()
	root := t.TempDir()
	c := &clone{world: w, t: t, name: name, dir: filepath.Join(root, "clone"), home: filepath.Join(root, "home"), places: filepath.Join(root, "places"), log: filepath.Join(root, "log"), mode: m}
	script, err := filepath.Abs("testdata/own.sh")
	if err != nil {
		t.Fatal(err)
	}
	c.write(c.dir, map[string]string{"README": ""}, nil)
	c.write(c.places, places, nil)
	programs := map[string]string{}
	for _, name := range []string{"docker", "podman", "bwrap", "npx", "uvx", "node", "python3", "xdg-open", "claude", "code", "cursor"} {
		programs[name] = "#!/bin/sh\necho start " + name + " >> {L}\n"
	}
	c.write(filepath.Join(root, "bin"), programs, nil)
	entry := fmt.Sprintf(`{"own": {"command": "sh", "args": [%q, %q]}}`, script, c.log)
	c.write(c.home, map[string]string{"own.json": `{"mcpServers": ` + entry + `}`, ".config/patchbay/patchbay.yaml": "servers: " + entry + "\n"}, nil)
	c.ready, c.called = c.pipe(".ready"), c.pipe(".called")
	return c
}

// pipe is a named pipe next to the log.
func (c *clone) pipe(suffix string) *os.File {
	c.t.Helper()
	if err := syscall.Mkfifo(c.log+suffix, 0o600); err != nil {
		c.t.Fatal(err)
	}
	f, err := os.OpenFile(c.log+suffix, os.O_RDWR, 0)
	if err == nil {
		err = f.SetReadDeadline(time.Now().Add(testenv.Limit(limit)))
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = f.Close() })
	return f
}

// hear waits until the user's server has written into a pipe.
func (c *clone) hear(pipe *os.File, what string) {
	c.t.Helper()
	if _, err := pipe.Read(make([]byte, 1)); err != nil {
		c.t.Errorf("the user's server has not %s: %v", what, err)
	}
}

func (c *clone) fill(text string) string {
	return strings.NewReplacer("{P}", c.places, "{L}", c.log, "{H}", c.server.URL+"/"+c.name, "{A}", c.server.Listener.Addr().String()).Replace(text)
}

// write writes files into a folder, and then links, which replace what is there.
func (c *clone) write(dir string, texts, links map[string]string) {
	c.t.Helper()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			c.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.fill(text)), 0o755); err != nil {
			c.t.Fatal(err)
		}
	}
	for name, to := range links {
		path := filepath.Join(dir, name)
		if err := os.RemoveAll(path); err != nil {
			c.t.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			c.t.Fatal(err)
		}
	}
}

// bring writes what the stranger has sent, and watches it from then on.
func (c *clone) bring(r role, values map[string]string) {
	c.t.Helper()
	c.role = r
	if !r.bare {
		c.write(c.dir, files, nil)
	}
	c.write(c.dir, r.files(values), r.links)
	c.watch.add(c.t, c.places)
	for _, name := range inside {
		if info, err := os.Lstat(filepath.Join(c.dir, name)); err == nil && info.IsDir() {
			c.watch.add(c.t, filepath.Join(c.dir, name))
		}
	}
}

// command is the program with arguments in the folder, without a terminal.
func (c *clone) command(args ...string) (*exec.Cmd, *output) {
	if c.mode == named {
		args = append(args, "-m", filepath.Join(c.home, "own.json"))
	}
	if i := slices.Index(args, "--"); i >= 0 && c.mode == named { // flags come before
		args = slices.Concat(args[:i], args[len(args)-2:], args[i:len(args)-2])
	}
	ctx, cancel := context.WithTimeout(c.t.Context(), testenv.Limit(limit))
	c.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, c.program, args...)
	cmd.Dir = c.dir
	cmd.Env = []string{
		"HOME=" + c.home, "PATH=" + filepath.Join(filepath.Dir(c.home), "bin") + ":/usr/bin:/bin", "CANARY_TOKEN=" + secret, "PATCHBAY_TRUST=none",
		"HTTP_PROXY=" + c.server.URL, "HTTPS_PROXY=" + c.server.URL, // so that nothing leaves the machine
		"TMPDIR=" + c.home,
	}
	o := newOutput()
	cmd.Stdout, cmd.Stderr = o, o
	return cmd, o
}

// An output is what a process prints, while it does.
type output struct {
	mu    sync.Mutex
	more  sync.Cond
	b     bytes.Buffer
	ended bool
}

func newOutput() *output {
	o := &output{}
	o.more.L = &o.mu
	return o
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.more.Broadcast()
	return o.b.Write(b)
}

// end says that the process has ended.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.more.Broadcast()
}

// find waits for a text, and returns "" if the process has ended without it.
func (o *output) find(text *regexp.Regexp) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		if found := text.Find(o.b.Bytes()); found != nil || o.ended {
			return string(found)
		}
		o.more.Wait()
	}
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// logged are the lines of the programs that were started.
func (c *clone) logged() []string {
	text, err := os.ReadFile(c.log)
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// judge fails for everything that nobody has asked for.
func (c *clone) judge(cmd command, out string) {
	c.t.Helper()
	for _, line := range c.logged() {
		if line != "" && !slices.Contains([]string{"start own", "list own"}, line) && !slices.Contains(cmd.asked, line) {
			c.t.Errorf("%s: a program says %q", cmd, line)
		}
	}
	for _, line := range cmd.asked {
		if strings.HasPrefix(line, "call ") && c.mode == named && !c.role.fault && !slices.Contains(c.logged(), line) {
			c.t.Errorf("%s: no program says %q, so it does nothing:\n%s", cmd, line, out)
		}
	}
	c.mu.Lock()
	requests := c.requests[c.name]
	c.mu.Unlock()
	for _, r := range requests {
		c.t.Errorf("%s: %s is requested", cmd, r)
	}
	for _, path := range append(c.watch.below(c.t, c.places), c.watch.below(c.t, c.dir)...) {
		rest, isInside := strings.CutPrefix(path, c.dir+"/")
		isFolder := isInside && !strings.Contains(rest, "/") // whether a folder has files is a reason to ask for trust
		asked := isInside && cmd.reads || cmd.links && strings.HasPrefix(path, filepath.Join(c.places, "linked"))
		if !isFolder && !asked {
			c.t.Errorf("%s: %s is touched", cmd, path)
		}
	}
	if strings.Contains(out, secret) || !cmd.shows && !c.role.fault && strings.Contains(out, "POISON") || c.t.Failed() {
		c.t.Errorf("%s prints:\n%s", cmd, out)
	}
}
