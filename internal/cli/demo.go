package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

func demoCommand(f *flags) *cobra.Command {
	var whole bool
	var server string
	c := &cobra.Command{
		Use: "demo", Short: "Show what Patchbay promises, with real processes", Example: "  patchbay demo --full",
		Long: "Show what Patchbay promises, with real processes: an agent's mistake is found before anything is called, a tool that is killed half-way does nothing twice, a tool that a server changed is not called, and what the tool saves. The exit code is 1 if a promise does not hold. It needs no network, and leaves nothing behind.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if server != "" {
				return (&demoTracker{server}).server().Run(cmd.Context(), &mcp.StdioTransport{})
			}
			if f.format != asTable || f.field != "" || f.query != "" || f.file != "" {
				return &diag.Fault{Code: "usage", Message: "demo shows a session to people: it has no result for programs", Hint: "patchbay serve is the server for a client of your own"}
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			return (&demo{out: f.page(cmd.OutOrStdout()), whole: whole, program: self, tracker: []string{self, "demo", "--server"}}).run(cmd.Context())
		},
	}
	c.Flags().BoolVar(&whole, "full", false, "show the messages too")
	c.Flags().StringVar(&server, "server", "", "be the server of the demo, with its log in this `FOLDER`")
	_ = c.Flags().MarkHidden("server")
	return c
}

const demoTool = "tasks_of_issues"

// demoGraph has a mistake, as agents make them: a tool's name with a letter missing.
const demoGraph = `name: ` + demoTool + `
description: Creates a task on the board for every open issue
inputSchema: {type: object, properties: {}}
outputSchema: {type: object, properties: {created: {type: number}}, required: [created]}
nodes:
  - {id: entry, type: entry, next: page}
  - {id: page, type: mcp, server: tracker, tool: list_issues, args: {page: {expr: '$executionCount("page") + 1'}}, next: more}
  - {id: more, type: switch, conditions: [{rule: {">": [{var: $count($.page.issues)}, 0]}, next: page}], next: create}
  - id: create
    type: mcp
    server: tracker
    tool: create_tsk
    args: {title: {expr: $item.title}}
    foreach: {items: {expr: '[$nodeExecutions("page").issues[state = "open"]]'}}
    next: exit
  - {id: exit, type: exit, result: {expr: '{"created": $count($.create)}'}}
`

// demo is what an agent does with Patchbay, and what happens to both: processes of this
// program, in a folder of their own.
type demo struct {
	out     *page
	whole   bool
	program string   // that is Patchbay
	tracker []string // the command of the server, without its folder

	dir                           string
	author, saved, direct, script bill
	broken                        bool // a promise did not hold
}

func (d *demo) run(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if d.dir, err = os.MkdirTemp("", "patchbay-demo-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(d.dir) }()
	for _, name := range []string{"tracker", "direct"} {
		if err := os.Mkdir(filepath.Join(d.dir, name), 0o700); err != nil {
			return err
		}
	}
	server := d.server("tracker")
	settings := asDemoJSON(map[string]any{
		"graphs": "graphs", "cache": "cache", "runs": map[string]string{"file": "runs.db"}, "workspace": map[string]bool{"enabled": false},
		"mcpServers": map[string]any{"tracker": map[string]any{"command": server[0], "args": server[1:]}},
	})
	if err := d.write("patchbay.yaml", settings); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "An agent makes one tool of two: a task on a board for every open issue.\n")
	// The first step also lets Patchbay know the tools, so that it knows them as soon as it starts.
	for _, step := range []func(context.Context) error{d.otherWays, d.makeTool, d.killHalfway, d.changeServer} {
		if err := step(ctx); ctx.Err() != nil {
			return err
		} else if err != nil {
			d.promise(false, "%v", err)
			return errFailed
		}
	}
	d.showBills()
	if d.broken {
		return errFailed
	}
	fmt.Fprintf(d.out, "Next: patchbay init, then connect your client. --full shows the messages.\n")
	return nil
}

