package library

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
)

// SaveInput asks to keep a graph as a tool.
type SaveInput struct {
	plans.GraphInput `arg:"[FILE]"`
	As               string              `json:"name,omitempty" jsonschema:"save under this name instead"`
	Restore          string              `json:"restore,omitempty" flag:"-" jsonschema:"a revision of name to save again instead"`
	Overwrite        bool                `json:"overwrite,omitempty" jsonschema:"replace the saved graph"`
	Revision         string              `json:"revision,omitempty" jsonschema:"only if still at this revision"`
	Drop             bool                `json:"drop_failing_tests,omitempty" jsonschema:"delete kept tests that fail, and save"`
	Cases            []execution.RunCase `json:"cases,omitempty" flag:"-" maximum:"100" jsonschema:"calls to run first, which must pass; those with expect become tests"`
	Expose           *bool               `json:"expose,omitempty" jsonschema:"publish it as a tool (default: the first exposeMax, 20, by name)"`
	CallsInput
}

// SaveResult says how to call what was saved, or why it was not.
type SaveResult struct {
	Status      string                 `json:"status"` // saved, draft or rejected
	Name        string                 `json:"name,omitempty"`
	Tools       []string               `json:"tools,omitempty"` // of a document with several, each a graph by its own name
	Revision    string                 `json:"revision,omitempty"`
	Exposed     bool                   `json:"exposed"`
	HowToCall   string                 `json:"how_to_call,omitempty"`
	Notes       []string               `json:"notes,omitempty"` // keywords of its schemas that tools/list leaves out
	Missing     []string               `json:"missing,omitempty"`
	Cases       *execution.CasesResult `json:"cases,omitempty"` // if some of them have failed
	Tests       *KeptTests             `json:"tests,omitempty"` // if the graph has any
	Diagnostics diag.List              `json:"diagnostics,omitempty"`
	Error       *diag.Fault            `json:"error,omitempty"`

	Drafted

	Rendered string `json:"-"`
}

// Failed reports whether nothing was saved, nor drafted.
func (r *SaveResult) Failed() bool { return r.Status == reply.StatusRejected }

var (
	codeIncompleteTool = diag.DefineFault("incomplete-tool", diag.RefusesRequest, "the graph lacks what a saved graph needs", "add name, description, inputSchema and outputSchema")
	codeNotAGraph      = diag.DefineFault("not-a-graph", diag.RefusesRequest, "a workflow was to be saved as a graph", "write it into the folder `workflows`")
	codeGraphsReadOnly = diag.DefineFault("graphs-read-only", diag.FailsAttempt, "the operator's configuration forbids agents to change saved graphs (`graphs.agents: off`)", "show the graph to a person, who saves it: `patchbay graphs save`")
	codeNameTaken      = diag.DefineFault("name-taken", diag.RefusesRequest, "the name belongs to a tool of Patchbay or of a document", "choose another name")
)

