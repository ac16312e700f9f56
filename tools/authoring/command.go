package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A command is a coding agent's command line, which does a whole task: {model} and
// {config} in it are the model and a file with the MCP servers of the way.
type command struct{ line string }

// maxCommand is how long an agent may take for a task.
const maxCommand = 30 * time.Minute

// do runs the agent in the folder of the place, with the prompt on standard input, and
// returns what it prints. Of an object with a text "result", as coding agents print with
// an option, it takes that, and the tokens and turns that it tells.
func (c *command) do(ctx context.Context, a *arm, p *place, messages []message, r *row) (answer string, raw []byte, err error) {
	config, err := a.config(p)
	if err != nil {
		return "", nil, err
	}
	file := filepath.Join(p.dir, "mcp.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return "", nil, err
	}
	words := strings.Fields(c.line)
	for i := range words {
		words[i] = strings.NewReplacer("{model}", r.Model, "{config}", file).Replace(words[i])
	}
	ctx, cancel := context.WithTimeout(ctx, maxCommand)
	defer cancel()
	agent := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the operator names the command
	agent.Dir = p.dir
	agent.Env = os.Environ()
	if a.env != nil {
		agent.Env = append(agent.Env, a.env(p)...)
	}
	var in, out, errs bytes.Buffer
	for _, m := range messages {
		fmt.Fprintf(&in, "%s\n\n", m.Content)
	}
	agent.Stdin, agent.Stdout, agent.Stderr = &in, &out, &errs
	if err := agent.Run(); err != nil {
		return "", out.Bytes(), fmt.Errorf("%s: %w: %.300s", words[0], err, errs.String())
	}
	var told struct {
		Result *string `json:"result"`
		Turns  int     `json:"num_turns"`
		Usage  struct {
			Input   int `json:"input_tokens"`
			Output  int `json:"output_tokens"`
			Cached  int `json:"cache_read_input_tokens"`
			Written int `json:"cache_creation_input_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(out.Bytes(), &told) != nil || told.Result == nil {
		return out.String(), out.Bytes(), nil
	}
	u := told.Usage
	r.Turns, r.Tokens = told.Turns, u.Input+u.Output+u.Cached+u.Written
	return *told.Result, out.Bytes(), nil
}

// serversFile is the file with the servers at addresses that an MCP client reads.
func serversFile(addresses map[string]string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	servers := map[string]any{}
	for name, addr := range addresses {
		servers[name] = map[string]any{"command": self, "args": []string{}, "env": map[string]string{addrEnv: addr}}
	}
	return json.Marshal(map[string]any{"mcpServers": servers})
}
