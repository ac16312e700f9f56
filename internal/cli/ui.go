package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/httpd/web"
	"github.com/patchbay-mcp/patchbay/internal/sys/telemetry"
	"github.com/patchbay-mcp/patchbay/ui"
)

func uiCommand(f *command.Flags) *cobra.Command {
	var port int
	var noOpen bool
	c := &cobra.Command{
		Use: "ui [FILE]", Short: "Open the web UI: find nodes, draw and run graphs, watch runs",
		Long: "Serve the web UI on a loopback port and open it in the browser. The link that is printed signs in one browser, once. " +
			"FILE is a graph document to edit; it is made when it is saved first. The servers that it defines are started if it is trusted, or with --connect.",
		Example: "  patchbay ui\n  patchbay ui graph.yaml --no-open",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.LongRunning = true
			file := ""
			if len(args) > 0 {
				f.CheckServersIn(args[0])
				var err error
				if file, err = filepath.Abs(args[0]); err != nil {
					return err
				}
			}
			p, err := f.OpenApp(cmd)
			if err != nil {
				return err
			}
			p.Catalog().OnChange(telemetry.TuneMemory)
			go follow(cmd.Context(), f, p, cmd.ErrOrStderr())
			return serveUI(f, cmd, p, file, port, !noOpen)
		},
	}
	c.Flags().IntVar(&port, "port", 0, "listen on this `PORT` of 127.0.0.1 (default: one that is free)")
	c.Flags().BoolVar(&noOpen, "no-open", false, "print the link only")
	f.ConnectFlag(c.Flags())
	return c
}

// serveUI serves the UI until the command's context ends.
func serveUI(f *command.Flags, cmd *cobra.Command, p *app.App, file string, port int, open bool) error {
	l, err := httpd.Listen("127.0.0.1:"+strconv.Itoa(port), httpd.Exposure{})
	if err != nil {
		p.Close()
		return err
	}
	cfg, log := p.Config(), f.Logger(cmd.ErrOrStderr())
	pages := web.New(p, web.Options{
		Files: ui.Files(), HTTP: httpd.Options{InFlight: httpd.NewInFlight(0), Logger: log}, Version: command.Version(), File: file, LinkOnly: true,
		Wait: cfg.Runs.Wait, Redact: cfg.Redactor.RedactJSON, Loaded: p.Loaded(),
	})
	h := &http.Server{Handler: pages.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: httpd.MaxHeader, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	over := make(chan error, 1)
	go func() { over <- h.Serve(l) }()
	link := "http://" + l.Addr().String() + pages.Link()
	if !f.Quiet && f.LiveTerminal(cmd) != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "patchbay: this link opens the web UI and signs in one browser, once; Ctrl-C stops the server")
	}
	fmt.Fprintln(term.Unmasked(cmd.OutOrStdout()), link)
	if open {
		if err := browse(cmd.Context(), link); err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "patchbay: no browser can be opened; open the link yourself")
		}
	}
	select {
	case err = <-over:
	case <-cmd.Context().Done():
	}
	began := time.Now()
	shutdown(p, began, cmd.ErrOrStderr(), func() { _ = h.Close() })
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// browse opens a link in the browser of the person.
func browse(ctx context.Context, link string) error {
	name, args := "xdg-open", []string{link}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", link}
	}
	c := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	if err := c.Start(); err != nil {
		return err
	}
	go func() { _ = c.Wait() }()
	return nil
}