// Save compiles a graph and keeps it: only a valid one that has a name, a
// description and both schemas. It is a node of the catalog at once, and a tool
// if it is exposed.
func (lib *Library) Save(ctx context.Context, in SaveInput) (*SaveResult, *diag.Fault) {
	if lib.plans.Saved == nil {
		return nil, plans.NoGraphs()
	}
	if in.fromCalls() {
		return lib.saveCalls(ctx, in)
	}
	if fault := lib.mayChangeGraphs(ctx); fault != nil {
		return nil, fault
	}
	if fault := lib.restored(ctx, &in); fault != nil {
		return nil, fault
	}
	s, fault := lib.plans.Source(ctx, in.GraphInput)
	if fault != nil {
		return nil, fault
	}
	c, fault := lib.toSave(ctx, in.described(s), in)
	if fault != nil {
		return nil, fault
	}
	if c.Plan == nil {
		r := &SaveResult{Status: reply.StatusRejected}
		r.Diagnostics, _ = s.Shown(c.Found.With(diag.Error))
		r.Rendered = diag.Format(s.Name, s.Written(), r.Diagnostics)
		return r, nil
	}
	if fault := lib.plans.NotRunnable(ctx, c.Plans...); fault != nil {
		return &SaveResult{Status: reply.StatusRejected, Error: fault}, nil
	}
	if c.Plan.Workflow() != nil {
		return &SaveResult{Status: reply.StatusRejected, Error: &diag.Fault{
			Code: codeNotAGraph, Message: "a workflow is not a graph to call, so it is not saved as one",
			Hint: "the operator writes it into the folder workflows next to patchbay.yaml",
		}}, nil
	}
	if missing := c.Missing(in.As); len(missing) > 0 {
		hint := "send the whole tool: {name, description, inputSchema, outputSchema, nodes}"
		if s.Code != nil {
			hint = "write it into the YAML comment at the beginning of the function"
		}
		return &SaveResult{Status: reply.StatusRejected, Missing: missing, Error: &diag.Fault{
			Code: codeIncompleteTool, Message: "a saved graph needs " + strings.Join(missing, ", "), Hint: hint,
		}}, nil
	}
	if r := lib.unpublishable(s, c, in); r != nil {
		return r, nil
	}
	name, text := c.Plan.Name, fileText(c, in.As)
	if in.As != "" {
		name = in.As
	}
	if fault := lib.agentReplaces(ctx, name); fault != nil {
		return nil, fault
	}
	tools := c.ToolNames(name)
	for _, tool := range tools {
		if fault := lib.plans.Views.CheckSaveName(ctx, tool); fault != nil {
			return nil, fault
		}
		if fault := lib.nameTaken(tool, name); fault != nil {
			return nil, fault
		}
	}
	if len(tools) > 1 {
		in.Tool = c.Plan.Name
	}
	if rejected, fault := lib.runToSave(ctx, in); fault != nil || rejected != nil {
		return rejected, fault
	}
	o := graphfiles.SaveOptions{Overwrite: in.Overwrite, Revision: in.Revision, Expose: in.Expose, Agent: !request.ActorFrom(ctx).Operator, Restore: in.Restore != ""}
	tests, fault := lib.checkKept(ctx, name, c, o, in.Restore != "", in.Drop)
	if fault != nil {
		return nil, fault
	}
	if f := tests.refusal(); f != nil {
		return &SaveResult{Status: reply.StatusRejected, Error: f, Tests: tests.report}, nil
	}
	o.Pins = lib.plans.Tools.Pins(c.Plans)
	saved, fault := lib.plans.Saved.Save(name, text, tests.options(o))
	if fault != nil {
		return nil, fault
	}
	lib.plans.GraphSpecs.File()
	lib.process.Announce()
	r := &SaveResult{Status: "saved", Name: saved.Name, Revision: saved.Revision, Tests: tests.report}
	tools = saved.WholeTools()
	for _, name := range tools {
		if tool := lib.plans.GraphTools.Named(name); tool != nil {
			r.Exposed, r.Notes = true, append(r.Notes, tool.LeftOut...)
		}
	}
	r.Tools = several(tools)
	if c.Doc.Tree().MCPServers.Exists() {
		r.Notes = append(r.Notes, "the mcpServers of a saved graph are not read: define them in patchbay.yaml, or serve the document itself with serve -g")
	}
	switch {
	case o.Restore && !o.Agent && lib.plans.Saved.Approval(saved) != graphfiles.ByPerson:
		r.Notes = append(r.Notes, "nobody here has approved this revision before: read it with patchbay graphs show "+saved.Name+", then patchbay graphs approve "+saved.Name)
	case !lib.plans.Approvals.MayPublish(saved):
		r.Notes = append(r.Notes, "it becomes a tool of this server when a person has approved it: patchbay graphs approve "+saved.Name)
	}
	r.HowToCall = fmt.Sprintf("run_graph {\"name\": %q, \"arguments\": {…}}", saved.Name)
	if r.Exposed {
		r.HowToCall = fmt.Sprintf("call the tool %s of this server, or %s", strings.Join(tools, " or "), r.HowToCall)
	}
	return r, nil
}

// mayChangeGraphs refuses to let an agent change saved graphs where the operator forbids it.
func (lib *Library) mayChangeGraphs(ctx context.Context) *diag.Fault {
	if lib.plans.Agents != config.AgentsOff || request.ActorFrom(ctx).Operator {
		return nil
	}
	return diag.Faultf(codeGraphsReadOnly, "agents cannot change the saved graphs of this server").
		WithHint("the operator forbids it by graphs.agents in the configuration; show the graph to a person, who saves it with patchbay graphs save")
}

