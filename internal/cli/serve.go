package cli

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/telemetry"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

func serveCommand(f *flags) *cobra.Command {
	var addr string
	var toolsOnly bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over stdio, or over HTTP with --http",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.longRunning = true
			p, err := f.open(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer p.Close()
			cfg, log := p.Config(), f.logger(cmd.ErrOrStderr())
			info := cfg.Info
			o := mcpserver.Options{Name: info.Name, Title: info.Title, Version: info.Version, Instructions: info.Instructions, ToolsOnly: toolsOnly, Logger: log, Redact: cfg.Redactor.RedactJSON, Loaded: p.Loaded()}
			if o.Version == "" {
				o.Version = version()
			}
			if addr == "" {
				addr = cfg.Serve.Addr
			}
			if addr != "" {
				o.Metrics = mcpserver.NewMetrics(p)
			}
			if addr == "" { // a client that only looks, to list the tools or to see that it is there, resumes no run
				o.FirstRequest = func() { p.ResumeRuns(cmd.Context()) }
			}
			server := mcpserver.New(p, o)
			p.Catalog().OnChange(telemetry.TuneMemory)
			go telemetry.SweepWhenIdle(cmd.Context(), telemetry.ReadHeap, telemetry.FreeMemory)
			if addr != "" {
				return serveHTTP(cmd, p, server, o, addr)
			}
			return serveStdio(cmd, p, server)
		},
	}
	c.Flags().StringVar(&addr, "http", "", "serve streamable HTTP at /mcp on this loopback `ADDR` instead of stdio, such as 127.0.0.1:8080")
	c.Flags().BoolVar(&toolsOnly, "tools-only", false, "publish saved graphs and -g tools without the authoring tools")
	return c
}

// serveStdio serves one session over standard input and output. It ends with the
// input or with the command's context. Either parks the runs.
func serveStdio(cmd *cobra.Command, p *app.App, server *mcp.Server) error {
	ctx := cmd.Context()
	session, err := server.Connect(context.WithoutCancel(ctx), mcpserver.Stdio(cmd.InOrStdin(), unmasked(cmd.OutOrStdout())), nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	p.Close()
	_ = session.Close() // after the runs, which reply with their status
	return err
}

// serveHTTP serves until the command's context ends, then gives calls in flight
// two seconds.
func serveHTTP(cmd *cobra.Command, p *app.App, server *mcp.Server, o mcpserver.Options, addr string) error {
	l, err := mcpserver.Listen(addr)
	if err != nil {
		return err
	}
	mux, origins := http.NewServeMux(), p.Config().Serve.AllowedOrigins
	mux.Handle("/", o.Metrics.Handler(origins))
	mux.Handle("/mcp", mcpserver.Handler(server, o.Logger, origins))
	h := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	fmt.Fprintf(cmd.ErrOrStderr(), "patchbay: serving http://%s/mcp\n", l.Addr())
	done := make(chan error, 1)
	go func() { done <- h.Serve(l) }()
	p.ResumeRuns(cmd.Context())
	select {
	case err := <-done:
		return err
	case <-cmd.Context().Done():
	}
	p.Close()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), 2*time.Second)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		return h.Close()
	}
	return nil
}
