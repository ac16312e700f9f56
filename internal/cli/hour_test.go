package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

const hourFile = "../../testdata/hour.golden"

const (
	readLoud = `name: read_loud
description: Reads a file and returns its text in capitals
inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
outputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: files, tool: read_text_fil, args: {path: {expr: $.entry.path}}, next: loud}
  - {id: loud, type: transform, transform: {expr: '{"text": $uppercase($.read.content)}'}, next: exit}
  - {id: exit, type: exit}
`
	forgetMilk = `nodes:
  - {id: entry, type: entry, next: forget}
  - {id: forget, type: mcp, server: memory, tool: delete_entities, args: {entityNames: [milk]}, next: look}
  - {id: look, type: mcp, server: memory, tool: read_graph, args: {}, next: exit}
  - {id: exit, type: exit}
`
	tenMinutes = `executionLimits: {maxExecutionTimeMs: 900000}
nodes:
  - {id: entry, type: entry, next: rest}
  - {id: rest, type: wait, ms: 600000, next: exit}
  - {id: exit, type: exit, result: {expr: '{"rested": $.rest.waitedMs}'}}
`
)

// An hourCall is a call of the first hour, and what its reply must say.
type hourCall struct {
	step
	says string
}

// TestFirstHour: in a fresh folder an agent calls tools of servers that are still starting,
// makes a tool, has a person permit a destructive call, follows a run of ten minutes, and
// calls its tool as soon as the program has started again. The client can call each tool
// that a reply names. hourFile has the bytes of each reply.
func TestFirstHour(t *testing.T) {
	if !haveNpm() {
		t.Log("the hour needs official servers: node is missing, or make npm was not run")
		return
	}
	h := newHour(t)
	h.begin(t, "Two servers of npm are cold", serveIn(t, "", h.dir))
	h.call(t, hourCall{step{tool: "run_node", args: `{"id":"mcp:files/read_text_file","arguments":{"path":"notes.txt"}}`}, "buy milk"})
	h.call(t, hourCall{step{tool: "run_node", args: `{"id":"mcp:memory/create_entities","arguments":{"entities":[{"name":"milk","entityType":"errand","observations":["buy it"]}]}}`}, `"status":"succeeded"`})

	fmt.Fprint(&h.said, "\nA wish becomes a tool\n")
	h.awaitServers(t)
	for _, c := range []hourCall{
		{step{tool: "search_nodes", args: `{"query":"read the text of a file","max_results":2}`}, "files/read_text_file"},
		{step{tool: "get_node_details", args: `{"nodes":["mcp:files/read_text_file"]}`}, "skeleton"},
		{step{tool: "validate_graph", args: `{}`, graph: readLoud}, "unknown-tool"},
		{step{tool: "edit_graph", args: `{"graph":"$draft","ops":[{"op":"update_node","id":"read","set":{"/tool":"read_text_file"}}]}`}, `"valid":true`},
		{step{tool: "run_graph", args: `{"graph":"$draft","arguments":{"path":"notes.txt"}}`}, "BUY MILK"},
		{step{tool: "save_graph", args: `{"graph":"$draft"}`}, "read_loud"},
		{step{tool: "read_loud", args: `{"path":"notes.txt"}`}, "BUY MILK"},
	} {
		h.call(t, c)
	}

	fmt.Fprint(&h.said, "\nA client that cannot ask gets the line that a person types\n")
	reply := h.call(t, hourCall{step{tool: "run_graph", args: `{}`, graph: forgetMilk}, "a person types: patchbay runs answer"})
	if !strings.Contains(reply, `"needs-answer"`) {
		t.Errorf("the destructive call is not asked about: %s", reply)
	}
	h.types(t, "runs", "answer", h.run, "accept")
	h.call(t, hourCall{step{tool: "get_run", args: `{"run_id":"$run"}`}, `"result":{"entities":[],"relations":[]}`})
	h.end(t)

	t.Run("ten minutes", h.tenMinutes)

	h.begin(t, "The program starts again, and the saved tool is called at once", serveIn(t, "", h.dir))
	h.call(t, hourCall{step{tool: "read_loud", args: `{"path":"notes.txt"}`}, `{"text":"BUY MILK\n"}`})
	h.end(t)
	golden.Check(t, hourFile, h.said.String())
}

// A firstHour is what an agent does and reads, one session after the other.
type firstHour struct {
	*spoken
	dir  string
	said strings.Builder
}

