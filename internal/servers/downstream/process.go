package downstream

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/internal/sys/child"
)

// How long a child is given at each step of stopping it; all of them together
// stay under the two seconds within which it must be gone.
const (
	eofGrace  = 700 * time.Millisecond // after its input has ended
	termGrace = 500 * time.Millisecond // after SIGTERM
	killGrace = 300 * time.Millisecond // after SIGKILL, and for the last of its output
)

// inherited are the variables of our own environment that a child sees; the
// rest may be secrets. LC_* are inherited too.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "SHELL", "TERM",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS",
	// Windows
	"SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "USERNAME",
	"ProgramData", "ProgramFiles", "ProgramFiles(x86)", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// A process is a server's child, in a process group of its own with all that it
// starts.
type process struct {
	cmd    *exec.Cmd
	in     *os.File // its standard input, our end
	out    *os.File // its standard output, our end
	stderr *stderrTail
	exited chan struct{} // the child is gone
	gone   chan struct{} // and so are those it started
	launch *launch
	state  string // "exit status 1"; set before exited is closed
}

// Inherits reports whether a server that is started sees an environment variable of ours
// without its entry saying so.
func Inherits(name string) bool {
	return strings.HasPrefix(name, "LC_") || slices.ContainsFunc(inherited, func(known string) bool {
		return known == name || runtime.GOOS == "windows" && strings.EqualFold(known, name)
	})
}

func environment(entry map[string]string) []string {
	env := map[string]string{}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if Inherits(name) {
			env[name] = value
		}
	}
	maps.Copy(env, entry)
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// startProcess runs a server's command by way of starter. Its environment names the
// Patchbays above it.
func startProcess(s *Server, above Ancestors, starter *child.Starter, log *transport.LogFile) (*process, error) {
	if s.Cwd != "" {
		if info, err := os.Stat(s.Cwd); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("its working directory %q is not a directory", s.Cwd)
		}
	}
	if len(above) > 0 {
		marked := *s
		marked.Env = maps.Clone(s.Env)
		if marked.Env == nil {
			marked.Env = map[string]string{}
		}
		marked.Env[AncestorsVariable] = strings.Join(above, ",")
		s = &marked
	}
	how, err := newLaunch(s)
	if err != nil {
		return nil, err
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	log.Start(time.Now())
	p := &process{in: in, out: out, launch: how, stderr: &stderrTail{}, exited: make(chan struct{}), gone: make(chan struct{})}
	p.cmd = exec.Command(how.name, how.args...) //nolint:noctx // the group is stopped by stop, which tells it first
	p.cmd.Dir = s.Cwd
	p.cmd.Env = environment(s.Env)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = childIn, childOut, io.MultiWriter(p.stderr, log)
	p.cmd.WaitDelay = killGrace // for a grandchild that keeps stderr open
	err = starter.Start(p.cmd)
	_ = childIn.Close()
	_ = childOut.Close()
	if err != nil {
		_ = in.Close()
		_ = out.Close()
		return nil, err
	}
	go p.wait()
	return p, nil
}

// wait reaps the child, then ends what it left behind.
func (p *process) wait() {
	defer close(p.gone)
	err := child.Wait(p.cmd)
	switch {
	case p.cmd.ProcessState != nil:
		p.state = p.cmd.ProcessState.String()
	case err != nil:
		p.state = err.Error()
	}
	close(p.exited)
	if child.GroupAlive(p.cmd.Process.Pid) {
		child.SignalGroup(p.cmd.Process.Pid, false)
		for until := time.Now().Add(termGrace); child.GroupAlive(p.cmd.Process.Pid) && time.Now().Before(until); {
			time.Sleep(10 * time.Millisecond)
		}
		child.SignalGroup(p.cmd.Process.Pid, true)
	}
	go p.launch.remove()
	// One that left the group may still hold our pipe.
	time.AfterFunc(killGrace, func() { _ = p.out.Close() })
}

// stop ends the child and its group: notified by the end of its input, then by
// SIGTERM, then killed. It returns when they are gone, within two seconds.
func (p *process) stop() {
	_ = p.in.Close()
	for _, step := range []struct {
		grace time.Duration
		next  func()
	}{
		{eofGrace, func() { child.SignalGroup(p.cmd.Process.Pid, false) }},
		{termGrace, func() { child.SignalGroup(p.cmd.Process.Pid, true) }},
		{killGrace, func() {}},
	} {
		select {
		case <-p.exited:
			<-p.gone
			_ = p.out.Close()
			return
		case <-time.After(step.grace):
			step.next()
		}
	}
	_ = p.out.Close()
}

// ended waits for the child to be gone and says how it ended, or "".
func (p *process) ended(wait time.Duration) string {
	select {
	case <-p.exited:
		return p.state
	default:
	}
	select {
	case <-p.exited:
		return p.state
	case <-time.After(wait):
		return ""
	}
}

// stderrLines are the last of what the child wrote to stderr. Without a child there are
// none.
func (p *process) stderrLines(redact func(string) string) []string {
	if p == nil {
		return nil
	}
	return p.stderr.last(redact)
}

// stderrTail keeps the end of what a server writes to stderr.
type stderrTail struct {
	mu      sync.Mutex
	text    []byte
	trimmed bool
}

const stderrTailBytes = 8 << 10

func (t *stderrTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p) > stderrTailBytes {
		t.trimmed = true
	}
	t.text = append(t.text, p[max(0, len(p)-stderrTailBytes):]...)
	if over := len(t.text) - stderrTailBytes; over > 0 {
		t.trimmed = true
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// last returns up to ten last lines, redacted, of 200 bytes each at most.
func (t *stderrTail) last(redact func(string) string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.ToValidUTF8(string(t.text), "\uFFFD")
	if t.trimmed {
		// The first line may begin within a secret, which then is not known as one.
		_, text, _ = strings.Cut(text, "\n")
	}
	var lines []string
	for line := range strings.Lines(redact(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, diag.Cut(line, 200))
		}
	}
	return lines[max(0, len(lines)-10):]
}
