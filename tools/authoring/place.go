package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay"
	"github.com/patchbay-mcp/patchbay/tools/value/sample"
)

// A place is where one attempt happens: a world of its own, its servers, Patchbay over
// them, and a client of each. The servers' processes only pass messages, so that one can
// be killed without the world.
type place struct {
	world   *sample.World
	trouble *trouble
	servers map[string]*mcp.Server
	ports   map[string]*port
	direct  map[string]*mcp.ClientSession // dropped when a server was killed
	app     *patchbay.App
	client  *mcp.ClientSession // of Patchbay
	scripts *port              // Patchbay, for the functions of scripts
	dir     string
	hasRead bool // the model has read the functions for scripts
	stop    context.CancelFunc
}

// configText is the configuration of Patchbay: what it keeps is gone afterwards.
const configText = "graphs: graphs\nruns: {file: memory}\nworkspace: {enabled: false}\n"

func openPlace(ctx context.Context, n int, x *trouble) (*place, error) {
	ctx, stop := context.WithCancel(ctx)
	p := &place{world: sample.New(n), trouble: x, ports: map[string]*port{}, direct: map[string]*mcp.ClientSession{}, stop: stop}
	if err := p.open(ctx); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *place) open(ctx context.Context) (err error) {
	if p.dir, err = os.MkdirTemp("", "patchbay-authoring-"); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p.servers = p.world.Servers()
	known := map[string]patchbay.Server{}
	for name, s := range p.servers {
		s.AddReceivingMiddleware(p.trouble.handle(name))
		p.ports[name], err = listen(ctx, func(ctx context.Context, t mcp.Transport) (mcp.Session, error) { return s.Connect(ctx, t, nil) })
		if err != nil {
			return err
		}
		known[name] = patchbay.Server{Command: self, Env: map[string]string{addrEnv: p.ports[name].addr()}, Trusted: true}
	}
	p.trouble.ports = p.ports
	config := filepath.Join(p.dir, "patchbay.yaml")
	if err := os.WriteFile(config, []byte(configText), 0o600); err != nil {
		return err
	}
	if p.app, err = patchbay.Open(ctx, patchbay.Options{Config: config, Servers: known}); err != nil {
		return err
	}
	serve := func(ctx context.Context, t mcp.Transport) (mcp.Session, error) { return nil, p.app.Serve(ctx, t) }
	if p.scripts, err = listen(ctx, serve); err != nil {
		return err
	}
	p.client, err = dial(ctx, p.scripts)
	return err
}

func (p *place) close() {
	p.stop()
	if p.app != nil {
		p.app.Close()
	}
	for _, port := range p.ports {
		port.close()
	}
	if p.scripts != nil {
		p.scripts.close()
	}
	_ = os.RemoveAll(p.dir)
}

func dial(ctx context.Context, p *port) (*mcp.ClientSession, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", p.addr())
	if err != nil {
		return nil, err
	}
	return mcp.NewClient(&mcp.Implementation{Name: "authoring", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: conn, Writer: conn}, nil)
}

// session is the client of a server itself. One that was killed is started again.
func (p *place) session(ctx context.Context, server string) (*mcp.ClientSession, error) {
	if p.direct[server] != nil {
		return p.direct[server], nil
	}
	port := p.ports[server]
	if port == nil {
		return nil, fmt.Errorf("there is no server %q", server)
	}
	s, err := dial(ctx, port)
	if err == nil {
		p.direct[server] = s
	}
	return s, err
}

// directTools are the tools of all servers, as SERVER__TOOL.
func (p *place) directTools(ctx context.Context) (list []tool, err error) {
	for _, name := range slices.Sorted(maps.Keys(p.ports)) {
		tools, err := p.toolsOf(ctx, name)
		if err != nil {
			return nil, err
		}
		for _, t := range tools {
			list = append(list, newTool(name+"__"+t.Name, t.Description, t.InputSchema))
		}
	}
	return list, nil
}

func (p *place) toolsOf(ctx context.Context, server string) ([]*mcp.Tool, error) {
	for again := false; ; again = true {
		s, err := p.session(ctx, server)
		if err != nil {
			return nil, err
		}
		list, err := s.ListTools(ctx, nil)
		if err == nil {
			return list.Tools, nil
		}
		delete(p.direct, server)
		if again {
			return nil, err
		}
	}
}

// callDirect calls a tool of a server itself, and returns what a model reads.
func (p *place) callDirect(ctx context.Context, name string, arguments json.RawMessage) string {
	server, tool, _ := strings.Cut(name, "__")
	s, err := p.session(ctx, server)
	if err != nil {
		return "error: " + err.Error()
	}
	text, err := call(ctx, s, tool, arguments)
	if err != nil {
		delete(p.direct, server)
		return "error: " + err.Error()
	}
	return text
}

func call(ctx context.Context, s *mcp.ClientSession, tool string, arguments json.RawMessage) (string, error) {
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", err
	}
	var texts []string
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	text := strings.Join(texts, "\n")
	if res.IsError {
		text = "error: " + text
	}
	return text, nil
}

// begin starts the fault: a tool is renamed now, and others happen as calls are made.
func (p *place) begin(ctx context.Context, t *task) error {
	if p.trouble.kind == renamed {
		server, name, _ := strings.Cut(t.Tools[len(t.Tools)-1], "/")
		tools, err := p.toolsOf(ctx, server)
		if err != nil {
			return err
		}
		p.trouble.begin()
		for _, of := range tools {
			if of.Name == name {
				p.trouble.rename(p.servers[server], of)
			}
		}
		return nil
	}
	p.trouble.begin()
	return nil
}
