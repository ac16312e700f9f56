package setup

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// An addition is what mcp add was asked to do.
type addition struct {
	from    string // another client
	env     []string
	headers []string
	cwd     string
	only    []string
	graphql bool   // SOURCE is a GraphQL API
	openapi bool   // SOURCE is an OpenAPI document
	at      string // where requests of the API go
	dryRun  bool
	force   bool
}

// An added is the result of mcp add.
type added struct {
	File    string             `json:"file"`
	Servers []serverfile.Entry `json:"servers"`
	Written bool               `json:"written"`
	Diff    string             `json:"diff,omitempty"`
}

// MCPAddCommand is patchbay mcp add.
func MCPAddCommand(f *command.Flags) *cobra.Command {
	var a addition
	c := &cobra.Command{
		Use: "add [NAME] [SOURCE] [-- COMMAND ARG…]", Args: cobra.ArbitraryArgs,
		Short: "Add servers to patchbay.yaml",
		Long: "Add servers to patchbay.yaml, whose comments and order stay. SOURCE is the JSON that a README prints, @FILE or - (standard input) with such a text, a URL, npm:NAME or pypi:NAME. " +
			"After -- follows a command line. With --from, the servers of another client are imported. No server is started: patchbay mcp sync starts them and lists their tools.",
		Example: "  patchbay mcp add fs -- npx -y @modelcontextprotocol/server-filesystem .\n" +
			"  patchbay mcp add '{\"mcpServers\": {\"git\": {\"command\": \"uvx\", \"args\": [\"mcp-server-git\"]}}}'\n" +
			"  patchbay mcp add https://mcp.example.com/mcp --header 'Authorization: Bearer ${EXAMPLE_TOKEN}'\n" +
			"  patchbay mcp add npm:@modelcontextprotocol/server-memory --dry-run\n" +
			"  patchbay mcp add --graphql shop https://api.example.com/graphql\n" +
			"  patchbay mcp add --from cursor",
		RunE: func(cmd *cobra.Command, args []string) error {
			return addServers(f, cmd, a, args)
		},
	}
	p := c.Flags()
	p.StringVar(&a.from, "from", "", "import the servers of a `CLIENT`: "+strings.Join(serverfile.Clients(), ", "))
	p.StringArrayVar(&a.only, "only", nil, "of several servers, add the one called `NAME` (repeatable)")
	p.StringArrayVarP(&a.env, "env", "e", nil, "environment variable `NAME=VALUE` of the server; ${VAR} is read when it starts (repeatable)")
	p.StringArrayVar(&a.headers, "header", nil, "header `NAME: VALUE` of every request to a remote server (repeatable)")
	p.StringVar(&a.cwd, "cwd", "", "working `FOLDER` of the server")
	p.BoolVar(&a.graphql, "graphql", false, "SOURCE is a GraphQL API: the URL of its endpoint, or a schema")
	p.BoolVar(&a.openapi, "openapi", false, "SOURCE is an OpenAPI document: a file or a URL")
	p.StringVar(&a.at, "endpoint", "", "`URL` that requests of the API are sent to, if SOURCE does not say it")
	p.BoolVar(&a.dryRun, "dry-run", false, "show the change and write nothing")
	p.BoolVar(&a.force, "force", false, "replace servers of the same name")
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error { // the flag may be the server's
		return cmp.Or[error](unmarked(f, c.Flags().Args(), err.Error()), err)
	})
	return c
}

