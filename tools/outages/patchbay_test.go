//go:build linux || darwin

package outages

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// A server is one behind Patchbay.
type server interface {
	name() string  // its key in the configuration
	title() string // for the table
	entry() string // its entry in the configuration
	call(caller, n int) (tool string, args map[string]any)
	// deeds are what can be done to it, by name. What lasts returns how it is undone.
	deeds() (names []string, deeds map[string]deed)
}

// patchbay is the program, serving over HTTP.
type patchbay struct {
	t    *testing.T
	cmd  *exec.Cmd
	url  string
	died chan error
}

var serving = regexp.MustCompile(`serving (http\S+)`)

// serve builds the program and serves with the servers behind it.
func serve(t *testing.T, servers []server) *patchbay {
	t.Helper()
	dir := t.TempDir()
	binary := testenv.Build(t, "../../cmd/patchbay")
	config := "runs: {file: runs.db}\ncache: cache\ngraphs: graphs\nserve: {addr: \"127.0.0.1:0\"}\nlimits: {maxCallTimeMs: 2000}\n"
	var names, entries []string
	for _, s := range servers {
		names, entries = append(names, s.name()), append(entries, fmt.Sprintf("  %s: %s\n", s.name(), s.entry()))
	}
	config += "trust: [" + strings.Join(names, ", ") + "]\nservers:\n" + strings.Join(entries, "")
	if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &patchbay{t: t, died: make(chan error, 1)}
	p.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), binary, "serve", "--config", "patchbay.yaml")
	p.cmd.Dir = dir
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		var last []string
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if m := serving.FindStringSubmatch(lines.Text()); m != nil {
				address <- m[1]
			}
			last = append(last[max(0, len(last)-19):], lines.Text())
		}
		err := p.cmd.Wait()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, strings.Join(last, "\n"))
		}
		p.died <- err
	}()
	select {
	case p.url = <-address:
	case err := <-p.died:
		t.Fatalf("the program ended: %v", err)
	}
	t.Cleanup(p.stop)
	return p
}

// connect opens a session.
func (p *patchbay) connect(t *testing.T) caller {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "outages", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: p.url, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// stop ends the program.
func (p *patchbay) stop() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(os.Interrupt)
	if err := <-p.died; err != nil {
		p.t.Errorf("the program ended: %v", err)
	}
	p.cmd = nil
}
