package setup

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/library/graphsource"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// addOptions is what graphs add was asked to do.
type addOptions struct {
	name  string
	force bool
	yes   bool
}

// An addResult is the result of graphs add.
type addResult struct {
	*library.ImportedGraph
	Added    bool     `json:"added"`
	File     string   `json:"file,omitempty"`     // that the servers were added to
	Commands []string `json:"commands,omitempty"` // of the servers, one a line
	New      []string `json:"newServers,omitempty"`
	asked    bool
	folder   string   // of the saved graphs
	Left     []string `json:"leftServers,omitempty"` // that were not added: there are others of their names, or the file is always trusted
}

// GraphsAddCommand is patchbay graphs add.
func GraphsAddCommand(f *command.Flags) *cobra.Command {
	var in addOptions
	c := &cobra.Command{
		Use: "add SOURCE", Short: "Take a graph from a file, a URL or a git repository",
		Long: "Take a graph, the tests next to it and the servers that it defines from elsewhere. SOURCE is a file, https://HOST/PATH, or git+https://HOST/REPOSITORY@REVISION:PATH (git+ssh and git+file too). " +
			"The command shows what the graph does, and asks at a terminal unless --yes is given. The graph is saved with its source and its hash, and counts as saved by an agent until `patchbay graphs approve`; its servers are added to patchbay.yaml and not started until `patchbay trust`.",
		Example: "  patchbay graphs add https://example.com/graphs/count_files.yaml\n  patchbay graphs add git+https://github.com/example/graphs@v1.2:count_files.yaml --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			return addGraph(f, cmd, in, args[0])
		},
	}
	c.Flags().StringVar(&in.name, "name", "", "save it as `NAME`")
	c.Flags().BoolVar(&in.force, "force", false, "replace a saved graph of that name")
	c.Flags().BoolVar(&in.yes, "yes", false, "ask nothing")
	return c
}

func addGraph(f *command.Flags, cmd *cobra.Command, in addOptions, text string) error {
	source, fault := graphsource.Parse(text)
	if fault != nil {
		return fault
	}
	f.Offline = true
	p, err := f.OpenApp(cmd)
	if err != nil {
		return err
	}
	defer p.Close()
	got, fault := source.Fetch(cmd.Context(), graphsource.Options{MaxBytes: graph.MaxBytes, Transport: func(url string) http.RoundTripper { return p.Egress.APIReach(url) }})
	if fault != nil {
		return fault
	}
	a, fault := p.InspectGraph(in.name, source.Name(), got.Graph, got.Tests, graphfiles.Origin{Source: got.Source, Commit: got.Commit, SHA256: got.SHA256})
	if fault != nil {
		return fault
	}
	out := &addResult{ImportedGraph: a, folder: p.Config().GraphsDir}
	entries, err := out.entries()
	if err != nil {
		return err
	}
	if err := decide(f, cmd, in, out); err != nil {
		return err
	}
	if out.Added {
		if fault := p.ImportGraph(cmd.Context(), a, in.force); fault != nil {
			return fault
		}
		if err := addServersFrom(f, cmd, out, entries); err != nil {
			return err
		}
	}
	failed := !out.Added && a.State != library.ArrivalUnchanged
	return command.FailedIf(failed, f.Print(cmd, command.Result{Value: out, Names: func() []string { return []string{a.Name} }, Text: out.text}))
}

// entries are the servers that the graph defines.
func (out *addResult) entries() ([]serverfile.Entry, error) {
	text := out.ServersText()
	if text == "" {
		return nil, nil
	}
	entries, err := serverfile.Read(`{"mcpServers": `+text+`}`, "")
	if err != nil && !errors.Is(err, serverfile.ErrNoServers) {
		return nil, &diag.Fault{Code: engine.CodeInvalidGraph, Message: "its servers cannot be read: " + err.Error()}
	}
	for _, e := range entries {
		out.Commands = append(out.Commands, diag.Cut(diag.OneLine(e.Name+": "+reachedBy(e)), 200))
	}
	return entries, nil
}

// reachedBy is what an entry starts or reaches, and the names of the variables that it sets.
func reachedBy(e serverfile.Entry) string {
	var words []string
	for _, field := range e.Fields {
		switch value := field.Value.(type) {
		case graph.Members: // env and headers, whose values may be secrets
			for _, p := range value {
				words = append(words, field.Key+" "+p.Key)
			}
		case []any:
			for _, item := range value {
				words = append(words, fmt.Sprint(item))
			}
		default:
			words = append(words, fmt.Sprint(value))
		}
	}
	return strings.Join(words, " ")
}