// makeTool has the agent write the graph, have it corrected and save it.
func (d *demo) makeTool(ctx context.Context) error {
	s, _, err := d.connect(ctx, d.program, "serve")
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	d.author.bytes += len(s.InitializeResult().Instructions)
	if err := d.author.define(ctx, s); err != nil {
		return err
	}
	nodes := []map[string]any{{"id": "mcp:tracker/list_issues"}, {"id": "mcp:tracker/create_task"}}
	if err := d.call(ctx, s, &d.author, "search_nodes", map[string]any{"query": "create a task for every open issue", "max_results": 5}, nil); err != nil {
		return err
	}
	if err := d.call(ctx, s, &d.author, "get_node_details", map[string]any{"nodes": nodes}, nil); err != nil {
		return err
	}
	var checked, fixed struct {
		Valid  bool      `json:"valid"`
		Draft  string    `json:"draft"`
		Errors diag.List `json:"errors"`
	}
	if err := d.call(ctx, s, &d.author, "validate_graph", map[string]any{"graph": demoGraph}, &checked); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "1. It writes a graph, which Patchbay checks:\n")
	d.out.diagnostics(diag.Format("task.yaml", demoGraph, checked.Errors))
	if err := d.call(ctx, s, &d.author, "validate_graph", map[string]any{"graph": checked.Draft, "apply_fixes": true}, &fixed); err != nil {
		return err
	}
	if err := d.call(ctx, s, &d.author, "save_graph", map[string]any{"graph": fixed.Draft}, nil); err != nil {
		return err
	}
	calls, err := readDemoLog(filepath.Join(d.dir, "tracker"))
	d.promise(!checked.Valid && fixed.Valid && len(calls) == 0, "The fix makes it valid. It is saved as a tool. Nothing was called so far.")
	return err
}

// killHalfway calls the tool, kills Patchbay and has another resume the run.
func (d *demo) killHalfway(ctx context.Context) error {
	s, process, err := d.connect(ctx, d.program, "serve")
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	if err := d.saved.define(ctx, s, demoTool); err != nil {
		return err
	}
	if err := d.write("tracker/hold", ""); err != nil {
		return err
	}
	left := make(chan error, 1)
	go func() { left <- d.call(ctx, s, &bill{}, demoTool, map[string]any{}, nil) }()
	if err := d.await(ctx, demoKill, left); err != nil {
		return err
	}
	if err := process.Process.Kill(); err != nil {
		return err
	}
	<-left
	_ = s.Close()
	if err := os.Remove(filepath.Join(d.dir, "tracker", "hold")); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "2. It calls the tool, which creates %d tasks. kill -9 ends Patchbay in call %d:\n$ patchbay runs resume latest\n", demoTasks, demoKill)
	asked, err := d.patchbay(ctx, "runs", "resume", "latest")
	if question := line(asked, "outcome unknown"); question != "" {
		fmt.Fprintln(d.out, d.out.paint(doubt, question))
	}
	before, _, logErr := d.tasks()
	if logErr != nil {
		return logErr
	}
	d.promise(err != nil && strings.Contains(asked, "[outcome-unknown]") && before == demoKill, "Another Patchbay asks before it repeats a call in doubt.")
	fmt.Fprintf(d.out, "$ patchbay runs resume latest --pin '{\"id\": \"t-%d\"}'     %s\n", demoKill, d.out.paint(faint, "# it is on the board"))
	resumed, err := d.patchbay(ctx, "runs", "resume", "latest", "--pin", fmt.Sprintf(`{"id":"t-%d"}`, demoKill), "--json", "--field", "result")
	if err != nil {
		return fmt.Errorf("the run is not resumed: %s", resumed)
	}
	d.saved.add(demoTool, map[string]any{}, strings.TrimSpace(resumed))
	made, twice, err := d.tasks()
	d.promise(made-twice == demoTasks && twice == 0, "The server's own log: %d tasks, %d of them twice.", made-twice, twice)
	return err
}

