package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// greet says at a terminal, where a person has started what clients start, what is served:
// at a URL, or over standard input and output if that is "". The servers follow as they
// start, until the command ends.
func greet(f *command.Flags, cmd *cobra.Command, p *app.App, url string, token bool) {
	if f.Quiet || f.LiveTerminal(cmd) == nil || url == "" && !command.ReadStdin(cmd).Terminal {
		return
	}
	graphs := lists.Each(p.GraphTools.List(), func(t plans.PublishedTool) string { return t.Name })
	fmt.Fprint(cmd.ErrOrStderr(), greeting(url, token, len(p.Status()), graphs))
	servers := f.ServerView(p, func(string) bool { return true })
	servers.Every = true
	servers.Waiting = command.NewWaiting(io.Discard, &f.Framed, p.Config().Servers)
	go announce(cmd.Context(), cmd.ErrOrStderr(), p.Loaded(), servers, nil)
}

// greeting is what is said before the servers have started.
func greeting(url string, token bool, servers int, graphs []string) string {
	var lines []string
	add := func(what, format string, args ...any) {
		lines = append(lines, fmt.Sprintf("  %-8s %s", what, fmt.Sprintf(format, args...)))
	}
	saved := "no graphs yet: patchbay graphs save FILE adds one"
	if len(graphs) > 0 {
		saved = term.Count(len(graphs), "graph") + " as tools: " + diag.OneOf(graphs, 6)
	}
	if url == "" {
		lines = append(lines, "patchbay: serving MCP on standard input and output")
		add("serves", "%s; %s", term.Count(servers, "server"), saved)
		add("connect", "a client starts this command itself: patchbay init --client NAME configures it")
		add("web", "patchbay ui opens the web UI; patchbay serve --http 127.0.0.1:8080 serves HTTP")
		add("stop", "Ctrl-C or Ctrl-D")
	} else {
		needs := ""
		if token {
			needs = ", with a token: patchbay token add NAME makes one"
		}
		add("serves", "%s; %s", term.Count(servers, "server"), saved)
		add("connect", "clients of streamable HTTP, to %s/mcp%s", url, needs)
		add("", "such as: claude mcp add --transport http patchbay %s/mcp", url)
		add("stop", "Ctrl-C")
	}
	return strings.Join(lines, "\n") + "\n"
}

// announce writes a line for each server when the outcome of its start is known, and then
// how many tools there are.
func announce(ctx context.Context, log io.Writer, loaded <-chan struct{}, l *command.LiveServers, ticks <-chan time.Time) {
	select {
	case <-loaded:
	case <-ctx.Done():
		return
	}
	ticks = cmp.Or(ticks, time.Tick(command.PlainTime))
	for {
		started := l.Started()
		for _, line := range l.News(time.Now(), false) {
			fmt.Fprintln(log, "  "+line)
		}
		if started {
			fmt.Fprintln(log, "  "+summedUp(l.Status()))
			return
		}
		select {
		case <-ticks:
		case <-ctx.Done():
			return
		}
	}
}

// summedUp sums up servers whose starts have ended.
func summedUp(all []downstream.Status) string {
	tools, failed := 0, 0
	for _, s := range all {
		tools += s.Tools
		if s.State == "failed" {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Sprintf("ready: %s; %s failed: patchbay doctor says why", term.Count(tools, "tool"), term.Count(failed, "server"))
	}
	return "ready: " + term.Count(tools, "tool")
}
