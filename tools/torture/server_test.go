package torture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// A server is a process under attack.
type server struct {
	t    *testing.T
	cmd  *exec.Cmd
	url  string
	died chan error
	log  *tail
}

// start builds the program, and serves over HTTP with the hostile server behind it.
func start(t *testing.T, memoryMB int) *server {
	t.Helper()
	dir := t.TempDir()
	binary := testenv.Build(t, "../../cmd/patchbay")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("limits: {memoryMB: %d}\nruns: {file: runs.db}\ncache: cache\ngraphs: graphs\nserve: {addr: \"127.0.0.1:0\"}\nservers:\n  hostile: {command: %q, env: {%s: \"1\"}}\n", memoryMB, self, hostileEnv)
	if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, died: make(chan error, 1), log: &tail{}}
	s.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), binary, "serve", "--config", "patchbay.yaml")
	s.cmd.Dir = dir
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		lines := bufio.NewReader(stderr)
		for {
			line, err := lines.ReadString('\n')
			if m := serving.FindStringSubmatch(line); m != nil {
				address <- m[1]
			}
			s.log.add(line)
			if err != nil {
				s.died <- s.cmd.Wait()
				return
			}
		}
	}()
	select {
	case s.url = <-address:
	case err := <-s.died:
		t.Fatalf("the server ended: %v\n%s", err, s.log)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Signal(os.Interrupt)
		if err := <-s.died; err != nil {
			t.Log(err)
		}
	})
	return s
}

var serving = regexp.MustCompile(`serving (http\S+)`)

// peak is the largest resident size that the process has had, in bytes; 0 where the
// system does not tell.
func (s *server) peak() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			kB, _ := strconv.ParseInt(f[1], 10, 64)
			return kB << 10
		}
	}
	return 0
}

// tail keeps the last of what a process logs.
type tail struct{ lines []string }

func (l *tail) add(line string) { l.lines = append(l.lines[max(0, len(l.lines)-19):], line) }

func (l *tail) String() string { return strings.Join(l.lines, "") }

// A client is one session over HTTP.
type client struct {
	url     string
	session string
	http    *http.Client
	id      int
}

func (s *server) connect(ctx context.Context) (*client, error) {
	c := &client{url: s.url, http: &http.Client{Transport: &http.Transport{}}}
	r, err := c.post(ctx, []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"torture","version":"1"}}}`))
	if err != nil {
		return nil, err
	}
	if k := r.kind(); k != "ok" {
		return nil, fmt.Errorf("initialize: %s: %s", k, r.text)
	}
	_, err = c.post(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return c, err
}

// call calls a tool, and returns the reply and its time.
func (c *client) call(ctx context.Context, tool string, args map[string]any) (reply, time.Duration, error) {
	c.id++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		return reply{}, 0, err
	}
	began := time.Now()
	r, err := c.post(ctx, body)
	return r, time.Since(began), err
}

// post sends a message, and reads the message that answers it.
func (c *client) post(ctx context.Context, body []byte) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return reply{}, err
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		text = lastEvent(text)
	}
	return reply{status: res.StatusCode, text: text}, nil
}

// lastEvent is the data of the last event of a stream, which is the response.
func lastEvent(stream []byte) []byte {
	var data []byte
	for line := range bytes.Lines(stream) {
		if d, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(bytes.TrimSpace(d)) > 0 {
			data = bytes.TrimSpace(d)
		}
	}
	return data
}
