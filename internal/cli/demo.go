package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
	"github.com/patchbay-mcp/patchbay/internal/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/workspace"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

func demoCommand(f *flags) *cobra.Command {
	var whole bool
	c := &cobra.Command{
		Use: "demo", Short: "Show an agent's session that makes a tool, and what the tool saves", Example: "  patchbay demo --full",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.format != asTable || f.field != "" || f.query != "" || f.file != "" {
				return &diag.Fault{Code: "usage", Message: "demo shows a session to people: it has no result for programs", Hint: "patchbay serve is the server for a client of your own"}
			}
			d := &demo{out: cmd.OutOrStdout(), whole: whole}
			return d.run(cmd.Context())
		},
	}
	c.Flags().BoolVar(&whole, "full", false, "print replies in full")
	return c
}

// demoGraph has two mistakes, as agents make them: a tool's name with a letter missing,
// and a template of another system for an expression.
const demoGraph = `name: most_todos
description: Returns the five files of a directory with the most lines that say TODO
inputSchema: {type: object, properties: {directory: {type: string}}, required: [directory]}
outputSchema: {type: object, properties: {files: {type: array, items: {type: object}}}, required: [files]}
nodes:
  - {id: entry, type: entry, next: list}
  - {id: list, type: mcp, server: workspace, tool: list_directry, args: {path: "{{ entry.directory }}"}, next: names}
  - {id: names, type: transform, transform: {expr: '$split($.list.content, "\n")[$contains("[FILE]")].$substringAfter("] ")'}, next: read}
  - id: read
    type: mcp
    server: workspace
    tool: read_text_file
    args: {path: {expr: $.entry.directory & "/" & $item}}
    foreach: {items: {expr: '[$.names]'}, concurrency: 8}
    next: count
  - id: count
    type: transform
    transform: {expr: '$map([$.read], function($f, $i) { {"name": $.names[$i], "todos": $count($split($f.content, "\n")[$contains("TODO")])} })'}
    next: exit
  - {id: exit, type: exit, result: {expr: '{"files": [($.count^(>todos, name))[[0..4]]]}'}}
`

// demo is one agent's session with a server on a directory of the demo's own.
type demo struct {
	out     io.Writer
	whole   bool
	session *mcp.ClientSession
	step    int
	saved   bill // of the last call
}

func (d *demo) run(ctx context.Context) error {
	started := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dir, err := os.MkdirTemp("", "patchbay-demo-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	notes := filepath.Join(dir, "notes")
	if err := writeNotes(notes); err != nil {
		return err
	}
	direct, err := workspace.New(notes)
	if err != nil {
		return err
	}
	server, pb, err := demoServer(ctx, notes, filepath.Join(dir, "graphs"))
	if err != nil {
		return err
	}
	defer pb.Close()
	if d.session, err = connectTo(ctx, server); err != nil {
		return err
	}
	defer func() { _ = d.session.Close() }()
	fmt.Fprintf(d.out, "An agent connects to Patchbay in a folder of %d files. It is often asked in which of them there is the most to do.\n", demoFiles)
	if err := d.steps(ctx); err != nil {
		return err
	}
	calls, err := oneByOne(ctx, direct)
	if err != nil {
		return err
	}
	fmt.Fprint(d.out, "\nWhat passes through the model, each time the question is asked:\n\n", calls.line("the server's tools"), d.saved.line("most_todos"))
	fmt.Fprintf(d.out, "\nDone in %d ms. Next: patchbay init, then connect your client to \"patchbay serve\".\n", time.Since(started).Milliseconds())
	return nil
}

// connectTo is a client of a server in this process.
func connectTo(ctx context.Context, server *mcp.Server) (*mcp.ClientSession, error) {
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, far, nil); err != nil {
		return nil, err
	}
	return mcp.NewClient(&mcp.Implementation{Name: "demo", Version: version()}, nil).Connect(ctx, near, nil)
}

