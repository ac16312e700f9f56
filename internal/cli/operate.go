package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/mcpserver"
	"github.com/patchbay-mcp/patchbay/run"
)

var mcpListFace = face{
	example: "  patchbay mcp list",
	start:   ready(untilKnown),
	print: printing(func(w *page, r *app.ServersResult) {
		t := newTable("server", "state", "transport", "tools", "reason")
		for _, s := range r.Servers {
			t.add(s.Name, cell{text: s.State, style: stateStyle(s.State)}, s.Transport, s.Tools, s.Reason)
		}
		t.write(w)
	}),
	names: func(i *invocation) (names []string) {
		for _, s := range i.out.(*app.ServersResult).Servers {
			names = append(names, s.Name)
		}
		return names
	},
}

// stateStyle shows whether a server works.
func stateStyle(state string) style {
	switch state {
	case "ready":
		return good
	case "failed":
		return bad
	}
	return doubt
}

// A finding is one line of doctor's report.
type finding struct {
	OK   bool   `json:"ok"`
	What string `json:"what"`
	Hint string `json:"hint,omitempty"`
}

func doctorCommand(f *flags) *cobra.Command {
	var searches bool
	var at string
	c := &cobra.Command{
		Use: "doctor", Short: "Check the configuration, the servers and the saved graphs", Example: "  patchbay doctor\n  patchbay doctor --searches --at 127.0.0.1:8080", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if searches {
				return f.printSearches(cmd, at)
			}
			f.lenient = true
			p, err := f.openReady(cmd.Context(), cmd.ErrOrStderr(), untilKnown)
			if err != nil {
				return err
			}
			defer p.Close()
			found := examine(cmd, p)
			if err := f.print(cmd, result{value: map[string]any{"findings": found}, text: func(w *page) { printFindings(w, found) }}); err != nil {
				return err
			}
			for _, x := range found {
				if !x.OK {
					return errFailed
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&searches, "searches", false, "list the searches without results that a running server has recorded")
	c.Flags().StringVar(&at, "at", "127.0.0.1:8080", "`ADDR` of the running server (with --searches)")
	return c
}

func printFindings(w *page, found []finding) {
	for _, x := range found {
		mark := w.paint(good, "ok  ")
		if !x.OK {
			mark = w.paint(bad, "FAIL")
		}
		fmt.Fprintf(w, "%s  %s\n", mark, x.What)
		if x.Hint != "" {
			fmt.Fprintf(w, "      %s\n", x.Hint)
		}
	}
}

// examine looks at everything that can be wrong around the program.
func examine(cmd *cobra.Command, p *app.App) []finding {
	var found []finding
	cfg := p.Config()
	switch {
	case cfg.File != "":
		found = append(found, finding{true, "configuration " + cfg.File, ""})
	case cfg.Default && cfg.WorkspaceOff == nil:
		found = append(found, finding{true, "no configuration: the built-in workspace server offers " + cfg.Root, "patchbay init writes a patchbay.yaml to start from"})
	}
	if cfg.Untrusted != nil {
		found = append(found, finding{false, cfg.Untrusted.Message, cfg.Untrusted.Hint})
	}
	if off := cfg.WorkspaceOff; off != nil { // by default nobody has asked for it
		found = append(found, finding{cfg.Default, off.Message, off.Hint})
	}
	memory := p.Memory()
	found = append(found, finding{true, fmt.Sprintf("memory: at most %d MiB (%s)", memory.Bytes>>20, memory.From), ""})
	for _, file := range cfg.Files {
		for _, d := range file.Diagnostics {
			found = append(found, finding{d.Severity != "error" && d.Severity != "warning", fmt.Sprintf("%s:%d: %s", file.Path, d.Range.Start.Line, d.Message), d.Hint})
		}
	}
	for _, doc := range cfg.Documents {
		_, faults := engine.CompileAll(doc.Graph, engine.Env{Kinds: p.Kinds()})
		if faults = faults.With(diag.Error); len(faults) > 0 {
			what := fmt.Sprintf("%s:%d: %s", doc.Path, faults[0].Range.Start.Line, faults[0].Message)
			found = append(found, finding{false, what, fmt.Sprintf("%d errors: patchbay validate %s", len(faults), doc.Path)})
		}
	}
	if cfg.Expose.Downstream {
		for _, left := range mcpserver.LeftOut(p, cfg.Expose) {
			found = append(found, finding{true, "left out of the gateway: " + left, "another expose.prefix or expose.deny tells them apart"})
		}
	}
	for _, s := range p.Status() {
		what := fmt.Sprintf("server %s (%s): %s, %d tools", s.Name, s.Transport, s.State, s.Tools)
		if s.Reason != "" {
			what += ": " + s.Reason
		}
		found = append(found, finding{s.State == "ready", what, strings.ReplaceAll(s.Hint, "\n", "\n      ")})
		for _, note := range s.Notes {
			found = append(found, finding{true, "server " + s.Name + ": " + note, ""})
		}
		if s.Junk != "" {
			found = append(found, finding{false, "server " + s.Name + ": " + s.Junk, "only MCP messages belong on stdout: have the server log to stderr"})
		}
		found = append(found, examineTools(cmd, p, s.Name)...)
	}
	found = append(found, examineConfinement(p)...)
	for _, pack := range p.Packs() {
		what := fmt.Sprintf("knowledge pack %s: %d nodes", pack.Pack, pack.Nodes)
		if pack.Faults > 0 {
			what += fmt.Sprintf(", %d faults, the first: %s", pack.Faults, strings.ReplaceAll(pack.Error, "\n", "\n      "))
		}
		found = append(found, finding{pack.Faults == 0, what, pack.Hint})
	}
	if len(cfg.Egress.Allow) > 0 {
		var allowed []string
		for _, prefix := range cfg.Egress.Allow {
			allowed = append(allowed, prefix.String())
		}
		what := "http nodes may request " + strings.Join(allowed, ", ")
		if names := slices.Sorted(maps.Keys(cfg.Egress.Variables)); len(names) > 0 {
			what += ", with the variables " + strings.Join(names, ", ")
		}
		found = append(found, finding{true, what, ""})
	}
	if cfg.GraphsDir != "" {
		found = append(found, examineGraphs(cmd, p)...)
	}
	if !cfg.Runs.Memory {
		found = append(found, examineRuns(cmd, p)...)
	}
	if cfg.CacheDir != "" {
		if err := os.MkdirAll(cfg.CacheDir, 0o700); err != nil {
			found = append(found, finding{false, fmt.Sprintf("the cache folder cannot be created: %v", err), "tool lists are not kept between starts"})
		}
	}
	return found
}

// examineRuns names the runs that may have ended their process.
func examineRuns(cmd *cobra.Command, p *app.App) []finding {
	if _, err := os.Stat(p.Config().Runs.File); err != nil {
		return nil // nothing has run yet
	}
	r, fault := p.Runs(cmd.Context(), app.RunsInput{Status: string(run.Interrupted)})
	if fault != nil {
		return []finding{{false, fault.Message, fault.Hint}}
	}
	var found []finding
	for _, s := range r.Runs {
		if s.Code == app.Crashes {
			found = append(found, finding{false, strings.TrimSpace("run "+s.ID+" "+s.Graph) + ": " + s.Message, "patchbay runs resume " + s.ID + " --retry continues it"})
		}
	}
	return found
}

func examineGraphs(cmd *cobra.Command, p *app.App) []finding {
	r, fault := p.Graphs(cmd.Context(), app.GraphsInput{})
	if fault != nil {
		return []finding{{false, fault.Message, fault.Hint}}
	}
	found := []finding{{true, fmt.Sprintf("%s in %s", graphsOf(len(r.Graphs)), p.Config().GraphsDir), ""}}
	for _, b := range r.Broken {
		found = append(found, finding{false, b.Message, b.Hint})
	}
	for _, g := range r.Graphs {
		if faults := p.SavedFaults(cmd.Context(), g.Name); len(faults) > 0 {
			f := finding{false, fmt.Sprintf("graph %s: %s", g.Name, faults[0].Message), "patchbay validate " + g.Path}
			if faults[0].Code == "tool-changed" {
				f.Hint = faults[0].Hint
			}
			found = append(found, f)
		}
		if refused := p.Refused(cmd.Context(), g.Name); len(refused) > 0 {
			d := refused[0]
			found = append(found, finding{false, fmt.Sprintf("graph %s: clients refuse the tool: %s [%s]", g.Name, d.Message, d.Code), "patchbay validate --fix " + g.Path + " corrects it; expose: false in the file keeps it from clients"})
		}
	}
	return found
}

func graphsOf(n int) string {
	if n == 1 {
		return "1 saved graph"
	}
	return fmt.Sprintf("%d saved graphs", n)
}
