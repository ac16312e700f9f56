package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tools is how many tools the downstream server has. The one that is called returns its argument.
const tools = 20

// fake is the downstream server.
func fake() *mcp.Server {
	type argument struct {
		Text string `json:"text"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1"}, nil)
	for i := range tools {
		name := fmt.Sprintf("archive_%d", i)
		if i == 0 {
			name = "echo"
		}
		mcp.AddTool(s, &mcp.Tool{Name: name, Description: "Returns its argument", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
			func(_ context.Context, _ *mcp.CallToolRequest, in argument) (*mcp.CallToolResult, argument, error) {
				return nil, in, nil
			})
	}
	return s
}

// serveFake serves the downstream server at an address, or over stdio.
func serveFake(ctx context.Context, addr string) error {
	if addr == "-" {
		return fake().Run(ctx, &mcp.StdioTransport{})
	}
	return serve(addr, fake())
}

func serve(addr string, s *mcp.Server) error {
	server := &http.Server{Addr: addr, ReadHeaderTimeout: 5 * time.Second, Handler: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)}
	return server.ListenAndServe()
}

// serveThin serves a gateway that does nothing but pass calls on.
func serveThin(ctx context.Context, addr string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	to, err := mcp.NewClient(&mcp.Implementation{Name: "thin", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: exec.CommandContext(ctx, self, "-fake", "-")}, nil)
	if err != nil {
		return err
	}
	list, err := to.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "thin", Version: "1"}, nil)
	for _, tool := range list.Tools {
		s.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return to.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	return serve(addr, s)
}

// startFake starts the downstream server over HTTP, for gateways that cannot start one.
func startFake(ctx context.Context, self string) (url string, stop func(), err error) {
	addr, err := freeAddress(ctx)
	if err != nil {
		return "", nil, err
	}
	command := exec.CommandContext(ctx, self, "-fake", addr)
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	return "http://" + addr + "/", func() { _ = command.Process.Kill(); _ = command.Wait() }, nil
}

// serveFiles serves a folder over HTTP, for gateways that load their configuration from there.
func serveFiles(ctx context.Context, dir string) (url string, stop func(), err error) {
	var listening net.ListenConfig
	l, err := listening.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.FileServer(http.Dir(dir))}
	go func() { _ = server.Serve(l) }()
	return "http://" + l.Addr().String(), func() { _ = server.Close() }, nil
}

func freeAddress(ctx context.Context) (string, error) {
	var listening net.ListenConfig
	l, err := listening.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// write writes files into a folder that it makes.
func write(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.TrimSpace(text)+"\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}
