package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/sys/telemetry"
	"github.com/patchbay-mcp/patchbay/mcpserver"
	"github.com/patchbay-mcp/patchbay/mcpserver/stdio"
	"github.com/patchbay-mcp/patchbay/ui"
)

func serveCommand(f *command.Flags) *cobra.Command {
	var addr string
	var toolsOnly, allTools, debugTools bool
	threshold := -1
	c := &cobra.Command{
		Use:     "serve",
		Short:   "Serve MCP over stdio, or over HTTP with --http",
		Example: "  patchbay serve\n  patchbay serve --http 127.0.0.1:8080",
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.LongRunning, f.StartsLater, f.Lazy = true, true, true
			p, err := f.OpenApp(cmd)
			if err != nil {
				return err
			}
			cfg, log := p.Config(), f.Logger(cmd.ErrOrStderr())
			if fault := command.Refused(cfg.Identity); fault != nil {
				p.Close()
				return fault
			}
			info := cfg.Info
			expose := exposed(f, cfg.Expose, threshold)
			o := mcpserver.Options{Name: info.Name, Title: info.Title, Version: info.Version, Instructions: info.Instructions, Program: f.Setup.Program, ToolsOnly: toolsOnly, DebugTools: debugTools, Expose: expose, Logger: log, Redact: cfg.Redactor.RedactJSON, App: ui.App, Loaded: p.Loaded(), Wait: cfg.Runs.Wait}
			if allTools || cfg.Serve.AllTools {
				fmt.Fprintln(cmd.ErrOrStderr(), "patchbay: --all-tools and serve.allTools do nothing: all tools are listed")
			}
			if o.Version == "" {
				o.Version = command.Version()
			}
			addr = cmp.Or(addr, cfg.Serve.Addr)
			if addr != "" || telemetry.SendsMetrics(os.LookupEnv) {
				o.Metrics = mcpserver.NewMetrics(p)
				stop, err := telemetry.SendMetrics(cmd.Context(), command.Version(), os.LookupEnv, o.Metrics.Registry())
				if err != nil {
					p.Close()
					return err
				}
				defer stop()
			}
			if addr != "" {
				o.Sessions = mcpserver.NewSessions(request.Disconnect(cfg.Runs.OnDisconnect))
			}
			if addr == "" { // a client that only looks, to list the tools or to see that it is there, resumes no run
				o.FirstRequest = p.ResumeRunsLater
			}
			server := mcpserver.New(p, o)
			p.Catalog().OnChange(telemetry.TuneMemory)
			go follow(cmd.Context(), f, p, cmd.ErrOrStderr())
			go telemetry.SweepWhenIdle(cmd.Context(), telemetry.ReadHeap, telemetry.FreeMemory)
			if addr != "" {
				go p.Start(cmd.Context())
				return serveHTTP(f, cmd, p, server, o, addr)
			}
			greet(f, cmd, p, "", false)
			return serveStdio(cmd, p, server)
		},
	}
	c.Flags().StringVar(&addr, "http", "", "serve streamable HTTP at /mcp on this `ADDR` instead of stdio, such as 127.0.0.1:8080; any other address than loopback requires TLS and a token")
	c.Flags().BoolVar(&toolsOnly, "tools-only", false, "publish saved graphs, the tools of -g, get_run and cancel_run, without the authoring tools")
	c.Flags().BoolVar(&allTools, "all-tools", false, "does nothing: all tools are listed")
	c.Flags().BoolVar(&debugTools, "debug-tools", false, "also offer the tools debug_run, debug_list, debug_continue and debug_evaluate")
	c.Flags().BoolVar(&f.ExposeDownstream, "expose-downstream", false, "let the tools, resources and prompts of the downstream servers pass through, named SERVER__NAME")
	c.Flags().IntVar(&threshold, "discovery-threshold", -1, "list no tools of servers when there are more than `N` (0: always list them); clients find them by search_nodes and call them by run_node")
	return c
}

// exposed is what passes through of downstream servers, nil for nothing.
func exposed(f *command.Flags, e config.Expose, threshold int) *config.Expose {
	if !f.ExposeDownstream && !e.Downstream {
		return nil
	}
	if threshold >= 0 {
		e.Threshold = threshold
	}
	return &e
}

// greetingTime is how long a client may take to greet before the servers are started
// without it.
const greetingTime = 50 * time.Millisecond

// startAfter starts the servers when a client has been greeted, so that it does not wait
// for a thousand tools to be read and indexed. For one that leaves before, it starts none.
func startAfter(ctx context.Context, p *app.App, greeted, ended <-chan struct{}) {
	select {
	case <-greeted:
	case <-time.After(greetingTime):
	case <-ended:
		select {
		case <-greeted: // requests that came before the end may wait for the servers
		default:
			return
		}
	}
	p.Start(ctx)
}

// serveStdio serves one session over standard input and output. It ends with the
// input or with the command's context. Either parks the runs.
func serveStdio(cmd *cobra.Command, p *app.App, server *mcp.Server) error {
	ctx := cmd.Context()
	transport := stdio.New(cmd.InOrStdin(), term.Unmasked(cmd.OutOrStdout()))
	session, err := server.Connect(context.WithoutCancel(ctx), transport, nil)
	if err != nil {
		p.Close()
		return err
	}
	go startAfter(ctx, p, transport.Greeted(), transport.Ended())
	over := make(chan error, 1)
	go func() { over <- session.Wait() }()
	select {
	case <-transport.Ended():
	case err = <-over:
	case <-ctx.Done():
	}
	began := time.Now()
	select {
	case <-transport.Ended(): // a script writes its requests and leaves
		err = awaitReplies(ctx, over, p.Config().Grace, func() bool {
			running, queued := p.Runner.InFlight()
			return running+queued > 0
		})
	default:
	}
	transport.End()
	shutdown(p, began, cmd.ErrOrStderr(), func() {
		closed := make(chan struct{})
		go func() { _ = session.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(lastReplies):
			_ = transport.Close()
		}
	})
	if errors.Is(err, syscall.EPIPE) { // the client has left
		return nil
	}
	return err
}

// awaitReplies waits until a session whose input has ended is over, but no longer than
// calls in flight may take, nor than maxReplies. Where no run is in progress, and so none
// has to be parked, other requests get the time that parking would take.
func awaitReplies(ctx context.Context, over <-chan error, grace time.Duration, runsInProgress func() bool) error {
	most := min(grace, maxReplies)
	for _, wait := range []time.Duration{most, maxEnd} {
		select {
		case err := <-over:
			return err
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
		if most < maxReplies || runsInProgress() {
			return nil
		}
	}
	return nil
}
