package protocol

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// plainServer is Patchbay by itself, with graphs as the tools that scenarios of tasks call.
func plainServer(t *testing.T, s *subject) {
	graphs, err := filepath.Abs("testdata/tasks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s.args = []string{"--url", serve(t, "{}\n", "-g", graphs)}
}

// gatewayServer is Patchbay in front of the SDK's fixture server.
func gatewayServer(t *testing.T, s *subject) {
	settings := fmt.Sprintf("servers:\n  fixture: {url: %q}\nexpose: {downstream: true, prefix: \"\"}\n", serveFixture(t, s.revision))
	s.args = []string{"--url", serve(t, settings)}
}

// controlServer is the fixture server without Patchbay.
func controlServer(t *testing.T, s *subject) {
	s.name, s.args = "", []string{"--url", serveFixture(t, s.revision)}
}

// client is Patchbay's, which this test binary is: see [TestMain].
func client(t *testing.T, s *subject) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.role, s.args = "client", []string{"--command", self}
}

// serve starts patchbay serve --http with a configuration and more arguments, and returns
// its address.
func serve(t *testing.T, settings string, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"serve", "--http", "127.0.0.1:0"}, more...)...) //nolint:gosec,noctx // this binary; stopped below
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asCommand+"=1", config.TrustVariable+"=all", "XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	var address string
	var rest sync.WaitGroup
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		rest.Wait()
		if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() != 130 {
			t.Errorf("patchbay serve: %v", err)
		}
	})
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), "serving ")
		address, _, _ = strings.Cut(address, " ")
	}
	if address == "" {
		t.Fatal("patchbay serve does not say its address")
	}
	rest.Go(func() { _, _ = io.Copy(testLog{t}, said) })
	return address
}

// testLog shows what a server says with what the test says.
type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Logf("serve: %s", p)
	return len(p), nil
}

// fixture builds the SDK's fixture server, once.
func fixture(t *testing.T) string {
	t.Helper()
	return testenv.Build(t, "github.com/modelcontextprotocol/go-sdk/conformance/everything-server")
}

// serveFixture starts the fixture server over HTTP as the SDK serves a revision, and
// returns its address.
func serveFixture(t *testing.T, revision string) string {
	t.Helper()
	cmd := exec.Command(fixture(t), "-http", "127.0.0.1:0", fmt.Sprintf("-stateless=%t", revision >= "2026-07-28")) //nolint:gosec,noctx // stopped below
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	for {
		if port := listening(cmd.Process.Pid); port != 0 {
			return "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + "/mcp"
		}
		select {
		case <-ended:
			t.Fatal("the fixture server has ended")
		case <-time.After(10 * time.Millisecond): // it does not say its port: look again
		}
	}
}