// changeServer changes a tool of the server and calls the saved tool.
func (d *demo) changeServer(ctx context.Context) error {
	if err := d.write("tracker/changed", ""); err != nil {
		return err
	}
	before, _, err := d.tasks()
	if err != nil {
		return err
	}
	s, _, err := d.connect(ctx, d.program, "serve")
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	fmt.Fprintf(d.out, "3. The server changes the description of create_task. The tool is called again:\n")
	var refused struct{ Error diag.Fault }
	if err := d.call(ctx, s, &bill{}, demoTool, map[string]any{}, nil); err != nil && json.Unmarshal([]byte(err.Error()), &refused) != nil {
		return err
	}
	fmt.Fprintf(d.out, "%s\n", d.out.paint(doubt, cutColumns(refused.Error.Code+": "+refused.Error.Message, 80)))
	after, _, err := d.tasks()
	d.promise(refused.Error.Code == "tool-changed" && after == before, "It is refused. The server's own log: %d new calls.", after-before)
	return err
}

// promise shows whether something holds that Patchbay promises.
func (d *demo) promise(holds bool, format string, a ...any) {
	shown := d.out.paint(good, "ok")
	if !holds {
		shown, d.broken = d.out.paint(bad, "FAILED"), true
	}
	fmt.Fprintf(d.out, "   %s  %s\n", shown, fmt.Sprintf(format, a...))
}

// tasks returns how many tasks the server created, and how many of them were there before.
func (d *demo) tasks() (made, twice int, err error) {
	calls, err := readDemoLog(filepath.Join(d.dir, "tracker"))
	made = len(calls["create_task"])
	slices.Sort(calls["create_task"])
	return made, made - len(slices.Compact(calls["create_task"])), err
}

// await returns when the server has created n tasks. It is an error if the call of the tool
// has ended before.
func (d *demo) await(ctx context.Context, n int, left <-chan error) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		made, _, err := d.tasks()
		if err != nil || made >= n {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-left:
			return fmt.Errorf("the tool has ended before it was killed: %w", err)
		case <-tick.C:
		}
	}
}

func (d *demo) write(name, text string) error {
	return os.WriteFile(filepath.Join(d.dir, filepath.FromSlash(name)), []byte(text), 0o600)
}

// server is the command of the server that has its log in a folder of the demo.
func (d *demo) server(folder string) []string {
	return append(slices.Clip(d.tracker), filepath.Join(d.dir, folder))
}

// command is a process that knows no folder but that of the demo.
func (d *demo) command(ctx context.Context, words ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.Env = d.dir, append(os.Environ(), config.TrustVariable+"=all", "NO_COLOR=1")
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		c.Env = append(c.Env, name+"="+d.dir)
	}
	return c
}

// connect starts a server, and returns a session with it.
func (d *demo) connect(ctx context.Context, words ...string) (*mcp.ClientSession, *exec.Cmd, error) {
	c := d.command(ctx, words...)
	s, err := mcp.NewClient(&mcp.Implementation{Name: "demo", Version: version()}, nil).Connect(ctx, &mcp.CommandTransport{Command: c}, nil)
	return s, c, err
}

// patchbay runs a command, and returns what it prints. It is an error if the command ends
// with another exit code than 0.
func (d *demo) patchbay(ctx context.Context, words ...string) (string, error) {
	out, err := d.command(ctx, append([]string{d.program}, words...)...).CombinedOutput()
	d.show("patchbay "+strings.Join(words, " "), out)
	return string(out), err
}

// call calls a tool, counts what passes through the model and decodes the reply into a
// value, unless that is nil. A call that fails is an error.
func (d *demo) call(ctx context.Context, s *mcp.ClientSession, b *bill, tool string, arguments map[string]any, into any) error {
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err
	}
	var reply string
	if len(res.Content) > 0 {
		if text, ok := res.Content[0].(*mcp.TextContent); ok {
			reply = text.Text
		}
	}
	b.add(tool, arguments, reply)
	d.show(tool+" "+asDemoJSON(arguments), []byte(reply))
	switch {
	case res.IsError:
		return errors.New(reply)
	case into == nil:
		return nil
	}
	return json.Unmarshal([]byte(reply), into)
}

// show shows a message and the reply, if all are wanted.
func (d *demo) show(message string, reply []byte) {
	if !d.whole {
		return
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, reply, "   ", "  ") != nil {
		pretty.Write(reply)
	}
	fmt.Fprintf(d.out, "-> %s\n<- %s\n", message, strings.TrimSpace(pretty.String()))
}

// line returns the first line of a text that begins so.
func line(text, begin string) string {
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, begin) {
			return strings.TrimRight(l, "\r\n")
		}
	}
	return ""
}
