package setup

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/run"
)

// servers examines the downstream servers and their tools.
func (d *diagnosis) servers(cmd *cobra.Command, p *app.App) {
	d.area = areaServers
	tools := map[string][]string{} // of the servers so far
	for _, s := range p.Status() {
		reason := ""
		if s.Reason != "" {
			reason = ": " + s.Reason
		}
		d.check(s.State == "ready", strings.ReplaceAll(s.Hint, "SERVER", s.Name), "server %s (%s): %s, %s%s", s.Name, s.Transport, s.State, term.Count(s.Tools, "tool"), reason)
		for _, note := range s.Notes {
			if !strings.Contains(note, tooldef.NotUsed) { // tools says it
				d.ok("", "server %s: %s", s.Name, note)
			}
		}
		if s.Junk != "" {
			d.fail("only MCP messages belong on stdout: have the server log to stderr", "server %s: %s", s.Name, s.Junk)
		}
		tools[s.Name] = d.tools(cmd, p, s.Name)
		for _, other := range p.Status() {
			shared := 0
			for _, name := range tools[other.Name] {
				if other.Name != s.Name && slices.Contains(tools[s.Name], name) {
					shared++
				}
			}
			if shared > 0 {
				d.ok("patchbay mcp info "+s.Name+" lists them", "%s and %s have %s of the same name", other.Name, s.Name, term.Count(shared, "tool"))
			}
		}
	}
	d.confinement(p)
}

// packs examines the knowledge packs.
func (d *diagnosis) packs(p *app.App) {
	d.area = areaPacks
	for _, pack := range p.Packs.All() {
		if pack.Faults == 0 {
			d.ok("", "knowledge pack %s: %s", pack.Pack, term.Count(pack.Nodes, "node"))
			continue
		}
		d.fail(pack.Hint, "knowledge pack %s: %s, %s, the first: %s", pack.Pack, term.Count(pack.Nodes, "node"), term.Count(pack.Faults, "fault"), pack.Error)
	}
}

// graphs examines the saved graphs: whether they can run and be offered, whether their
// tools are those that they pin, and whether their tests can be read.
func (d *diagnosis) graphs(cmd *cobra.Command, p *app.App) {
	d.area = areaGraphs
	if p.Config().GraphsDir == "" {
		return
	}
	r, fault := p.Graphs(cmd.Context(), library.GraphsInput{All: true})
	if fault != nil {
		d.fault(fault)
		return
	}
	tests := 0
	for _, g := range r.Graphs {
		n, file, fault := p.CountTests(g.Name)
		tests += n
		if fault != nil {
			d.fail("correct "+file+", or delete it", "the tests of graph %s: %s", g.Name, fault.Message)
		}
	}
	with, hint := "", ""
	if tests > 0 {
		with, hint = ", "+term.Count(tests, "test"), "patchbay test "+p.Config().GraphsDir+" runs the tests"
	}
	d.ok(hint, "%s%s in %s", term.Count(len(r.Graphs), "saved graph"), with, p.Config().GraphsDir)
	for _, b := range r.Broken {
		d.fault(b)
	}
	for _, fault := range p.Approvals.Stopped() {
		d.fault(fault)
	}
	elsewhere := 0
	for _, g := range r.Graphs {
		faults := plans.SavedFaults(cmd.Context(), p.Plans, g.Name)
		if len(g.Lacks) > 0 && (len(faults) == 0 || faults[0].Code != diag.CodeToolChanged) {
			elsewhere++
			continue
		}
		if g.Reason == plans.CameWithFolder {
			d.fail("look at it with patchbay graphs show "+g.Name+", then: patchbay graphs approve "+g.Name+", or --all", "graph %s is not a tool: %s", g.Name, g.Reason)
		}
		if len(faults) > 0 {
			fix := "patchbay validate " + g.Path
			if faults[0].Code == diag.CodeToolChanged {
				fix = faults[0].Hint
			}
			d.fail(fix, "graph %s: %s", g.Name, faults[0].Message)
		}
		conditions, texts := plans.MeantOtherwise(cmd.Context(), p.Plans, g.Name)
		for _, c := range conditions {
			d.ok("patchbay validate --fix "+g.Path+" wraps it in !!", "graph %s: line %d: %s", g.Name, c.Range.Start.Line, c.Message)
		}
		for _, at := range texts {
			d.ok("", "graph %s: line %d: a number becomes text; 1.50 and 1.5 are the same text now", g.Name, at.Start.Line)
		}
		if refused := p.Refused(cmd.Context(), g.Name); len(refused) > 0 {
			d.fail("patchbay validate --fix "+g.Path+" corrects it; expose: false in the file keeps it from clients", "graph %s: clients refuse the tool: %s [%s]", g.Name, refused[0].Message, refused[0].Code)
		}
	}
	if elsewhere > 0 {
		d.ok("patchbay graphs list --all shows what they need", "not offered here, where servers are missing: %s", term.Count(elsewhere, "saved graph"))
	}
}

// journal examines the journal, and names the runs that may have ended their process.
func (d *diagnosis) journal(cmd *cobra.Command, p *app.App) {
	d.area = areaJournal
	if p.Config().Runtime.Temporal.Address != "" {
		return // runs are not in it
	}
	in, fault := p.Journal(cmd.Context())
	if fault != nil {
		d.fault(fault)
		return
	}
	if in == nil {
		return // there is none, or nothing has run yet
	}
	r, fault := p.Runs(cmd.Context(), execution.RunsInput{Status: string(run.Interrupted)})
	if fault != nil {
		d.fault(fault)
		return
	}
	hint := ""
	if keep := p.Config().Runs.KeepBytes; keep > 0 && in.Bytes > 2*keep {
		hint = "patchbay runs prune deletes old runs"
	}
	d.ok(hint, "journal %s: format %d, %s, %.1f MB", p.Config().Runs.File, in.Format, term.Count(in.Runs, "run"), float64(in.Bytes)/1e6)
	for _, s := range r.Runs {
		if s.Code == execution.Crashes {
			d.fail("patchbay runs resume "+s.ID+" --retry continues it", "%s: %s", strings.TrimSpace("run "+s.ID+" "+s.Graph), s.Message)
		}
	}
}

// runtime examines what executes the runs, where that is not the process that starts them.
func (d *diagnosis) runtime(cmd *cobra.Command, p *app.App) {
	d.area = areaRuntime
	if fault := p.NoRuntime(); fault != nil {
		d.fault(fault)
	}
	for _, x := range p.ExamineRuntime(cmd.Context()) {
		d.check(x.OK, x.Hint, "%s", x.What)
	}
}