func newHour(t *testing.T) *firstHour {
	h := &firstHour{dir: t.TempDir()}
	t.Setenv(config.TrustVariable, "none") // a fresh folder
	t.Setenv("HOME", filepath.Join(h.dir, ".home"))
	server := func(name string, args ...string) map[string]any {
		return map[string]any{"command": "node", "args": append([]string{filepath.Join(npmServers, name, "dist", "index.js")}, args...)}
	}
	memory := server("server-memory")
	memory["env"] = map[string]string{"MEMORY_FILE_PATH": filepath.Join(h.dir, "memory.jsonl")}
	servers, err := json.Marshal(map[string]any{"servers": map[string]any{"files": server("server-filesystem", "."), "memory": memory}})
	if err == nil {
		err = os.WriteFile(filepath.Join(h.dir, "patchbay.yaml"), servers, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(h.dir, "notes.txt"), []byte("buy milk\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.types(t, "trust")
	fmt.Fprint(&h.said, "The bytes that an agent reads in its first hour. go test ./internal/cli -run TestFirstHour -update writes this.\n")
	return h
}

// types has a person type a command in the folder.
func (h *firstHour) types(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "patchbay", args...)
	cmd.Dir = h.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("patchbay %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// begin begins a session with a server.
func (h *firstHour) begin(t *testing.T, title string, s *served) {
	t.Helper()
	h.spoken = &spoken{served: s, dir: h.dir}
	var greeting struct {
		Instructions string `json:"instructions"`
	}
	h.request(t, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}`, &greeting)
	list := h.request(t, "tools/list", `{}`, nil)
	fmt.Fprintf(&h.said, "\n%s\n%6d instructions\n%6d tools/list\n", title, len(greeting.Instructions), len(list))
	h.canCall(t, "the instructions", greeting.Instructions)
}

func (h *firstHour) end(t *testing.T) {
	t.Helper()
	if err := h.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.Wait(); err != nil {
		t.Errorf("the session ended with %v", err)
	}
}

// moments are what replies say of time, in addition to what a step leaves out.
var moments = regexp.MustCompile(`,"start_ms":[0-9.e-]+|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// call makes a call, checks its reply, and returns it.
func (h *firstHour) call(t *testing.T, c hourCall) string {
	t.Helper()
	text := moments.ReplaceAllString(h.step(t, c.step), "")
	args := c.args
	if c.graph != "" {
		args = `{"graph":"…"}`
	}
	fmt.Fprintf(&h.said, "%6d %s %s\n", len(text), c.tool, args)
	if !strings.Contains(text, c.says) {
		t.Errorf("%s %s: the reply lacks %q: %s", c.tool, c.args, c.says, text)
	}
	h.canCall(t, "the reply of "+c.tool, text)
	return text
}

// canCall checks that the tools that a text names are listed.
func (h *firstHour) canCall(t *testing.T, where, text string) {
	t.Helper()
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	h.request(t, "tools/list", `{}`, &list)
	listed := map[string]bool{}
	for _, tool := range list.Tools {
		listed[tool.Name] = true
	}
	names := []string{"read_loud"}
	for _, o := range app.Operations() {
		names = append(names, o.Tool)
	}
	for _, name := range names {
		if name != "" && !listed[name] && regexp.MustCompile(`\b`+name+`\b`).MatchString(text) {
			t.Errorf("%s names %s, which is not listed: %s", where, name, text)
		}
	}
}

// tenMinutes follows a run of ten minutes. The server is this process, whose clock is the
// test's; it starts no server of npm, because the clock stands while processes run.
func (h *firstHour) tenMinutes(t *testing.T) {
	t.Chdir(h.dir)
	today := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(today)) // the clock of the files
		s, ended := h.inProcess(t)
		h.begin(t, "A run takes ten minutes", s)
		began := time.Now()
		h.call(t, hourCall{step{tool: "run_graph", args: `{}`, graph: tenMinutes}, `"status":"running"`})
		if took := time.Since(began); took > time.Minute {
			t.Errorf("the reply to a long run takes %s", took)
		}
		h.call(t, hourCall{step{tool: "get_run", args: `{"run_id":"$run"}`}, `"status":"running"`})
		time.Sleep(10 * time.Minute)
		h.call(t, hourCall{step{tool: "get_run", args: `{"run_id":"$run"}`}, `"result":{"rested":600000}`})
		if err := h.in.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// inProcess serves the folder in this process, offline.
func (h *firstHour) inProcess(t *testing.T) (s *served, ended <-chan error) {
	f := &command.Flags{OptionalWait: command.MaxOptionalWait, LongRunning: true, StartsLater: true, Never: true}
	p, err := f.Open(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(io.Discard)
	over := make(chan error, 1)
	go func() {
		over <- serveStdio(cmd, p, mcpserver.New(p, mcpserver.Options{Expose: exposed(f, p.Config().Expose, -1), Logger: f.Logger(io.Discard), Loaded: p.Loaded()}))
		_ = out.Close()
	}()
	return &served{in: toServer, out: bufio.NewReader(fromServer)}, over
}
