package cli

import (
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/discover"
)

var mcpListPresenter = presenter{
	example: "  patchbay mcp list",
	start:   ready(untilKnown),
	print: func(i *invocation, w *page) {
		r := i.out.(*discover.ServersResult)
		failed := false
		t := newTable("server", "state", "transport", "tools")
		var reasons strings.Builder
		for _, s := range r.Servers {
			state := s.State
			if strings.HasSuffix(s.Reason, offlineGiven) {
				state, s.Reason = "offline", ""
			}
			brief := strings.NewReplacer(fmt.Sprintf("server %q ", s.Name), "", "cannot be started: ", "", "failed to start: ", "", "the environment variable ", "")
			if s.Reason == "" && len(s.Notes) > 0 {
				s.Reason = s.Notes[0]
			}
			t.add(s.Name, cell{text: state, style: stateStyle(state)}, s.Transport, s.Tools)
			if s.Reason != "" {
				fmt.Fprintf(&reasons, "%s: %s\n", s.Name, diag.Visible(diag.OneLine(brief.Replace(s.Reason))))
			}
			failed = failed || state == "failed"
		}
		t.writeOr(w, "no servers")
		fmt.Fprint(w.prose(), reasons.String())
		if failed {
			fmt.Fprintln(w, "patchbay mcp info NAME says why a server failed")
		}
		if len(r.Missed) > 0 {
			missed := newTable("search without a result", "times", "then")
			for _, m := range r.Missed {
				missed.add(m.Query, m.Times, m.Then)
			}
			missed.write(w)
		}
		if unread := i.unreadAbove(); unread != "" {
			fmt.Fprintln(i.cmd.ErrOrStderr(), unread)
		}
	},
	names: func(i *invocation) (names []string) {
		for _, s := range i.out.(*discover.ServersResult).Servers {
			names = append(names, s.Name)
		}
		return names
	},
}

// stateStyle shows whether a server works.
func stateStyle(state string) style {
	switch state {
	case "ready":
		return good
	case "failed":
		return bad
	}
	return doubt
}
