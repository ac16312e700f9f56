package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is a running binary, with a session.
type server struct {
	command *exec.Cmd
	session *mcp.ClientSession
}

// start starts a binary in a folder of its own, over this program as its downstream
// server, and returns when it knows that server's tools.
func start(ctx context.Context, binary, self, dir string) (*server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	config := fmt.Sprintf("trust: [fake]\nservers:\n  fake: {command: %q, args: [fake]}\n", self)
	if err := os.WriteFile(filepath.Join(dir, "patchbay.yaml"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	binary, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	s := &server{command: exec.CommandContext(ctx, binary, "serve")}
	s.command.Dir, s.command.Env = dir, os.Environ()
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"} {
		s.command.Env = append(s.command.Env, name+"="+filepath.Join(dir, name))
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "servercompare", Version: "1"}, nil)
	if s.session, err = client.Connect(ctx, &mcp.CommandTransport{Command: s.command}, nil); err != nil {
		return nil, err
	}
	_, err = s.call(ctx, "run_node", map[string]any{"id": "mcp:fake/echo", "arguments": map[string]any{"n": 1}})
	return s, err
}

func (s *server) close() {
	if s != nil && s.session != nil {
		_ = s.session.Close()
	}
}

// round makes the calls of a workload, and returns the processor time that the server
// took for one, in microseconds.
func (s *server) round(ctx context.Context, w workload) (float64, error) {
	before, err := s.processorTime()
	if err != nil {
		return 0, err
	}
	for range w.times {
		if _, err := s.call(ctx, w.tool, w.arguments); err != nil {
			return 0, err
		}
	}
	after, err := s.processorTime()
	return float64((after - before).Microseconds()) / float64(w.times), err
}

func (s *server) call(ctx context.Context, tool string, arguments map[string]any) (*mcp.CallToolResult, error) {
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err == nil && result.IsError {
		text, _ := json.Marshal(result.Content)
		err = fmt.Errorf("%s failed: %s", tool, text)
	}
	return result, err
}

// processorTime is what all threads of the server have taken so far.
func (s *server) processorTime() (time.Duration, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.command.Process.Pid))
	if err != nil || len(files) == 0 {
		return 0, errors.New("the processor time of the server is not known: there is no schedstat in /proc")
	}
	total := time.Duration(0)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		running, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(running, 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(n)
	}
	return total, nil
}
