package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay"
	"github.com/patchbay-mcp/patchbay/tools/value/sample"
)

// A session is Patchbay over the servers of a world, and a client of it.
type session struct {
	*sample.World
	app    *patchbay.App
	direct map[string]*mcp.ClientSession // of the servers themselves
	client *mcp.ClientSession            // of Patchbay
	took   time.Duration                 // of the calls
	close  func()
}

// open starts Patchbay over a world, with a folder for its graphs.
func open(ctx context.Context, n int) (*session, error) {
	dir, err := os.MkdirTemp("", "patchbay-value-")
	if err != nil {
		return nil, err
	}
	w := sample.New(n)
	s := &session{World: w, direct: map[string]*mcp.ClientSession{}}
	servers := w.Servers()
	file := filepath.Join(dir, "patchbay.yaml")
	if err := os.WriteFile(file, []byte("graphs: graphs\nruns: {file: memory}\nworkspace: {enabled: false}\n"), 0o600); err != nil {
		return nil, err
	}
	app, err := patchbay.Open(ctx, patchbay.Options{Config: file, Sources: servers})
	if err != nil {
		return nil, err
	}
	s.app = app
	near, far := mcp.NewInMemoryTransports()
	serving, stop := context.WithCancel(ctx)
	go func() { _ = app.Serve(serving, far) }()
	s.close = func() {
		stop()
		app.Close()
		_ = os.RemoveAll(dir)
	}
	if s.client, err = connect(ctx, near); err == nil {
		err = s.connectTo(ctx, servers)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// connectTo opens a session with each of the servers.
func (s *session) connectTo(ctx context.Context, servers map[string]*mcp.Server) error {
	for name, server := range servers {
		near, far := mcp.NewInMemoryTransports()
		if _, err := server.Connect(ctx, far, nil); err != nil {
			return err
		}
		c, err := connect(ctx, near)
		if err != nil {
			return err
		}
		s.direct[name] = c
	}
	return nil
}

func connect(ctx context.Context, t mcp.Transport) (*mcp.ClientSession, error) {
	return mcp.NewClient(&mcp.Implementation{Name: "value", Version: "1"}, nil).Connect(ctx, t, nil)
}

// A definition is what a model reads of a tool.
type definition struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	InputSchema any    `json:"inputSchema"`
}

// definitions are those of the tools of a client's server, all or the named ones.
func definitions(ctx context.Context, c *mcp.ClientSession, names ...string) ([]definition, error) {
	list, err := c.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	var defs []definition
	for _, t := range list.Tools {
		if len(names) == 0 || slices.Contains(names, t.Name) {
			defs = append(defs, definition{t.Name, t.Description, t.InputSchema})
		}
	}
	return defs, nil
}

// everything is the definitions of all tools of the servers themselves.
func (s *session) everything(ctx context.Context) ([]definition, error) {
	var all []definition
	for _, name := range slices.Sorted(maps.Keys(s.direct)) {
		defs, err := definitions(ctx, s.direct[name])
		if err != nil {
			return nil, err
		}
		all = append(all, defs...)
	}
	return all, nil
}

// changing is what differs from call to call in replies, and would make the figures vary.
var changing = regexp.MustCompile(`\brun_[0-9A-Z]{26}\b|\bdraft:\w+|"(?:duration_ms|ms)":[\d.]+|"next_cursor":"[^"]*`)

// call calls a tool of Patchbay.
func (s *session) call(ctx context.Context, tool string, arguments any) (spoken, error) {
	return s.callBy(ctx, s.client, tool, arguments)
}

func (s *session) callBy(ctx context.Context, client *mcp.ClientSession, tool string, arguments any) (spoken, error) {
	args, err := json.Marshal(arguments)
	if err != nil {
		return spoken{}, err
	}
	began := time.Now()
	res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	s.took += time.Since(began)
	if err != nil {
		return spoken{}, fmt.Errorf("%s: %w", tool, err)
	}
	var text string
	if len(res.Content) > 0 {
		if t, ok := res.Content[0].(*mcp.TextContent); ok {
			text = t.Text
		}
	}
	if res.IsError {
		return spoken{}, fmt.Errorf("%s %.300s: %.1000s", tool, args, text)
	}
	return spoken{tool: tool, arguments: args, reply: steady(text)}, nil
}

// steady is a reply in which what differs from call to call has a fixed text.
func steady(reply string) string {
	return changing.ReplaceAllStringFunc(reply, func(s string) string {
		for start, text := range fixed {
			if strings.HasPrefix(s, start) {
				return text
			}
		}
		return s
	})
}

// fixed are the texts instead, by how what changes begins.
var fixed = map[string]string{
	"run_":          "run_01KDX4A0B1C2D3E4F5G6H7J8K9",
	"draft:":        "draft:abcdefghijklmnopqrstuvwxyz",
	`"duration_ms"`: `"duration_ms":1.234`,
	`"ms"`:          `"ms":0.123`,
	`"next_cursor"`: `"next_cursor":"mB4MiaCwOucC`,
}