// decide finds out whether the graph is to be saved.
func decide(f *command.Flags, cmd *cobra.Command, in addOptions, out *addResult) error {
	switch {
	case out.State == library.ArrivalUnchanged && !out.Edited:
		return nil
	case out.State != library.ArrivalNew && !in.force:
		fault := diag.Faultf(graphfiles.CodeAlreadyExists, "a graph named %q is already saved", out.Name)
		if out.State == library.ArrivalChanged {
			fault.Message = fmt.Sprintf("the graph %q has changed at %s since it was added (sha256 %.12s, now %.12s)", out.Name, out.Origin.Source, out.Before.SHA256, out.Origin.SHA256)
		}
		if out.Edited {
			fault.Message += "; the saved one has been changed here since"
		}
		fault.Hint = "--force replaces it, --name NAME gives the new one another name"
		return fault
	case in.yes:
		out.Added = true
		return nil
	case !command.ReadStdin(cmd).Terminal || f.Structured():
		return nil
	}
	log := f.Page(cmd.ErrOrStderr())
	out.asked = true
	out.describe(log)
	fmt.Fprintf(log, "Save it as %s? [y/N] ", out.Name)
	var err error
	out.Added, err = command.ReadStdin(cmd).Agrees(cmd.Context())
	return err
}

// addServersFrom adds the servers to the patchbay.yaml of the working directory, which needs
// to be trusted again. A file that is always trusted would start them, so it stays as it
// is.
func addServersFrom(f *command.Flags, cmd *cobra.Command, out *addResult, entries []serverfile.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	e, err := beginEdit(f)
	if err != nil {
		return err
	}
	defer e.Release()
	for _, entry := range entries {
		more, err := serverfile.Add(e.After, []serverfile.Entry{entry}, false)
		switch {
		case errors.As(err, new(*serverfile.TakenError)), !e.NeedsTrust:
			out.Left = append(out.Left, entry.Name)
		case err != nil:
			return fmt.Errorf("%s: %w", e.Path, err)
		default:
			e.After, out.New, out.File = more, append(out.New, entry.Name), e.Path
		}
	}
	if len(out.New) == 0 {
		return nil
	}
	if err := check(f, cmd, e); err != nil {
		return err
	}
	return files.Write(e.Path, []byte(e.After), e.Mode)
}

// describe says what the graph does.
func (out *addResult) describe(w *term.Page) {
	w.Named("graph", out.Name, "does", diag.Cut(out.Description, 300), "source", out.Origin.Source, "commit", out.Origin.Commit, "sha256", out.Origin.SHA256,
		"nodes", fmt.Sprintf("%d (%s)", out.Nodes, strings.Join(out.Kinds, ", ")), "calls", strings.Join(out.Tools, ", "),
		"requests", strings.Join(out.Requests, ", "), "tests", term.Count(out.Tests, "test"))
	for _, line := range out.Commands {
		w.Named("server", line)
	}
}

func (out *addResult) text(w *term.Page) {
	switch {
	case out.Added:
		if !out.asked {
			out.describe(w)
		}
		fmt.Fprintf(w, "added %s from %s (sha256 %.12s)\n", out.Name, out.Origin.Source, out.Origin.SHA256)
		for _, name := range out.New {
			fmt.Fprintf(w, "added server %s to %s, which is not started until: patchbay trust\n", name, out.File)
		}
		for _, name := range out.Left {
			fmt.Fprintf(w, "server %s was not added: patchbay mcp list shows whether there is one of that name, patchbay mcp add adds it\n", name)
		}
		fmt.Fprintf(w, "check it with patchbay validate %s", filepath.Join(out.folder, out.Name+".yaml"))
		if out.Tests > 0 {
			fmt.Fprintf(w, " and patchbay test %s", filepath.Join(out.folder, out.Name+".test.yaml"))
		}
		fmt.Fprintf(w, ", then: patchbay graphs approve %s\n", out.Name)
	case out.State == library.ArrivalUnchanged:
		fmt.Fprintf(w, "%s is unchanged since it was added on %s\n", out.Name, out.Before.Added.Format("2006-01-02"))
	case out.asked:
		fmt.Fprintln(w, "not added")
	default:
		out.describe(w)
		fmt.Fprintln(w, "not added: --yes adds it")
	}
}