func addServers(f *command.Flags, cmd *cobra.Command, a addition, args []string) error {
	entries, read, err := a.entries(f, cmd, args)
	if err != nil {
		return err
	}
	e, err := beginEdit(f)
	if err != nil {
		return err
	}
	defer e.Release()
	for i, entry := range entries {
		entries[i].NoteRunner()
		if e.Unread = e.Unread || entry.Project != ""; entry.Project != "" && !e.NeedsTrust && !a.dryRun {
			return &diag.Fault{
				Code: diag.CodeUntrustedFile, Message: fmt.Sprintf("%s may have come with this folder, and %s needs no trust, so nothing is added", entry.Project, e.Path),
				Hint: "look at the file, then run patchbay mcp add @" + entry.Project,
			}
		}
	}
	kept, err := e.Add(entries, a.force)
	if taken, ok := errors.AsType[*serverfile.TakenError](err); ok {
		return command.Misuse("", taken.Error()+" in "+e.Path, "--force replaces it; NAME as the first argument adds it under another name")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.Path, err)
	}
	if err := finish(f, cmd, e, a.dryRun); err != nil {
		return err
	}
	out := added{File: e.Path, Servers: entries, Written: !a.dryRun, Diff: e.Diff()}
	return f.Print(cmd, command.Result{Value: out, Names: out.names, Text: func(all *term.Page) {
		w := all.Prose()
		for _, path := range read {
			fmt.Fprintln(w, "read", path)
		}
		if a.dryRun {
			fmt.Fprint(all, out.Diff)
		}
		if kept != "" {
			fmt.Fprintln(w, kept)
		}
		for _, s := range out.Servers {
			if out.Written {
				fmt.Fprintf(w, "added %s to %s\n", s.Name, out.File)
			}
			for _, note := range s.Notes {
				fmt.Fprintf(w, "  %s: %s\n", s.Name, note)
			}
		}
		switch {
		case out.Written && e.Unread:
			fmt.Fprintln(w, "they came from a file of this folder, so no server of "+out.File+" is used until patchbay trust, which shows them all")
		case out.Written:
			fmt.Fprintln(w, "patchbay mcp sync starts the servers and lists their tools")
		}
	}})
}

func (a added) names() []string {
	return lists.Each(a.Servers, func(s serverfile.Entry) string { return s.Name })
}

// entries are the servers that the arguments mean, and the files that were read.
func (a addition) entries(f *command.Flags, cmd *cobra.Command, args []string) (all []serverfile.Entry, read []string, err error) {
	if a.graphql || a.openapi {
		all, err = a.apiEntry(args)
	} else if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		all, err = commandEntry(args[:dash], args[dash:])
	} else if wrong := unmarked(f, args, "the source has more than one word"); wrong != nil && (len(args) > 2 || a.from != "") {
		return nil, nil, wrong
	} else if a.from != "" {
		if len(args) > 0 {
			return nil, nil, command.Misuse("--from", "--from takes no SOURCE", "--only NAME chooses one of its servers")
		}
		dir, wrong := os.Getwd()
		if wrong != nil {
			return nil, nil, wrong
		}
		all, read, err = serverfile.Import(a.from, dir, os.LookupEnv)
	} else {
		all, err = sourceEntries(cmd, args)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(a.only) > 0 {
		all = slices.DeleteFunc(all, func(e serverfile.Entry) bool { return !slices.Contains(a.only, e.Name) })
		if len(all) == 0 {
			return nil, nil, command.Misuse("--only", "none of the servers is called "+strings.Join(a.only, " or "), "")
		}
	}
	return all, read, a.complete(all)
}

// apiEntry is the API of SOURCE, or of NAME SOURCE.
func (a addition) apiEntry(args []string) ([]serverfile.Entry, error) {
	section := "graphql"
	if a.openapi {
		section = "openapi"
	}
	if len(args) == 0 || len(args) > 2 || a.graphql && a.openapi {
		return nil, command.Misuse("--"+section, "the command does not say which API to add", "patchbay mcp add --"+section+" NAME SOURCE")
	}
	name, source := "", args[len(args)-1]
	if len(args) == 2 {
		name = args[0]
	}
	if !apis.IsURL(source) && !apis.IsText(source) && a.at == "" && a.graphql {
		return nil, command.Misuse("--endpoint", "a schema alone does not say where operations are sent", "add --endpoint URL")
	}
	e, err := serverfile.API(section, name, source, a.at)
	return []serverfile.Entry{e}, err
}

