package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers"
)

var mcpInfoPresenter = presenter{
	long: "Show a server: its state, and of each tool the hash of its definition, the type of its results (declared, or learned from earlier results), changes that wait for patchbay mcp approve, and what in its definition somebody should look at. " +
		"With TOOL, its whole definition and its change are shown. A server whose tools are not cached is started.",
	example: "  patchbay mcp info filesystem\n  patchbay mcp info filesystem read_file",
	start:   withListed,
	print: visibly(printing(func(w *page, r *plans.ServerResult) {
		prose := w.prose()
		fmt.Fprintf(prose, "%s (%s): %s, %s, trust %s\n", r.Name, r.Transport, r.State, counted(r.Tools, "tool"), r.Trust)
		for _, line := range []struct{ what, text string }{{"software", r.Software}, {"defined in", r.From}, {"reason", r.Reason}, {"hint", r.Hint}} {
			if line.text != "" {
				fmt.Fprintf(prose, "  %s: %s\n", line.what, strings.ReplaceAll(line.text, "\n", "\n    "))
			}
		}
		for _, note := range r.Notes {
			fmt.Fprintf(prose, "  note: %s\n", note)
		}
		t := newTable("tool", "hash", "state", "result")
		for _, tool := range r.Listed {
			state, style := tool.State, good
			if state != "used" {
				style = bad
			}
			result := tool.Result
			if tool.Learned > 0 {
				result += fmt.Sprintf(" (learned from %s)", counted(tool.Learned, "result"))
			}
			t.add(tool.Name, tool.Hash[:min(12, len(tool.Hash))], cell{text: state, style: style}, cmp.Or(result, "not known"))
		}
		t.write(w)
		for _, tool := range r.Listed {
			printTool(w, tool)
			if tool.Diff != "" {
				fmt.Fprintf(w, "patchbay mcp approve %s %s accepts this change\n", r.Name, tool.Name)
			}
		}
	})),
	names: func(i *invocation) []string {
		return each(i.out.(*plans.ServerResult).Listed, func(tool plans.ServerTool) string { return tool.Name })
	},
}

// printTool writes what there is to say of a tool in addition to its row.
func printTool(w *page, t plans.ServerTool) {
	for _, text := range t.Suspicions {
		fmt.Fprintf(w.prose(), "%s: %s\n", t.Name, w.paint(doubt, text))
	}
	for _, c := range t.Changes {
		fmt.Fprintf(w, "%s: changed %s from %s to %s (%s)\n", t.Name, c.At.Format("2006-01-02"), c.From[:min(12, len(c.From))], c.To[:min(12, len(c.To))], c.How)
	}
	if t.Description != "" {
		fmt.Fprintf(w.prose(), "\n%s\n", t.Description)
	}
	if len(t.InputSchema) > 0 {
		fmt.Fprintf(w, "\n%s\n", t.InputSchema)
	}
	if t.Diff != "" {
		fmt.Fprintf(w, "\n%s", t.Diff)
	}
	printChange(w, t.Name, t.Change)
}

var mcpSyncPresenter = presenter{
	long:    "Start servers, list their tools and show what has changed since they were listed last. Changed definitions that wait for a person are named.",
	example: "  patchbay mcp sync\n  patchbay mcp sync filesystem",
	start:   offline,
	print: printing(func(w *page, r *plans.SyncResult) {
		w = w.prose()
		for _, s := range r.Servers {
			fmt.Fprintf(w, "%s: %s, %s\n", s.Name, w.paint(stateStyle(s.State), s.State), counted(s.Tools, "tool"))
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
					fmt.Fprintf(w, "  %s\n", indented(text))
				}
			}
		}
	}),
	names: func(i *invocation) []string {
		return each(i.out.(*plans.SyncResult).Servers, func(s plans.SyncedServer) string { return s.Name })
	},
}

// printChange says what the change of a tool means.
func printChange(w *page, tool string, c *servers.ToolChange) {
	if c == nil {
		return
	}
	fmt.Fprintf(w.prose(), "%s: %s change\n", tool, w.paint(changeStyle(c.Class), c.Class))
	for _, reason := range c.Reasons {
		fmt.Fprintf(w.prose(), "  %s\n", reason)
	}
}

func changeStyle(class string) style {
	switch class {
	case servers.ChangeCompatible:
		return good
	case servers.ChangeBreaking:
		return bad
	}
	return doubt
}

var mcpApprovePresenter = presenter{
	long: "Accept the changed definitions of a server's tools, all of them unless some are named. patchbay mcp info shows the changes. A running patchbay serve uses the tools again within seconds. " +
		"With --try, nothing is accepted: the last 20 recorded runs of each graph that calls the tools are replayed with the server as it is now, and what differs is shown. Only tools that are known to be read-only are called; the records answer all other calls. The command fails if a run differs.",
	example: "  patchbay mcp approve filesystem --try\n  patchbay mcp approve filesystem read_file",
	start:   offline,
	print: visibly(printing(func(w *page, r *library.ApproveResult) {
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
				fmt.Fprintf(w.prose(), "no tool was called: none is known to be read-only; trust: [%s] in patchbay.yaml trusts the annotations of the server\n", r.Server)
			}
			fmt.Fprintf(w, "patchbay mcp approve %s accepts the changes\n", r.Server)
		case len(r.Approved) == 0:
			fmt.Fprintf(w, "no tool of %s has a change that waits\n", r.Server)
		}
	})),
	names: func(i *invocation) []string { return i.out.(*library.ApproveResult).Approved },
}

// printTried shows what recorded runs of a graph come to with a changed server.
func printTried(w *page, t *library.TriedGraph) {
	fmt.Fprintf(w.prose(), "graph %s: %s\n", t.Graph, w.paint(changeStyle(t.Class), t.Class))
	if t.Error != nil {
		printFault(w, t.Error)
		return
	}
	fmt.Fprintf(w.prose(), "  %d of %s the same (%s made again, %d answered from the records)\n", t.Same, counted(t.Runs, "recorded run"), counted(t.Live, "call"), t.Recorded)
	for _, run := range t.Differs {
		fmt.Fprintf(w, "  %s\n", run.RunID)
		printDifferences(w, run.Differences, "recorded")
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
