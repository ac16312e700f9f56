package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

var graphsListPresenter = command.Presenter{
	Example: "  patchbay graphs list\n  patchbay graphs list --all\n  patchbay graphs list -o name",
	Start:   command.Offline,
	Print: command.Visibly(func(i *command.Invocation, w *term.Page) {
		r := i.Out.(*library.GraphsResult)
		t := term.NewTable("name", "revision", "tool", "description")
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
			t.Add(g.Name, g.Revision, exposed, g.Description)
		}
		t.WriteOr(w, "no saved graphs")
		if r.More > 0 {
			fmt.Fprintf(w, "%s cannot run here: patchbay graphs list --all shows what is missing\n", term.Count(r.More, "more graph"))
		}
		for _, b := range r.Broken {
			command.PrintFault((&term.Page{Writer: i.Cmd.ErrOrStderr()}).Visible(), b)
		}
	}),
	Names: func(i *command.Invocation) []string {
		return lists.Each(i.Out.(*library.GraphsResult).Graphs, func(g library.GraphInfo) string { return g.Name })
	},
}

var graphsShowPresenter = command.Presenter{
	Long:    "Print a saved graph, or one of its last 20 revisions. --diff prints what has changed since a revision, --revisions when each was saved.",
	Example: "  patchbay graphs show count_files\n  patchbay graphs show count_files --revisions\n  patchbay graphs show count_files --revision 2bad8f92 --diff",
	Start:   command.Offline,
	Extend: func(c *cobra.Command) func(*command.Invocation) error {
		c.Flags().Bool("revisions", false, "list the revisions, the latest first")
		return func(*command.Invocation) error { return nil }
	},
	Print: command.Visibly(func(i *command.Invocation, w *term.Page) {
		r := i.Out.(*library.GetGraphResult)
		if list, _ := i.Cmd.Flags().GetBool("revisions"); list {
			printRevisions(w, r)
			return
		}
		fmt.Fprint(w, r.Graph, r.Diff)
	}),
}

// printRevisions lists what is kept of a graph.
func printRevisions(w *term.Page, r *library.GetGraphResult) {
	t := term.NewTable("revision", "saved")
	for _, kept := range r.Revisions {
		saved, _ := time.Parse(time.RFC3339, kept.Saved) // of ours
		t.Add(kept.Revision, term.Ago(saved, time.Now()))
	}
	t.WriteOr(w, "no revisions")
}

var graphsRestorePresenter = command.Presenter{
	Long:    "Save a former revision of a graph again, also of one that was deleted. The current text is kept as a revision. graphs show NAME --revisions lists them.",
	Example: "  patchbay graphs restore count_files 2bad8f92",
	Start:   command.WithCached, Finish: graphsSavePresenter.Finish, Print: graphsSavePresenter.Print, Names: graphsSavePresenter.Names,
}

var graphsApprovePresenter = command.Presenter{
	Long: "Approve saved graphs as they are now, and the tools that they use. Until then, a graph that came with its folder is not a tool, and calls of destructive tools in it, or in one that an agent has saved, ask a person. " +
		"A graph whose tool has changed since it was saved fails with tool-changed; the error shows the change. graphs show NAME prints the graph.",
	Example: "  patchbay graphs approve count_files\n  patchbay graphs approve --all",
	Start:   command.WithCached,
	Print: command.Visibly(func(i *command.Invocation, w *term.Page) {
		r := i.Out.(*library.ApproveGraphResult)
		if len(r.Graphs) == 0 {
			fmt.Fprintln(w, "all saved graphs are approved")
		}
		for _, g := range r.Graphs {
			printApproved(w, g)
		}
	}),
	Names: func(i *command.Invocation) (names []string) {
		for _, g := range i.Out.(*library.ApproveGraphResult).Graphs {
			names = append(names, g.Approved...)
		}
		return names
	},
}

