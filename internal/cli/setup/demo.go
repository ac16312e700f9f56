package setup

import (
	"bytes"
	"cmp"
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
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// DemoCommand is patchbay demo.
func DemoCommand(f *command.Flags) *cobra.Command {
	var whole bool
	var server string
	c := &cobra.Command{
		Use: "demo", Short: "Show what Patchbay promises, with real processes", Example: "  patchbay demo --full",
		Long: "Show what Patchbay promises, with real processes: an agent's mistake is found before anything is called, a tool that is killed half-way does nothing twice, a tool that a server changed is not called, and what the tool saves. The exit code is 1 if a promise does not hold. It needs no network, and leaves nothing behind.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if server != "" {
				return DemoTracker{Dir: server}.Server().Run(cmd.Context(), &mcp.StdioTransport{})
			}
			if f.Format != command.AsTable || f.Field != "" || f.Query != "" || f.File != "" {
				return command.Misuse("", "demo shows a session to people: it has no result for programs", "patchbay serve is the server for a client of your own")
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			return (&Demo{Out: f.Page(cmd.OutOrStdout()), whole: whole, Program: self, Tracker: []string{self, "demo", "--server"}}).Run(cmd.Context())
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

// Demo is what an agent does with Patchbay, and what happens to both: processes of this
// program, in a folder of their own.
type Demo struct {
	Out     *term.Page
	whole   bool
	Program string   // that is Patchbay
	Tracker []string // the command of the server, without its folder

	dir               string
	board             DemoTracker
	session           *mcp.ClientSession // with the process that was started last
	process           *exec.Cmd
	author, saved     bill
	functions, result string // for a script; of the tool
	broken            bool   // a promise did not hold
	err               error  // the first one: nothing is done after it
}

// Run shows the demo. The error is [command.ErrFailed] where a promise does not hold.
func (d *Demo) Run(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if d.dir, err = os.MkdirTemp("", "patchbay-demo-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(d.dir) }()
	d.board.Dir = filepath.Join(d.dir, "tracker")
	server := append(slices.Clip(d.Tracker), d.board.Dir)
	d.write("patchbay.yaml", asDemoJSON(map[string]any{"mcpServers": map[string]any{"tracker": map[string]any{"command": server[0], "args": server[1:]}}}))
	d.write("tracker/log", "")
	d.write("direct/log", "")
	fmt.Fprintf(d.Out, "An agent makes one tool of two: a task on a board for every open issue.\n")
	for _, step := range []func(context.Context){d.makeTool, d.killHalfway, d.changeServer, d.showBills} {
		if d.err == nil {
			step(ctx)
		}
	}
	if d.session != nil {
		_ = d.session.Close()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if d.err != nil {
		fmt.Fprintln(d.Out, d.Out.Paint(term.Bad, "FAILED"), d.err)
	}
	if d.broken || d.err != nil {
		return command.ErrFailed
	}
	fmt.Fprintf(d.Out, "Next: patchbay init, then connect your client. --full shows the messages.\n")
	return nil
}

// makeTool has the agent write the graph, have it corrected and save it.
func (d *Demo) makeTool(ctx context.Context) {
	file, err := d.patchbay(ctx, "export", "--typescript", "mcp:tracker/list_issues", "mcp:tracker/create_task")
	d.fail(err)
	_, d.functions, _ = strings.Cut(file, "/** Tools of the server tracker") // the text before it is the same for all servers
	d.connect(ctx, d.Program, "serve")
	for starts := true; starts && d.err == nil; { // else replies would say that the server starts, which counts
		reply, err := d.session.CallTool(ctx, &mcp.CallToolParams{Name: "search_nodes", Arguments: map[string]any{"query": "task", "max_results": 1}})
		starts = strings.Contains(asDemoJSON(reply), "pending")
		d.fail(err)
	}
	d.define(ctx, &d.author, "")
	var checked, fixed struct {
		Valid  bool      `json:"valid"`
		Draft  string    `json:"draft"`
		Errors diag.List `json:"errors"`
	}
	nodes := []map[string]string{{"id": "mcp:tracker/list_issues"}, {"id": "mcp:tracker/create_task"}}
	d.call(ctx, &d.author, "search_nodes", map[string]any{"query": "create a task for every open issue", "max_results": 5}, nil)
	d.call(ctx, &d.author, "get_node_details", map[string]any{"nodes": nodes}, nil)
	d.call(ctx, &d.author, "validate_graph", map[string]any{"graph": demoGraph}, &checked)
	fmt.Fprintf(d.Out, "1. It writes a graph, which Patchbay checks:\n")
	d.Out.Diagnostics(diag.Format("task.yaml", demoGraph, checked.Errors))
	d.call(ctx, &d.author, "validate_graph", map[string]any{"graph": checked.Draft, "apply_fixes": true}, &fixed)
	d.call(ctx, &d.author, "save_graph", map[string]any{"graph": fixed.Draft}, nil)
	calls, err := d.board.calls()
	d.fail(err)
	d.promise(!checked.Valid && fixed.Valid && len(calls) == 0, "The fix makes it valid. It is saved as a tool. Nothing was called so far.")
	d.define(ctx, &d.saved, demoTool)
}

// killHalfway calls the tool, kills Patchbay and has another resume the run.
func (d *Demo) killHalfway(ctx context.Context) {
	d.write("tracker/hold", "")
	d.await(ctx, demoKill)
	d.fail(os.Remove(filepath.Join(d.board.Dir, "hold")))
	fmt.Fprintf(d.Out, "2. It calls the tool, which creates %d tasks. kill -9 ends Patchbay in call %d:\n$ patchbay runs resume latest\n", demoTasks, demoKill)
	asked, failed := d.patchbay(ctx, "runs", "resume", "latest")
	if i := strings.Index(asked, "outcome unknown"); i >= 0 {
		question, _, _ := strings.Cut(asked[i:], "\n")
		fmt.Fprintln(d.Out, d.Out.Paint(term.Doubt, question))
	}
	made, _ := d.tasks()
	d.promise(failed != nil && strings.Contains(asked, "[outcome-unknown]") && made == demoKill, "Another Patchbay asks before it repeats a call in doubt.")
	fmt.Fprintf(d.Out, "$ patchbay runs resume latest --pin '{\"id\": \"t-%d\"}'     %s\n", demoKill, d.Out.Paint(term.Faint, "# it is on the board"))
	result, err := d.patchbay(ctx, "runs", "resume", "latest", "--pin", fmt.Sprintf(`{"id":"t-%d"}`, demoKill), "--json", "--field", "result")
	d.fail(err)
	d.result = strings.TrimSpace(result)
	d.saved.add(demoTool, map[string]any{}, d.result)
	made, twice := d.tasks()
	d.promise(made == demoTasks && twice == 0, "The server's own log: %d tasks, %d of them twice.", made-twice, twice)
}

// changeServer changes a tool of the server and calls the saved tool.
func (d *Demo) changeServer(ctx context.Context) {
	d.write("tracker/changed", "")
	before, _ := d.tasks()
	d.connect(ctx, d.Program, "serve")
	fmt.Fprintf(d.Out, "3. The server changes the description of create_task. The tool is called again:\n")
	if d.err != nil {
		return
	}
	var refused struct{ Error diag.Fault }
	if _, err := d.try(ctx, demoTool, map[string]any{}); err != nil {
		d.fail(json.Unmarshal([]byte(err.Error()), &refused))
	}
	fmt.Fprintln(d.Out, d.Out.Paint(term.Doubt, term.Wrap(refused.Error.Code+": "+refused.Error.Message, 80)))
	after, _ := d.tasks()
	d.promise(refused.Error.Code == diag.CodeToolChanged && after == before, "It is refused. The server's own log: %d new calls.", after-before)
}

// promise shows whether something holds that Patchbay promises.
func (d *Demo) promise(holds bool, format string, a ...any) {
	shown := d.Out.Paint(term.Good, "ok")
	if !holds || d.err != nil {
		shown, d.broken = d.Out.Paint(term.Bad, "FAILED"), true
	}
	fmt.Fprintf(d.Out, "   %s  %s\n", shown, fmt.Sprintf(format, a...))
}

// await calls the tool, and kills Patchbay when the server has created n tasks.
func (d *Demo) await(ctx context.Context, n int) {
	if d.err != nil {
		return
	}
	ended := make(chan error, 1)
	go func() {
		_, err := d.try(ctx, demoTool, map[string]any{})
		ended <- err
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for made := 0; made < n && d.err == nil; made, _ = d.tasks() {
		select {
		case err := <-ended:
			d.fail(fmt.Errorf("the tool has ended before it was killed: %w", cmp.Or(err, ctx.Err())))
			return
		case <-tick.C:
		}
	}
	d.fail(d.process.Process.Kill())
	if err := <-ended; err == nil {
		d.fail(errors.New("the tool has ended before it was killed"))
	}
}

func (d *Demo) fail(err error) { d.err = cmp.Or(d.err, err) }

// tasks returns how many tasks are on the board, and how many of them were there before.
func (d *Demo) tasks() (made, twice int) {
	calls, err := d.board.calls()
	d.fail(err)
	list := slices.Sorted(slices.Values(calls["create_task"]))
	return len(list), len(list) - len(slices.Compact(list))
}

// write writes a file into the folder of the demo.
func (d *Demo) write(name, text string) {
	path := filepath.Join(d.dir, filepath.FromSlash(name))
	d.fail(errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
}

// command is a process that knows no folder but that of the demo.
func (d *Demo) command(ctx context.Context, words ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.Env = d.dir, append(os.Environ(), config.TrustVariable+"=all", "NO_COLOR=1")
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		c.Env = append(c.Env, name+"="+d.dir)
	}
	return c
}

// connect starts a server for a new session.
func (d *Demo) connect(ctx context.Context, words ...string) {
	if d.session != nil {
		_ = d.session.Close()
	}
	var err error
	d.process = d.command(ctx, words...)
	d.session, err = mcp.NewClient(&mcp.Implementation{Name: "demo", Version: command.Version()}, nil).Connect(ctx, &mcp.CommandTransport{Command: d.process}, nil)
	d.fail(err)
}

// patchbay runs a command, and returns what it prints.
func (d *Demo) patchbay(ctx context.Context, words ...string) (string, error) {
	out, err := d.command(ctx, append([]string{d.Program}, words...)...).CombinedOutput()
	d.show("patchbay "+strings.Join(words, " "), string(out))
	if err != nil {
		err = fmt.Errorf("patchbay %s: %w: %s", words[0], err, out)
	}
	return string(out), err
}

// call calls a tool, counts what passes through the model and decodes the reply into a
// value, unless that is nil.
func (d *Demo) call(ctx context.Context, b *bill, tool string, arguments, into any) {
	if d.err != nil {
		return
	}
	reply, err := d.try(ctx, tool, arguments)
	b.add(tool, arguments, reply)
	if err == nil && into != nil {
		err = json.Unmarshal([]byte(reply), into)
	}
	d.fail(err)
}

// try calls a tool, and returns the text of its reply. If it failed, that is the error.
func (d *Demo) try(ctx context.Context, tool string, arguments any) (string, error) {
	res, err := d.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", err
	}
	var reply string
	if len(res.Content) > 0 {
		if text, ok := res.Content[0].(*mcp.TextContent); ok {
			reply = text.Text
		}
	}
	d.show(tool+" "+asDemoJSON(arguments), reply)
	if res.IsError {
		return "", errors.New(reply)
	}
	return reply, nil
}

// show shows a message and the reply, if all are wanted.
func (d *Demo) show(message, reply string) {
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(reply), "   ", "  ") == nil {
		reply = pretty.String()
	}
	if d.whole {
		fmt.Fprintf(d.Out, "-> %s\n<- %s\n", message, strings.TrimSpace(reply))
	}
}
