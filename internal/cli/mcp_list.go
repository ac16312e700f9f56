package cli

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

var mcpListFace = face{
	example: "  patchbay mcp list",
	start:   ready(untilKnown),
	print: func(i *invocation, w *page) {
		r := i.out.(*app.ServersResult)
		t := newTable("server", "state", "transport", "tools", "reason")
		for _, s := range r.Servers {
			t.add(s.Name, cell{text: s.State, style: stateStyle(s.State)}, s.Transport, s.Tools, s.Reason)
		}
		t.writeOr(w, "no servers")
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
		for _, s := range i.out.(*app.ServersResult).Servers {
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
