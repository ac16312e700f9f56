package downstream

import (
	"context"
	"crypto/rand"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A Confinement is what a server's process may see and use. The zero Confinement is none.
type Confinement struct {
	Image   string // the container image that it runs in
	Sandbox string // "bwrap", or ""
	Network bool   // it may use the network
	Memory  string // of the container, such as 512m
	// Reads and Writes are folders and files that it sees, as "FROM\x00TO".
	Reads, Writes []string
}

// Confined reports whether the server has fewer rights than this process.
func (c *Confinement) Confined() bool { return c.Image != "" || c.Sandbox != "" }

// A launch is the command line that starts a server.
type launch struct {
	name      string
	args      []string
	engine    string // docker or podman, of a container
	container string // its name
}

var (
	errNoEngine = diag.Faultf(diag.CodeServerFailed, "it runs in a container, and neither docker nor podman is installed").
			WithHint("install docker or podman, or remove image from its entry: the server then runs with your rights")
	errNoSandbox = diag.Faultf(diag.CodeServerFailed, "it runs in a sandbox, and bwrap is not installed").
			WithHint("install bubblewrap, the package with bwrap, or remove sandbox from its entry: the server then runs with your rights")
)

// newLaunch is how a server is started: by its command, in a sandbox or in a container.
func newLaunch(s *Server) (*launch, error) {
	switch {
	case s.Confine.Image != "":
		return s.inContainer()
	case s.Confine.Sandbox != "":
		return s.inSandbox()
	}
	return &launch{name: s.Command, args: s.Args}, nil
}

// maxProcesses is how many processes a container may have.
const maxProcesses = "512"

// inContainer runs an image without capabilities, and without a network unless the entry
// says otherwise. Values of variables are not on the command line, which every user of the
// machine can read: the engine takes them from its own environment.
func (s *Server) inContainer() (*launch, error) {
	l := &launch{container: "patchbay-" + strings.ToLower(rand.Text()[:16])}
	for _, engine := range []string{"docker", "podman"} {
		if path, err := exec.LookPath(engine); err == nil {
			l.name, l.engine = path, path
			break
		}
	}
	if l.engine == "" {
		return nil, errNoEngine
	}
	l.args = []string{
		"run", "-i", "--rm", "--init", "--name", l.container, "--cap-drop", "all", "--security-opt", "no-new-privileges",
		"--pids-limit", maxProcesses, "--memory", s.Confine.Memory,
	}
	if !s.Confine.Network {
		l.args = append(l.args, "--network", "none")
	}
	for _, m := range s.Confine.Reads {
		l.args = append(l.args, "--mount", bind(m)+",readonly")
	}
	for _, m := range s.Confine.Writes {
		l.args = append(l.args, "--mount", bind(m))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		l.args = append(l.args, "--env", name)
	}
	l.args = append(l.args, s.Confine.Image)
	if s.Command != "" {
		l.args = append(l.args, s.Command)
	}
	l.args = append(l.args, s.Args...)
	return l, nil
}

func bind(mount string) string {
	from, to, _ := strings.Cut(mount, "\x00")
	return "type=bind,source=" + from + ",target=" + to
}

// inSandbox runs the command with bwrap: it sees the system read-only, without the home
// directory, /tmp and /run, with its working directory and the mounts of its entry.
func (s *Server) inSandbox() (*launch, error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errNoSandbox
	}
	args := []string{"--die-with-parent", "--new-session", "--unshare-all"}
	if s.Confine.Network {
		args = append(args, "--share-net")
	}
	args = append(args, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run")
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		args = append(args, "--tmpfs", home)
	}
	if s.Confine.Network { // where the system keeps its list of name servers
		args = append(args, "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve")
	}
	if s.Cwd != "" {
		args = append(args, "--ro-bind", s.Cwd, s.Cwd)
	}
	for _, m := range s.Confine.Reads {
		from, to, _ := strings.Cut(m, "\x00")
		args = append(args, "--ro-bind", from, to)
	}
	for _, m := range s.Confine.Writes {
		from, to, _ := strings.Cut(m, "\x00")
		args = append(args, "--bind", from, to)
	}
	if s.Cwd != "" {
		args = append(args, "--chdir", s.Cwd)
	}
	args = append(append(args, "--", s.Command), s.Args...)
	return &launch{name: path, args: args}, nil
}

// removal bounds the removal of a container.
const removal = 10 * time.Second

// remove removes a container that may have outlived the program that started it.
func (l *launch) remove() {
	if l.container == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), removal)
	defer cancel()
	_ = exec.CommandContext(ctx, l.engine, "rm", "--force", l.container).Run() // it is gone already if all went well
}