func printApproved(w *term.Page, g library.ApprovedGraph) {
	if g.Reviewed || g.Error != nil {
		w.Named("graph", g.Name, "does", diag.Cut(g.Description, 300), "nodes", fmt.Sprintf("%d (%s)", g.Nodes, strings.Join(g.Kinds, ", ")),
			"calls", strings.Join(slices.Concat(g.Tools, g.Graphs), ", "), "requests", strings.Join(g.Requests, ", "))
	}
	switch {
	case g.Error != nil:
		command.PrintFault(w, g.Error)
	case g.Reviewed:
		fmt.Fprintf(w, "approved %s\n", g.Name)
	case len(g.Approved) == 0:
		fmt.Fprintf(w, "no tool of %s has changed since it was saved\n", g.Name)
	}
	if len(g.Approved) > 0 {
		fmt.Fprintf(w, "approved %s of %s\n", strings.Join(g.Approved, ", "), g.Name)
	}
}

var graphsFixPresenter = command.Presenter{
	Long: "Write the present names of tools of APIs into saved graphs that call them by former names, which a fault tool-changed names. " +
		"Who answers for a graph stays: one that nobody has approved is not changed. Without a NAME, all saved graphs are fixed; graphs restore takes a fix back.",
	Example: "  patchbay graphs fix\n  patchbay graphs fix traffic",
	Start:   command.WithCached,
	Print: command.Visibly(func(i *command.Invocation, w *term.Page) {
		r := i.Out.(*library.FixGraphsResult)
		if len(r.Graphs) == 0 {
			fmt.Fprintln(w, "no saved graph calls a tool by a former name")
		}
		for _, g := range r.Graphs {
			for _, t := range g.Tools {
				fmt.Fprintf(w, "%s: node %s calls %s, formerly %s\n", g.Name, t.Node, t.Now, t.Former)
			}
			if g.Error != nil {
				command.PrintFault(w, g.Error)
			}
		}
	}),
	Names: func(i *command.Invocation) []string {
		return lists.Each(i.Out.(*library.FixGraphsResult).Graphs, func(g library.FixedGraph) string { return g.Name })
	},
}

var graphsDeletePresenter = command.Presenter{
	Example: "  patchbay graphs delete count_files",
	Start:   command.Offline,
	Several: true,
	Print: command.Printing(func(w *term.Page, r *library.DeleteResult) {
		fmt.Fprintf(w, "deleted %s\n", r.Name)
		if r.Hint != "" {
			fmt.Fprintln(w, r.Hint)
		}
	}),
	Names: func(i *command.Invocation) []string { return []string{i.Out.(*library.DeleteResult).Name} },
}

var graphsSavePresenter = command.Presenter{
	Long:    "Save a valid graph as a tool. The tests that are kept with a graph of that name run first, and what breaks one is not saved. The cases of --cases run too and must pass; those with an expected result or error, or with keep: true, become tests.",
	Example: "  patchbay graphs save count_files.yaml --overwrite\n  patchbay graphs save --last 3 > draft.yaml\n  patchbay graphs save examples/shipping.yaml --cases examples/shipping.test.yaml",
	Start:   command.WithCached,
	Unless:  []string{"from-calls", "last"},
	Extend: func(c *cobra.Command) func(*command.Invocation) error {
		cases := casesFlag(c)
		return func(i *command.Invocation) (err error) {
			i.In.(*library.SaveInput).Cases, err = cases()
			return err
		}
	},
	Finish: func(i *command.Invocation) error {
		r := i.Out.(*library.SaveResult)
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
	Print: func(i *command.Invocation, w *term.Page) {
		if r := i.Out.(*library.SaveResult); r.Draft != "" {
			printDraft(w, r)
		} else {
			printSaved(w, r)
		}
	},
	Names: func(i *command.Invocation) []string { return []string{i.Out.(*library.SaveResult).Name} },
}

func printSaved(w *term.Page, r *library.SaveResult) {
	if !r.Failed() {
		w = w.Prose()
		fmt.Fprintf(w, "saved %s (%s)\n%s\n", r.Name, r.Revision, r.HowToCall)
		for _, note := range r.Notes {
			fmt.Fprintf(w, "note: %s\n", note)
		}
		printKept(w, r.Tests)
		return
	}
	w.Diagnostics(r.Rendered)
	if r.Cases != nil {
		for _, line := range r.Cases.Lines {
			fmt.Fprintln(w, line)
		}
	}
	printKept(w, r.Tests)
	if r.Error != nil {
		command.PrintFault(w, r.Error)
	}
}

// printDraft writes a draft so that it can be a file: what is said of it is comments.
func printDraft(w *term.Page, r *library.SaveResult) {
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
func printKept(w *term.Page, r *library.KeptTests) {
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
