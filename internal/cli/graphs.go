package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/library"
)

var graphsListPresenter = presenter{
	example: "  patchbay graphs list\n  patchbay graphs list --all\n  patchbay graphs list -o name",
	start:   offline,
	print: visibly(func(i *invocation, w *page) {
		r := i.out.(*library.GraphsResult)
		t := newTable("name", "revision", "tool", "description")
		for _, g := range r.Graphs {
			exposed := "no"
			if g.Exposed {
				exposed = "yes"
			}
			if g.Reason != "" {
				exposed += ", not approved"
			}
			if len(g.Lacks) > 0 {
				exposed += ": there is no " + strings.Join(g.Lacks, ", no ")
			}
			t.add(g.Name, g.Revision, exposed, g.Description)
		}
		t.writeOr(w, "no saved graphs")
		if r.More > 0 {
			fmt.Fprintf(w, "%s cannot run here: patchbay graphs list --all shows what is missing\n", counted(r.More, "more graph"))
		}
		for _, b := range r.Broken {
			printFault(visibleWriter{i.cmd.ErrOrStderr()}, b)
		}
	}),
	names: func(i *invocation) []string {
		return each(i.out.(*library.GraphsResult).Graphs, func(g library.GraphInfo) string { return g.Name })
	},
}

var graphsShowPresenter = presenter{
	long:    "Print a saved graph, or one of its last 20 revisions. --diff prints what has changed since a revision, --revisions when each was saved.",
	example: "  patchbay graphs show count_files\n  patchbay graphs show count_files --revisions\n  patchbay graphs show count_files --revision 2bad8f92 --diff",
	start:   offline,
	extend: func(c *cobra.Command) func(*invocation) error {
		c.Flags().Bool("revisions", false, "list the revisions, the latest first")
		return func(*invocation) error { return nil }
	},
	print: visibly(func(i *invocation, w *page) {
		r := i.out.(*library.GetGraphResult)
		if list, _ := i.cmd.Flags().GetBool("revisions"); list {
			printRevisions(w, r)
			return
		}
		fmt.Fprint(w, r.Graph, r.Diff)
	}),
}

// printRevisions lists what is kept of a graph.
func printRevisions(w *page, r *library.GetGraphResult) {
	t := newTable("revision", "saved")
	for _, kept := range r.Revisions {
		saved, _ := time.Parse(time.RFC3339, kept.Saved) // of ours
		t.add(kept.Revision, ago(saved, time.Now()))
	}
	t.writeOr(w, "no revisions")
}

var graphsRestorePresenter = presenter{
	long:    "Save a former revision of a graph again, also of one that was deleted. The current text is kept as a revision. graphs show NAME --revisions lists them.",
	example: "  patchbay graphs restore count_files 2bad8f92",
	start:   withCached, finish: graphsSavePresenter.finish, print: graphsSavePresenter.print, names: graphsSavePresenter.names,
}

var graphsApprovePresenter = presenter{
	long: "Approve saved graphs as they are now, and the tools that they use. Until then, a graph that came with its folder is not a tool, and calls of destructive tools in it, or in one that an agent has saved, ask a person. " +
		"A graph whose tool has changed since it was saved fails with tool-changed; the error shows the change. graphs show NAME prints the graph.",
	example: "  patchbay graphs approve count_files\n  patchbay graphs approve --all",
	start:   withCached,
	print: visibly(func(i *invocation, w *page) {
		r := i.out.(*library.ApproveGraphResult)
		if len(r.Graphs) == 0 {
			fmt.Fprintln(w, "all saved graphs are approved")
		}
		for _, g := range r.Graphs {
			printApproved(w, g)
		}
	}),
	names: func(i *invocation) (names []string) {
		for _, g := range i.out.(*library.ApproveGraphResult).Graphs {
			names = append(names, g.Approved...)
		}
		return names
	},
}

func printApproved(w *page, g library.ApprovedGraph) {
	if g.Reviewed || g.Error != nil {
		printLines(w, "graph", g.Name, "does", diag.Cut(g.Description, 300), "nodes", fmt.Sprintf("%d (%s)", g.Nodes, strings.Join(g.Kinds, ", ")),
			"calls", strings.Join(slices.Concat(g.Tools, g.Graphs), ", "), "requests", strings.Join(g.Requests, ", "))
	}
	switch {
	case g.Error != nil:
		printFault(w, g.Error)
	case g.Reviewed:
		fmt.Fprintf(w, "approved %s\n", g.Name)
	case len(g.Approved) == 0:
		fmt.Fprintf(w, "no tool of %s has changed since it was saved\n", g.Name)
	}
	if len(g.Approved) > 0 {
		fmt.Fprintf(w, "approved %s of %s\n", strings.Join(g.Approved, ", "), g.Name)
	}
}

// printLines prints texts in turn under their names, without those that are empty.
func printLines(w *page, pairs ...string) {
	w = w.prose()
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			fmt.Fprintf(w, "%-9s %s\n", pair[0], pair[1])
		}
	}
}