// unmarked is the fault of a command line after NAME that has no -- before it, nil if the
// words are something else.
func unmarked(f *command.Flags, words []string, message string) error {
	if len(words) < 2 || command.IsSource(words[1]) || strings.ContainsAny(words[1], "{:") {
		return nil
	}
	line := slices.Insert(slices.Clone(f.Words), max(0, slices.Index(f.Words, words[1])), "--")
	return command.Misuse("", message, "write -- before the command line: patchbay "+strings.Join(line, " "))
}

// commandEntry is the server of a command line.
func commandEntry(before, argv []string) ([]serverfile.Entry, error) {
	if len(before) > 1 {
		return nil, command.Misuse("", "before -- only the name of the server may be written", "patchbay mcp add NAME -- COMMAND ARG…")
	}
	e, err := serverfile.Command(strings.Join(before, ""), argv)
	return []serverfile.Entry{e}, err
}

// sourceEntries are the servers of SOURCE, or of NAME SOURCE.
func sourceEntries(cmd *cobra.Command, args []string) ([]serverfile.Entry, error) {
	name, source := "", ""
	switch len(args) {
	case 1:
		source = args[0]
	case 2:
		name, source = args[0], args[1]
	default:
		return nil, command.Misuse("", "no server given", "write JSON, a URL, npm:NAME, pypi:NAME, @FILE, or -- and a command line")
	}
	if source == "-" || strings.HasPrefix(source, "@") {
		if path, file := strings.CutPrefix(source, "@"); file && path != "-" {
			all, err := serverfile.ReadFile(path, name)
			return checkName(path+": ", all, err)
		}
		text, err := command.ReadFile(cmd, source)
		if err != nil {
			return nil, err
		}
		all, err := serverfile.Read(text, name)
		return checkName("standard input: ", all, err)
	}
	all, err := serverfile.Sources(name, source)
	if errors.Is(err, serverfile.ErrNoSource) {
		return nil, command.Misuse("", err.Error(), "write -- before a command line, @ before a file, npm: or pypi: before a package")
	}
	return checkName("", all, err)
}

// checkName begins an error with the source, and asks for a name without one.
func checkName(source string, all []serverfile.Entry, err error) ([]serverfile.Entry, error) {
	if err != nil {
		return nil, &diag.Fault{Code: diag.CodeUsage, Message: source + err.Error(), Err: err}
	}
	for _, e := range all {
		if e.Name == "" {
			return nil, command.Misuse("", "the entry has no name", "write the name of the server before it")
		}
	}
	return all, nil
}

// complete adds what flags say to the only entry.
func (a addition) complete(all []serverfile.Entry) error {
	if len(a.env)+len(a.headers) == 0 && a.cwd == "" {
		return nil
	}
	if len(all) != 1 {
		return command.Misuse("", "--env, --header and --cwd are for one server", "--only NAME chooses one")
	}
	e := &all[0]
	for _, pair := range a.env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return command.Misuse("--env", "a variable is not NAME=VALUE", "")
		}
		e.Put("env", name, value)
	}
	for _, header := range a.headers {
		name, value, ok := strings.Cut(header, ":")
		if !ok {
			return command.Misuse("--header", "a header is not NAME: VALUE", "")
		}
		e.Put("headers", strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if a.cwd != "" {
		e.Set("cwd", a.cwd)
	}
	return nil
}

// beginEdit begins a change of the patchbay.yaml in effect.
func beginEdit(f *command.Flags) (*serverfile.Change, error) {
	return serverfile.Begin(f.Config, command.OwnTrust())
}

// check reads the changed file as a start would, and says what the change makes wrong.
func check(f *command.Flags, cmd *cobra.Command, c *serverfile.Change) error {
	cfg, err := c.Check()
	f.Redactor.Store(cfg.Redactor)
	for _, file := range cfg.Files {
		fmt.Fprint(cmd.ErrOrStderr(), file.Render())
	}
	return err
}

// finish checks the changed file and, unless it is a dry run, writes it.
func finish(f *command.Flags, cmd *cobra.Command, c *serverfile.Change, dryRun bool) error {
	if err := check(f, cmd, c); err != nil || dryRun {
		return err
	}
	return c.Write()
}
