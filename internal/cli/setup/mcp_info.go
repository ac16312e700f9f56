package setup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// MCPInfoPresenter is that of mcp info.
var MCPInfoPresenter = command.Presenter{
	Long: "Show a server: its state, and of each tool the hash of its definition, the type of its results (declared, or learned from earlier results), changes that wait for patchbay mcp approve, and what in its definition somebody should look at. " +
		"With TOOL, its whole definition and its change are shown. A server whose tools are not cached is started.",
	Example: "  patchbay mcp info filesystem\n  patchbay mcp info filesystem read_file",
	Start:   command.WithListed,
	Print: command.Visibly(command.Printing(func(w *term.Page, r *plans.ServerResult) {
		prose := w.Prose()
		fmt.Fprintf(prose, "%s (%s): %s, %s, trust %s\n", r.Name, r.Transport, r.State, term.Count(r.Tools, "tool"), r.Trust)
		for _, line := range []struct{ what, text string }{{"software", r.Software}, {"defined in", r.From}, {"reason", r.Reason}, {"hint", r.Hint}} {
			if line.text != "" {
				fmt.Fprintf(prose, "  %s: %s\n", line.what, strings.ReplaceAll(line.text, "\n", "\n    "))
			}
		}
		for _, note := range r.Notes {
			fmt.Fprintf(prose, "  note: %s\n", note)
		}
		t := term.NewTable("tool", "hash", "state", "result")
		for _, tool := range r.Listed {
			state, style := tool.State, term.Good
			if state != "used" {
				style = term.Bad
			}
			result := tool.Result
			if tool.Learned > 0 {
				result += fmt.Sprintf(" (learned from %s)", term.Count(tool.Learned, "result"))
			}
			t.Add(tool.Name, tool.Hash[:min(12, len(tool.Hash))], term.Cell{Text: state, Style: style}, cmp.Or(result, "not known"))
		}
		t.Write(w)
		for _, tool := range r.Listed {
			printTool(w, tool)
			if tool.Diff != "" {
				fmt.Fprintf(w, "patchbay mcp approve %s %s accepts this change\n", r.Name, tool.Name)
			}
		}
	})),
	Names: func(i *command.Invocation) []string {
		return lists.Each(i.Out.(*plans.ServerResult).Listed, func(tool plans.ServerTool) string { return tool.Name })
	},
}

// printTool writes what there is to say of a tool in addition to its row.
func printTool(w *term.Page, t plans.ServerTool) {
	for _, text := range t.Suspicions {
		fmt.Fprintf(w.Prose(), "%s: %s\n", t.Name, w.Paint(term.Doubt, text))
	}
	for _, c := range t.Changes {
		fmt.Fprintf(w, "%s: changed %s from %s to %s (%s)\n", t.Name, c.At.Format("2006-01-02"), c.From[:min(12, len(c.From))], c.To[:min(12, len(c.To))], c.How)
	}
	if t.Description != "" {
		fmt.Fprintf(w.Prose(), "\n%s\n", t.Description)
	}
	if len(t.InputSchema) > 0 {
		fmt.Fprintf(w, "\n%s\n", t.InputSchema)
	}
	if t.Diff != "" {
		fmt.Fprintf(w, "\n%s", t.Diff)
	}
	printChange(w, t.Name, t.Change)
}

// MCPSyncPresenter is that of mcp sync.
var MCPSyncPresenter = command.Presenter{
	Long:    "Start servers, list their tools and show what has changed since they were listed last. Changed definitions that wait for a person are named.",
	Example: "  patchbay mcp sync\n  patchbay mcp sync filesystem",
	Start:   command.Offline,
	Print: command.Printing(func(w *term.Page, r *plans.SyncResult) {
		w = w.Prose()
		for _, s := range r.Servers {
			fmt.Fprintf(w, "%s: %s, %s\n", s.Name, w.Paint(stateStyle(s.State), s.State), term.Count(s.Tools, "tool"))
			for _, line := range []struct {
				what  string
				names []string
			}{{"new", s.Added}, {"gone", s.Removed}, {"changed", s.Changed}, {"changed and not used, patchbay mcp info " + s.Name + " shows how", s.Waiting}} {
				if len(line.names) > 0 {
					fmt.Fprintf(w, "  %s: %s\n", line.what, strings.Join(line.names, ", "))
				}
			}
			for _, text := range []string{s.Reason, s.Hint} {
				if text != "" {
					fmt.Fprintf(w, "  %s\n", term.Indented(text))
				}
			}
		}
	}),
	Names: func(i *command.Invocation) []string {
		return lists.Each(i.Out.(*plans.SyncResult).Servers, func(s plans.SyncedServer) string { return s.Name })
	},
}