var graphsFixPresenter = presenter{
	long: "Write the present names of tools of APIs into saved graphs that call them by former names, which a fault tool-changed names. " +
		"Who answers for a graph stays: one that nobody has approved is not changed. Without a NAME, all saved graphs are fixed; graphs restore takes a fix back.",
	example: "  patchbay graphs fix\n  patchbay graphs fix traffic",
	start:   withCached,
	print: visibly(func(i *invocation, w *page) {
		r := i.out.(*library.FixGraphsResult)
		if len(r.Graphs) == 0 {
			fmt.Fprintln(w, "no saved graph calls a tool by a former name")
		}
		for _, g := range r.Graphs {
			for _, t := range g.Tools {
				fmt.Fprintf(w, "%s: node %s calls %s, formerly %s\n", g.Name, t.Node, t.Now, t.Former)
			}
			if g.Error != nil {
				printFault(w, g.Error)
			}
		}
	}),
	names: func(i *invocation) []string {
		return each(i.out.(*library.FixGraphsResult).Graphs, func(g library.FixedGraph) string { return g.Name })
	},
}

var graphsDeletePresenter = presenter{
	example: "  patchbay graphs delete count_files",
	start:   offline,
	several: true,
	print: printing(func(w *page, r *library.DeleteResult) {
		fmt.Fprintf(w, "deleted %s\n", r.Name)
		if r.Hint != "" {
			fmt.Fprintln(w, r.Hint)
		}
	}),
	names: func(i *invocation) []string { return []string{i.out.(*library.DeleteResult).Name} },
}

var graphsSavePresenter = presenter{
	long:    "Save a valid graph as a tool. The tests that are kept with a graph of that name run first, and what breaks one is not saved. The cases of --cases run too and must pass; those with an expected result or error, or with keep: true, become tests.",
	example: "  patchbay graphs save count_files.yaml --overwrite\n  patchbay graphs save --last 3 > draft.yaml\n  patchbay graphs save examples/shipping.yaml --cases examples/shipping.test.yaml",
	start:   withCached,
	unless:  []string{"from-calls", "last"},
	extend: func(c *cobra.Command) func(*invocation) error {
		cases := casesFlag(c)
		return func(i *invocation) (err error) {
			i.in.(*library.SaveInput).Cases, err = cases()
			return err
		}
	},
	finish: func(i *invocation) error {
		r := i.out.(*library.SaveResult)
		if r.Draft != "" {
			r.Hint = "write the draft to a file, edit it, and save that: patchbay graphs save FILE --name NAME --description TEXT"
		}
		if r.Failed() || r.Draft != "" {
			return nil
		}
		if r.HowToCall = "patchbay run " + r.Name + " [KEY=VALUE…]"; r.Exposed {
			r.HowToCall += "; patchbay serve offers it as the tool " + r.Name
		}
		return nil
	},
	print: func(i *invocation, w *page) {
		if r := i.out.(*library.SaveResult); r.Draft != "" {
			printDraft(w, r)
		} else {
			printSaved(w, r)
		}
	},
	names: func(i *invocation) []string { return []string{i.out.(*library.SaveResult).Name} },
}

func printSaved(w *page, r *library.SaveResult) {
	if !r.Failed() {
		w = w.prose()
		fmt.Fprintf(w, "saved %s (%s)\n%s\n", r.Name, r.Revision, r.HowToCall)
		for _, note := range r.Notes {
			fmt.Fprintf(w, "note: %s\n", note)
		}
		printKept(w, r.Tests)
		return
	}
	w.diagnostics(r.Rendered)
	if r.Cases != nil {
		for _, line := range r.Cases.Lines {
			fmt.Fprintln(w, line)
		}
	}
	printKept(w, r.Tests)
	if r.Error != nil {
		printFault(w, r.Error)
	}
}

// printDraft writes a draft so that it can be a file: what is said of it is comments.
func printDraft(w *page, r *library.SaveResult) {
	verdict := "proven: a run with the recorded results makes the recorded calls"
	switch {
	case !*r.Valid:
		verdict = "not valid"
	case !*r.Proven && len(r.Differences) == 0:
		verdict = "not proven: items of a list are chosen by their position"
	case !*r.Proven:
		verdict = "not proven: a run with the recorded results makes other calls"
	}
	fmt.Fprintf(w, "# %s\n", verdict)
	for _, d := range r.Diagnostics {
		fmt.Fprintf(w, "# %s: %s\n", d.Code, d.Message)
	}
	for _, d := range r.Differences {
		fmt.Fprintf(w, "# %s %s: %s, now %s\n", d.Step, d.What, d.Recorded, d.Replayed)
	}
	for _, c := range r.Ambiguous {
		fmt.Fprintf(w, "# %s of %s is %s, and could be %s\n", c.Argument, c.Node, c.Chosen, strings.Join(c.Others, " or "))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "# note: %s\n", note)
	}
	fmt.Fprintf(w, "# arguments of the recording: %s\n%s", r.Arguments, r.Graph)
}

// printKept shows the tests that are kept with a graph.
func printKept(w *page, r *library.KeptTests) {
	if r == nil {
		return
	}
	for _, line := range r.Failing {
		what := "FAIL  "
		if r.Dropped {
			what = "deleted test: "
		}
		fmt.Fprintln(w, what+line)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	if r.File != "" && (len(r.Failing) == 0 || r.Dropped) {
		fmt.Fprintf(w, "tests: %d (%d new) in %s\n", r.Kept, r.Added, r.File)
	}
}
