package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
)

// A finding is one line of doctor's report.
type finding struct {
	Area string `json:"area"` // what it is about, a word
	OK   bool   `json:"ok"`
	What string `json:"what"`
	Hint string `json:"hint,omitempty"` // how to correct it, or what can be done; every line that is not OK has one
}

// A diagnosis collects findings about one area after the other.
type diagnosis struct {
	program string // its name
	area    string
	found   []finding
}

func (d *diagnosis) ok(hint, format string, args ...any) {
	d.found = append(d.found, finding{d.area, true, fmt.Sprintf(format, args...), hint})
}

// fail adds what is wrong, and how to correct it.
func (d *diagnosis) fail(fix, format string, args ...any) {
	if fix == "" {
		fix = usualFixes[d.area]
	}
	d.found = append(d.found, finding{d.area, false, fmt.Sprintf(format, args...), fix})
}

// fault adds what a fault says.
func (d *diagnosis) fault(f *diag.Fault) { d.fail(f.Hint, "%s", f.Message) }

// check adds a line that is OK or not.
func (d *diagnosis) check(ok bool, hint, format string, args ...any) {
	if ok {
		d.ok(hint, format, args...)
		return
	}
	d.fail(hint, format, args...)
}

// The areas in the order of the report, and what to do about a line that says nothing
// better.
const (
	areaVersion       = "version"
	areaConfiguration = "configuration"
	areaPaths         = "paths"
	areaServers       = "servers"
	areaPacks         = "packs"
	areaGraphs        = "graphs"
	areaJournal       = "journal"
	areaRuntime       = "runtime"
	areaClients       = "clients"
)

var usualFixes = map[string]string{
	areaVersion:       "install the latest version",
	areaConfiguration: "correct patchbay.yaml: patchbay schema config describes its keys",
	areaPaths:         "make the folder writable for this user, or name another one in patchbay.yaml",
	areaServers:       "patchbay mcp logs SERVER shows what it has written; patchbay mcp remove SERVER takes it out",
	areaPacks:         "patchbay packs lint DIR lists all faults",
	areaGraphs:        "patchbay validate FILE shows where; patchbay graphs delete NAME removes the graph",
	areaJournal:       "move the file away; patchbay then creates a new one",
	areaRuntime:       "correct runtime in patchbay.yaml, and start patchbay-temporal worker",
	areaClients:       "patchbay init --client NAME --force writes the entry",
}

// DoctorCommand is patchbay doctor.
func DoctorCommand(f *command.Flags) *cobra.Command {
	var searches bool
	var at string
	c := &cobra.Command{
		Use: "doctor", Short: "Check the configuration, the servers, the saved graphs and the clients", Example: "  patchbay doctor\n  patchbay doctor -o json\n  patchbay doctor --searches --at 127.0.0.1:8080",
		Long: "Check what Patchbay needs: its version and the formats of its files, the configuration, folders and their permissions, every server (it waits for those that are installed when they start), knowledge packs, saved graphs with their tests and pinned tools, the journal of runs, and the entries of clients. " +
			"Every line that fails says what to do. The exit code is 1 if one does.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if searches {
				return printSearches(f, cmd, at)
			}
			f.Lenient = true
			p, err := f.OpenReady(cmd.Context(), cmd.ErrOrStderr(), command.UntilKnown)
			if err != nil {
				return err
			}
			defer p.Close()
			found := examine(cmd, p)
			failed := slices.ContainsFunc(found, func(x finding) bool { return !x.OK })
			return command.FailedIf(failed, f.Print(cmd, command.Result{Value: map[string]any{"findings": found}, Text: func(w *term.Page) { printFindings(w, found) }}))
		},
	}
	c.Flags().BoolVar(&searches, "searches", false, "list the searches without results that a running server has recorded")
	c.Flags().StringVar(&at, "at", "127.0.0.1:8080", "`ADDR` of the running server (with --searches)")
	return c
}

// examine looks at everything that can be wrong around the program.
func examine(cmd *cobra.Command, p *app.App) []finding {
	d := &diagnosis{program: cmd.Root().Name()}
	d.version()
	d.configuration(p)
	d.paths(p)
	d.servers(cmd, p)
	d.packs(p)
	d.graphs(cmd, p)
	d.journal(cmd, p)
	d.runtime(cmd, p)
	d.clients()
	return d.found
}

// printFindings shows what doctor has found.
func printFindings(w *term.Page, found []finding) {
	w = w.Prose().Visible()
	for _, x := range found {
		mark := w.Paint(term.Good, "ok  ")
		if !x.OK {
			mark = w.Paint(term.Bad, "FAIL")
		}
		fmt.Fprintf(w, "%s  %s\n", mark, inLines(x.What))
		if x.Hint != "" {
			fmt.Fprintf(w, "      %s\n", inLines(x.Hint))
		}
	}
}

// inLines indents the lines after the first as the report does.
func inLines(text string) string { return strings.ReplaceAll(text, "\n", "\n      ") }