// demoServer serves the directory's files, and keeps graphs in a folder that is
// removed afterwards.
func demoServer(ctx context.Context, dir, kept string) (*mcp.Server, *app.App, error) {
	files, err := workspace.New(dir)
	if err != nil {
		return nil, nil, err
	}
	graphs, err := graphfiles.OpenGraphs(kept)
	if err != nil {
		return nil, nil, err
	}
	pb := app.New(app.Options{Servers: []downstream.Server{{Name: "workspace", InProcess: files, Trusted: true}}, Downstream: downstream.Options{Version: version()}, Graphs: graphs})
	pb.Start(ctx)
	return mcpserver.New(pb, mcpserver.Options{Version: version()}), pb, nil
}

func (d *demo) steps(ctx context.Context) error {
	if _, err := d.call(ctx, "The agent searches for a node.", "search_nodes", map[string]any{"query": "read the files of a folder", "max_results": 3}); err != nil {
		return err
	}
	if _, err := d.call(ctx, "It reads how to use two of them.", "get_node_details", map[string]any{"nodes": []string{"mcp:workspace/list_directory", "mcp:workspace/read_text_file"}}); err != nil {
		return err
	}
	if _, err := d.call(ctx, "It writes a graph with two mistakes and validates it.", "validate_graph", map[string]any{"graph": demoGraph}); err != nil {
		return err
	}
	checked, err := d.call(ctx, "It applies the suggested fixes.", "validate_graph", map[string]any{"graph": demoGraph, "apply_fixes": true})
	if err != nil {
		return err
	}
	var fixed struct {
		Valid bool   `json:"valid"`
		Draft string `json:"draft"`
	}
	if err := json.Unmarshal(checked, &fixed); err != nil || !fixed.Valid {
		return fmt.Errorf("the demo's graph could not be repaired: %s", checked)
	}
	arguments := map[string]any{"directory": "."}
	if _, err := d.call(ctx, "It runs the draft.", "run_graph", map[string]any{"graph": fixed.Draft, "arguments": arguments}); err != nil {
		return err
	}
	if _, err := d.call(ctx, "It saves the graph as a tool.", "save_graph", map[string]any{"graph": fixed.Draft}); err != nil {
		return err
	}
	reply, err := d.call(ctx, "It calls the new tool, in the same session.", "most_todos", arguments)
	d.saved.add("most_todos", arguments, string(reply))
	return err
}

// shownLines is how much of a reply the demo prints.
const shownLines = 24

// call makes one call and prints it with its reply, which it returns.
func (d *demo) call(ctx context.Context, what, tool string, args map[string]any) ([]byte, error) {
	d.step++
	fmt.Fprintf(d.out, "\n%d. %s\n", d.step, what)
	request := args
	if text, ok := args["graph"].(string); ok && !strings.HasPrefix(text, "draft:") {
		fmt.Fprintf(d.out, "-> %s\n", tool)
		for line := range strings.Lines(text) {
			fmt.Fprintf(d.out, "   | %s", line)
		}
		request = map[string]any{}
		for k, v := range args {
			if k != "graph" {
				request[k] = v
			}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(request); err != nil {
		return nil, err
	}
	fmt.Fprintf(d.out, "-> %s %s", tool, b.String())
	res, err := d.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return nil, err
	}
	if len(res.Content) == 0 {
		return nil, errors.New(tool + " returned nothing")
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		return nil, errors.New(tool + " returned no text")
	}
	d.show(text.Text)
	if res.IsError {
		return nil, fmt.Errorf("%s failed: %s", tool, text.Text)
	}
	return []byte(text.Text), nil
}

func (d *demo) show(reply string) {
	var pretty bytes.Buffer
	if json.Indent(&pretty, []byte(reply), "   ", "  ") != nil {
		pretty.WriteString(reply)
	}
	lines := strings.Split(pretty.String(), "\n")
	fmt.Fprintf(d.out, "<- (%d bytes) ", len(reply))
	for i, line := range lines {
		if i == shownLines && !d.whole {
			fmt.Fprintf(d.out, "   … %d more lines (--full shows all)\n", len(lines)-i)
			break
		}
		if !d.whole {
			line = diag.Cut(line, 160)
		}
		fmt.Fprintln(d.out, line)
	}
}
