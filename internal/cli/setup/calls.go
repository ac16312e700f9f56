package setup

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/policy/permissions"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// CallsCommand is patchbay calls.
func CallsCommand(f *command.Flags) *cobra.Command {
	c := command.GroupCommand("calls", "Calls that are permitted beyond one run: list, revoke", "  patchbay calls list\n  patchbay calls revoke files/delete")
	c.Long = "A destructive call asks a person, who permits it with patchbay runs answer ID accept, in the web UI or by a link: once, for the run, for the session of the client or for good. calls.allow in patchbay.yaml permits the calls of tools without a question."
	c.AddCommand(&cobra.Command{
		Use: "list", Aliases: command.Aliases["list"], Short: "List the calls that are permitted beyond one run", Example: "  patchbay calls list",
		Long: "List the tools whose calls a person has permitted for good or for the session of a client, with this configuration. When the definition of a tool changes, or calls.confirm names it, a person is asked again.",
		RunE: func(cmd *cobra.Command, _ []string) error { return listCalls(f, cmd) },
	}, &cobra.Command{
		Use: "revoke SERVER/TOOL…", Short: "Have a person asked again about the calls of tools", Example: "  patchbay calls revoke files/delete",
		Long: "Remove the permission for the calls of tools: a person is asked about the next one.",
		RunE: func(cmd *cobra.Command, args []string) error { return revokeCalls(f, cmd, args) },
	})
	return c
}

// Permitted are the calls that are permitted beyond one run, and the configuration file with
// which they are.
func Permitted(f *command.Flags, stderr io.Writer) (store *permissions.Store, file string, err error) {
	cfg, _, err := f.LoadConfig()
	f.Redactor.Store(cfg.Redactor)
	command.PrintLeftOut(stderr, cfg.Untrusted)
	return permissions.Open(cfg.PermissionsFile()), cfg.RealFile(), err
}

func listCalls(f *command.Flags, cmd *cobra.Command) error {
	store, file, err := Permitted(f, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	list, err := store.List(file)
	if err != nil {
		return err
	}
	return f.Print(cmd, command.Result{Value: map[string][]permissions.Given{"calls": list}, Text: func(w *term.Page) {
		t := term.NewTable("tool", "allow", "definition", "permitted")
		for _, g := range list {
			t.Add(diag.Visible(g.Name()), g.Allow(), g.Definition[:min(12, len(g.Definition))], term.Ago(g.At, time.Now()))
		}
		t.WriteOr(w, "no calls are permitted beyond one run")
	}, Names: func() []string { return PermittedTools(list) }})
}

var codeNotPermitted = diag.DefineFault("not-permitted", diag.RefusesRequest, "the calls of this tool are not permitted beyond a run", "`patchbay calls list`")

func revokeCalls(f *command.Flags, cmd *cobra.Command, args []string) error {
	store, file, err := Permitted(f, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	for _, name := range args {
		server, tool, _ := strings.Cut(name, "/")
		switch removed, err := store.Revoke(file, server, tool); {
		case err != nil:
			return err
		case !removed:
			fault := diag.Faultf(codeNotPermitted, "no permission for the calls of %q is kept", name)
			list, _ := store.List(file)
			fault.Hint, fault.Suggestions = "patchbay calls list shows what is permitted", diag.Closer(name, PermittedTools(list), 1)
			return fault
		}
	}
	return f.Print(cmd, command.Result{Value: map[string][]string{"revoked": args}, Text: func(w *term.Page) {
		fmt.Fprintf(w, "a person is asked again about the calls of %s\n", strings.Join(args, ", "))
	}})
}

// PermittedTools are the names of the tools of permissions, each once.
func PermittedTools(list []permissions.Given) []string {
	return lists.Each(list, permissions.Given.Name)
}
