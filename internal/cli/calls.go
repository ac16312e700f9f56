package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/policy/permissions"
)

func callsCommand(f *flags) *cobra.Command {
	c := groupCommand("calls", "Calls that are permitted beyond one run: list, revoke", "  patchbay calls list\n  patchbay calls revoke files/delete")
	c.Long = "A destructive call asks a person, who permits it with patchbay runs answer ID accept, in the web UI or by a link: once, for the run, for the session of the client or for good. calls.allow in patchbay.yaml permits the calls of tools without a question."
	c.AddCommand(&cobra.Command{
		Use: "list", Aliases: aliases["list"], Short: "List the calls that are permitted beyond one run", Example: "  patchbay calls list",
		Long: "List the tools whose calls a person has permitted for good or for the session of a client, with this configuration. When the definition of a tool changes, or calls.confirm names it, a person is asked again.",
		RunE: func(cmd *cobra.Command, _ []string) error { return f.listCalls(cmd) },
	}, &cobra.Command{
		Use: "revoke SERVER/TOOL…", Short: "Have a person asked again about the calls of tools", Example: "  patchbay calls revoke files/delete",
		Long: "Remove the permission for the calls of tools: a person is asked about the next one.",
		RunE: f.revokeCalls,
	})
	return c
}

// permitted are the calls that are permitted beyond one run, and the configuration file with
// which they are.
func (f *flags) permitted(stderr io.Writer) (store *permissions.Store, file string, err error) {
	cfg, _, err := f.loadConfig()
	f.redactor.Store(cfg.Redactor)
	printLeftOut(stderr, cfg.Untrusted)
	return permissions.Open(cfg.PermissionsFile()), cfg.RealFile(), err
}

func (f *flags) listCalls(cmd *cobra.Command) error {
	store, file, err := f.permitted(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	list, err := store.List(file)
	if err != nil {
		return err
	}
	return f.print(cmd, result{value: map[string][]permissions.Given{"calls": list}, text: func(w *page) {
		t := newTable("tool", "allow", "definition", "permitted")
		for _, g := range list {
			t.add(diag.Visible(g.Name()), g.Allow(), g.Definition[:min(12, len(g.Definition))], ago(g.At, time.Now()))
		}
		t.writeOr(w, "no calls are permitted beyond one run")
	}, names: func() []string { return permittedTools(list) }})
}

var codeNotPermitted = diag.DefineFault("not-permitted", diag.RefusesRequest, "the calls of this tool are not permitted beyond a run", "`patchbay calls list`")

func (f *flags) revokeCalls(cmd *cobra.Command, args []string) error {
	store, file, err := f.permitted(cmd.ErrOrStderr())
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
			fault.Hint, fault.Suggestions = "patchbay calls list shows what is permitted", diag.Closer(name, permittedTools(list), 1)
			return fault
		}
	}
	return f.print(cmd, result{value: map[string][]string{"revoked": args}, text: func(w *page) {
		fmt.Fprintf(w, "a person is asked again about the calls of %s\n", strings.Join(args, ", "))
	}})
}

func permittedTools(list []permissions.Given) []string {
	return each(list, permissions.Given.Name)
}

// permittedNames are the tools whose calls are permitted.
func permittedNames(c *completion) ([]string, cobra.ShellCompDirective) {
	store, file, err := c.permitted(io.Discard)
	if err != nil {
		return nothing(c)
	}
	list, _ := store.List(file)
	return permittedTools(list), cobra.ShellCompDirectiveNoFileComp
}
