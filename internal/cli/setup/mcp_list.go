package setup

import (
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// MCPListPresenter is that of mcp list.
var MCPListPresenter = command.Presenter{
	Example: "  patchbay mcp list",
	Start:   command.Ready(command.UntilKnown),
	Print: func(i *command.Invocation, w *term.Page) {
		r := i.Out.(*discover.ServersResult)
		failed := false
		t := term.NewTable("server", "state", "transport", "tools")
		var reasons strings.Builder
		for _, s := range r.Servers {
			state := s.State
			if strings.HasSuffix(s.Reason, command.OfflineGiven) {
				state, s.Reason = "offline", ""
			}
			brief := strings.NewReplacer(fmt.Sprintf("server %q ", s.Name), "", "cannot be started: ", "", "failed to start: ", "", "the environment variable ", "")
			if s.Reason == "" && len(s.Notes) > 0 {
				s.Reason = s.Notes[0]
			}
			t.Add(s.Name, term.Cell{Text: state, Style: stateStyle(state)}, s.Transport, s.Tools)
			if s.Reason != "" {
				fmt.Fprintf(&reasons, "%s: %s\n", s.Name, diag.Visible(diag.OneLine(brief.Replace(s.Reason))))
			}
			failed = failed || state == "failed"
		}
		t.WriteOr(w, "no servers")
		fmt.Fprint(w.Prose(), reasons.String())
		if failed {
			fmt.Fprintln(w, "patchbay mcp info NAME says why a server failed")
		}
		if len(r.Missed) > 0 {
			missed := term.NewTable("search without a result", "times", "then")
			for _, m := range r.Missed {
				missed.Add(m.Query, m.Times, m.Then)
			}
			missed.Write(w)
		}
		if unread := i.UnreadAbove(); unread != "" {
			fmt.Fprintln(i.Cmd.ErrOrStderr(), unread)
		}
	},
	Names: func(i *command.Invocation) []string {
		return lists.Each(i.Out.(*discover.ServersResult).Servers, func(s downstream.Status) string { return s.Name })
	},
}

// stateStyle shows whether a server works.
func stateStyle(state string) term.Style {
	switch state {
	case "ready":
		return term.Good
	case "failed":
		return term.Bad
	}
	return term.Doubt
}