// nameTaken refuses names that other tools of the server have, those of the file that
// is saved aside.
func (lib *Library) nameTaken(name, file string) *diag.Fault {
	if lib.policy.IsOperation(name) {
		return diag.Faultf(codeNameTaken, "%q is a tool of Patchbay itself", name).WithHint("save it under another name: name: <name>")
	}
	if other, _, fault := lib.plans.Saved.Find(name); fault == nil && other.Name != file {
		return diag.Faultf(codeNameTaken, "%q is a tool of the saved graph %q", name, other.Name).WithHint("give the tool another name, or save it together with that graph")
	}
	for _, doc := range lib.plans.Documents {
		for _, t := range doc.Tools() {
			if t.Name.Text() == name {
				return diag.Faultf(codeNameTaken, "%q is a tool of the operator's document %s", name, doc.Name).WithHint("save it under another name: name: <name>")
			}
		}
	}
	return nil
}

// DeleteInput names a saved graph to delete.
type DeleteInput struct {
	Name     string `json:"name" arg:"NAME" jsonschema:"a saved graph"`
	Revision string `json:"revision,omitempty" jsonschema:"only if still at this revision"`
}

// DeleteResult confirms a deletion.
type DeleteResult struct {
	Name    string `json:"name"`
	Deleted bool   `json:"deleted"`
	Hint    string `json:"hint,omitempty"` // how to get it back
}

// Delete removes a saved graph from disk, catalog and tools.
func (lib *Library) Delete(ctx context.Context, in DeleteInput) (*DeleteResult, *diag.Fault) {
	if lib.plans.Saved == nil {
		return nil, plans.NoGraphs()
	}
	if fault := lib.plans.Views.GraphHidden(ctx, in.Name); fault != nil {
		return nil, fault
	}
	if fault := lib.mayChangeGraphs(ctx); fault != nil {
		return nil, fault
	}
	if fault := lib.agentReplaces(ctx, in.Name); fault != nil {
		return nil, fault
	}
	if fault := lib.plans.Saved.Delete(in.Name, in.Revision); fault != nil {
		if g, _, none := lib.plans.Saved.Find(in.Name); none == nil && g.Name != in.Name {
			fault.Hint = fmt.Sprintf("it is a tool of the saved graph %q: delete that, or save it without this tool", g.Name)
		}
		return nil, fault
	}
	lib.plans.GraphSpecs.File()
	lib.process.Announce()
	r := &DeleteResult{Name: in.Name, Deleted: true}
	if kept := lib.plans.Saved.Revisions(in.Name); len(kept) > 0 {
		r.Hint = restoreWith(in.Name, kept[0].ID)
	}
	return r, nil
}

// GraphsInput asks for the saved graphs.
type GraphsInput struct {
	All bool `json:"all,omitempty" jsonschema:"also those that cannot run here, with what they lack"`
}

// GraphsResult lists the saved graphs.
type GraphsResult struct {
	Graphs []GraphInfo   `json:"graphs"`
	Broken []*diag.Fault `json:"broken,omitempty"` // files that cannot be read as a graph
	More   int           `json:"more,omitempty"`   // that cannot run here, and are not listed
}

// GraphInfo is a saved graph in brief.
type GraphInfo struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Revision    string `json:"revision"`
	Exposed     bool   `json:"exposed"`
	Unreviewed  bool   `json:"unreviewed,omitempty"` // no person has saved, written or approved it
	Reason      string `json:"reason,omitempty"`     // of that
	Path        string `json:"path"`

	Tools []string `json:"tools,omitempty"` // of a document with several
	Lacks []string `json:"lacks,omitempty"` // why it cannot run here

	Starts []GraphStart `json:"starts,omitempty"` // what starts it while patchbay serve runs
}

// A GraphStart is a schedule or a webhook that starts a graph.
type GraphStart struct {
	Schedule string     `json:"schedule,omitempty"`
	Cron     string     `json:"cron,omitempty"`
	Zone     string     `json:"timezone,omitempty"`
	Next     *time.Time `json:"next,omitempty"`
	Webhook  string     `json:"webhook,omitempty"`
}

