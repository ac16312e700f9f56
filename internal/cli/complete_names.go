package cli

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// maxDescription is how many characters of a description are shown beside a name.
const maxDescription = 60

// described is a name with its description.
func described(name, text string) string {
	if text == "" {
		return name
	}
	return name + "\t" + diag.Cut(diag.OneLine(text), maxDescription)
}

// opened calls f with the App of the flags that are before the word. The App has what is
// cached and stored and starts no server; faults of files are not reported. Only who asks
// for runs opens their store.
func (c *completion) opened(f func(*app.App)) {
	c.Offline, c.Never, c.Lenient = true, true, true
	if c.CheckFiles() != nil {
		return
	}
	pb, err := c.Open(c.cmd.Context(), io.Discard)
	if err != nil {
		return
	}
	defer pb.Close()
	f(pb)
}

// withoutRuns is opened without the store of runs.
func (c *completion) withoutRuns(f func(*app.App)) {
	c.Store = "memory"
	c.opened(f)
}

// known completes what an App without the store of runs knows.
func (c *completion) known(find func(*app.App) []string) (names []string, _ cobra.ShellCompDirective) {
	c.withoutRuns(func(pb *app.App) { names = find(pb) })
	return names, cobra.ShellCompDirectiveNoFileComp
}

// loadKnown puts the tools in the catalog that are known without another process.
func loadKnown(ctx context.Context, pb *app.App) {
	pb.LoadCached()
	if pb.Config().Workspace {
		pb.Start(ctx, config.WorkspaceName)
	}
}

func graphs(c *completion) ([]string, cobra.ShellCompDirective) {
	return c.known(func(pb *app.App) []string {
		r, fault := pb.Graphs(c.cmd.Context(), library.GraphsInput{})
		if fault != nil {
			return nil
		}
		return lists.Each(r.Graphs, func(g library.GraphInfo) string { return described(g.Name, g.Description) })
	})
}

// graphsOrFiles are the saved graphs; the shell completes files where none begins so.
func graphsOrFiles(c *completion) ([]string, cobra.ShellCompDirective) {
	names, _ := graphs(c)
	return names, cobra.ShellCompDirectiveDefault
}

func serverNames(c *completion) ([]string, cobra.ShellCompDirective) {
	return c.known(func(pb *app.App) []string {
		return lists.Each(pb.Status(), func(s downstream.Status) string { return described(s.Name, s.Transport) })
	})
}

// nodes are those of the catalog with the cached tools. While many begin like the word,
// only the parts of their names up to the next separator are listed.
func nodes(c *completion) ([]string, cobra.ShellCompDirective) { return c.nodes("") }

// callable are the nodes that patchbay call runs.
func callable(c *completion) ([]string, cobra.ShellCompDirective) { return c.nodes("mcp:", "graph:") }

// nodes are those whose names begin like the word, and with one of some prefixes.
func (c *completion) nodes(prefixes ...string) ([]string, cobra.ShellCompDirective) {
	var names []string
	c.withoutRuns(func(pb *app.App) {
		loadKnown(c.cmd.Context(), pb)
		for _, name := range pb.Completion.Candidates(c.cmd.Context(), execution.NodeIDs) {
			if strings.HasPrefix(name, c.begun) && slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
				names = append(names, name)
			}
		}
	})
	if len(names) <= maxNodes {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	for i, name := range names {
		if end := strings.IndexAny(name[len(c.begun):], ":/"); end >= 0 {
			names[i] = name[:len(c.begun)+end+1]
		}
	}
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// maxNodes is how many nodes are listed by their whole names.
const maxNodes = 60

func nodeTypes(c *completion) ([]string, cobra.ShellCompDirective) {
	return c.known(func(pb *app.App) (names []string) {
		for _, t := range pb.Catalog().Snapshot().Types() {
			names = append(names, t.Name)
		}
		return names
	})
}

// maxRuns is how many runs are listed.
const maxRuns = 50

// runIDs are the latest runs of the project, the latest first.
func runIDs(c *completion) ([]string, cobra.ShellCompDirective) {
	names := []string{described("latest", "the latest run"), described("latest:failed", "the latest run that failed")}
	c.opened(func(pb *app.App) {
		r, fault := pb.Runs(c.cmd.Context(), execution.RunsInput{Limit: maxRuns})
		if fault != nil {
			return
		}
		for _, s := range r.Runs {
			names = append(names, described(s.ID, strings.TrimSpace(string(s.Status)+" "+term.Ago(s.Started, time.Now())+" "+s.Graph)))
		}
	})
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// listedBy are the names that a list command prints with -o name.
func listedBy(words string) candidates {
	return func(c *completion) ([]string, cobra.ShellCompDirective) {
		at := slices.IndexFunc(app.Operations(), func(o app.Operation) bool { return o.Command == words })
		i := &command.Invocation{Flags: c.Flags, Cmd: c.cmd, Presenter: presenters[words], Operation: app.Operations()[at]}
		return c.known(func(pb *app.App) []string {
			out, fault := i.Operation.Call(c.cmd.Context(), pb, i.Operation.NewInput())
			if fault != nil {
				return nil
			}
			i.Out = out
			return i.Presenter.Names(i)
		})
	}
}