// printChange says what the change of a tool means.
func printChange(w *term.Page, tool string, c *servers.ToolChange) {
	if c == nil {
		return
	}
	fmt.Fprintf(w.Prose(), "%s: %s change\n", tool, w.Paint(changeStyle(c.Class), c.Class))
	for _, reason := range c.Reasons {
		fmt.Fprintf(w.Prose(), "  %s\n", reason)
	}
}

func changeStyle(class string) term.Style {
	switch class {
	case servers.ChangeCompatible:
		return term.Good
	case servers.ChangeBreaking:
		return term.Bad
	}
	return term.Doubt
}

// MCPApprovePresenter is that of mcp approve.
var MCPApprovePresenter = command.Presenter{
	Long: "Accept the changed definitions of a server's tools, all of them unless some are named. patchbay mcp info shows the changes. A running patchbay serve uses the tools again within seconds. " +
		"With --try, nothing is accepted: the last 20 recorded runs of each graph that calls the tools are replayed with the server as it is now, and what differs is shown. Only tools that are known to be read-only are called; the records answer all other calls. The command fails if a run differs.",
	Example: "  patchbay mcp approve filesystem --try\n  patchbay mcp approve filesystem read_file",
	Start:   command.Offline,
	Print: command.Visibly(command.Printing(func(w *term.Page, r *library.ApproveResult) {
		for _, name := range slices.Sorted(maps.Keys(r.Changes)) {
			printChange(w, name, r.Changes[name])
		}
		for i := range r.Tried {
			printTried(w, &r.Tried[i])
		}
		for _, name := range r.Approved {
			fmt.Fprintf(w, "approved %s of %s\n", name, r.Server)
		}
		switch {
		case len(r.Changes) > 0:
			if !slices.ContainsFunc(r.Tried, func(t library.TriedGraph) bool { return t.Live > 0 || t.Recorded == 0 }) && len(r.Tried) > 0 {
				fmt.Fprintf(w.Prose(), "no tool was called: none is known to be read-only; trust: [%s] in patchbay.yaml trusts the annotations of the server\n", r.Server)
			}
			fmt.Fprintf(w, "patchbay mcp approve %s accepts the changes\n", r.Server)
		case len(r.Approved) == 0:
			fmt.Fprintf(w, "no tool of %s has a change that waits\n", r.Server)
		}
	})),
	Names: func(i *command.Invocation) []string { return i.Out.(*library.ApproveResult).Approved },
}

// printTried shows what recorded runs of a graph come to with a changed server.
func printTried(w *term.Page, t *library.TriedGraph) {
	fmt.Fprintf(w.Prose(), "graph %s: %s\n", t.Graph, w.Paint(changeStyle(t.Class), t.Class))
	if t.Error != nil {
		command.PrintFault(w, t.Error)
		return
	}
	fmt.Fprintf(w.Prose(), "  %d of %s the same (%s made again, %d answered from the records)\n", t.Same, term.Count(t.Runs, "recorded run"), term.Count(t.Live, "call"), t.Recorded)
	for _, run := range t.Differs {
		fmt.Fprintf(w, "  %s\n", run.RunID)
		command.PrintDifferences(w, run.Differences, "recorded")
	}
}

// tools adds what somebody should look at in the tools of a server.
func (d *diagnosis) tools(cmd *cobra.Command, p *app.App, server string) (names []string) {
	r, fault := p.Server(cmd.Context(), plans.ServerInput{Server: server})
	if fault != nil {
		return nil
	}
	for _, t := range r.Listed {
		names = append(names, t.Name)
		if t.State != "used" {
			d.fail(fmt.Sprintf("patchbay mcp info %s %s shows the change, patchbay mcp approve %s %s accepts it", server, t.Name, server, t.Name), "tool %s of server %s has changed and is not used", t.Name, server)
		}
		for _, text := range t.Suspicions {
			if !strings.HasPrefix(text, plans.SharesName) || strings.HasSuffix(text, "Patchbay") {
				d.ok("patchbay mcp info "+server+" "+t.Name+" shows its definition", "tool %s of server %s: %s", t.Name, server, text)
			}
		}
	}
	return names
}