// startsOf are what starts one of the tools of a graph.
func (lib *Library) startsOf(names []string) (all []GraphStart) {
	cfg := lib.process.Config()
	for _, s := range cfg.Schedules {
		if slices.Contains(names, s.Graph) {
			next := s.Next(time.Now())
			all = append(all, GraphStart{Schedule: s.Name, Cron: s.Cron, Zone: s.Zone, Next: &next})
		}
	}
	for _, h := range cfg.Webhooks {
		if slices.Contains(names, h.Graph) {
			all = append(all, GraphStart{Webhook: h.Name})
		}
	}
	return all
}

// Graphs lists the saved graphs by name, those that belong elsewhere only if all are asked for.
func (lib *Library) Graphs(ctx context.Context, in GraphsInput) (*GraphsResult, *diag.Fault) {
	if lib.plans.Saved == nil {
		return nil, plans.NoGraphs()
	}
	list, broken := lib.plans.Saved.List()
	r := &GraphsResult{Graphs: []GraphInfo{}}
	exposed := map[string]bool{}
	for _, t := range lib.plans.GraphTools.List() {
		exposed[t.Name] = true
	}
	approval := lib.plans.Saved.ApprovalsNow()
	for _, b := range broken {
		r.Broken = append(r.Broken, b.Fault)
	}
	for _, g := range list {
		if !lib.plans.Views.MayUseGraph(ctx, g.Name) {
			continue
		}
		lacks := lib.plans.GraphSpecs.Lacks(g.Name)
		if lacks != nil && !in.All {
			r.More++
			continue
		}
		why := plans.WhyUnapproved(approval(g))
		r.Graphs = append(r.Graphs, GraphInfo{
			Name: g.Name, Description: g.Tool().Description.Text(), Revision: g.Revision, Path: g.Path, Exposed: exposed[g.Name], Unreviewed: why != "", Reason: why, Tools: several(g.WholeTools()), Lacks: lacks, Starts: lib.startsOf(append(g.ToolNames(), g.Name)),
		})
	}
	return r, nil
}

// several is a list of more than one name, else nil: the one is said already.
func several(names []string) []string {
	if len(names) < 2 {
		return nil
	}
	return names
}

// Text is the diagnostics for people, or "".
func (r *SaveResult) Text() string { return r.Rendered }

// described is a graph with the description of the input.
func (in *SaveInput) described(s *plans.Source) *plans.Source {
	if in.Description == "" {
		return s
	}
	doc, _ := graph.Parse(s.Name, s.Text)
	if doc == nil {
		return s
	}
	for _, tool := range doc.Tools() {
		if in.Tool != "" && tool.Name.Text() != in.Tool {
			continue
		}
		fix := tool.Insert("", "description", in.Description, "name")
		if tool.Description.Exists() {
			fix = tool.Description.Replace("", in.Description)
		}
		out := *s
		out.Text, out.Code = diag.ApplyEdits(s.Text, fix.Edits), nil
		return &out
	}
	return s
}

// runToSave runs the cases of a save, if it has any, and returns the reply that refuses
// it if they do not pass. Those that say what must come of them become tests.
func (lib *Library) runToSave(ctx context.Context, in SaveInput) (*SaveResult, *diag.Fault) {
	if len(in.Cases) == 0 {
		return nil, nil
	}
	for i := range in.Cases {
		in.Cases[i].Keep = in.Cases[i].Keep || in.Cases[i].Stated()
	}
	r, fault := lib.execution.Run(ctx, execution.RunInput{GraphInput: in.GraphInput, Cases: in.Cases})
	if fault != nil || !r.Failed() {
		return nil, fault
	}
	return &SaveResult{Status: reply.StatusRejected, Error: r.Error, Cases: r.Cases}, nil
}

// agentReplaces refuses to let an agent replace or delete a file that is not a graph: the folder
// may be a link to one with other files.
func (lib *Library) agentReplaces(ctx context.Context, name string) *diag.Fault {
	if request.ActorFrom(ctx).Operator {
		return nil
	}
	_, fault := lib.plans.Saved.Get(name)
	if fault == nil || fault.Code != graphfiles.CodeBrokenGraph {
		return nil
	}
	fault.Hint = "a person repairs or removes the file; save under another name"
	return fault
}
