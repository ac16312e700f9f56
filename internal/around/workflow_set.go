package around

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// A workflow is one that the operator has written, as it was read last.
type workflow struct {
	name     string
	doc      *graph.Document
	file     string // its path; "" of one in patchbay.yaml
	plan     *engine.Plan
	found    diag.List // what is wrong with it
	on       engine.Workflow
	broken   *diag.Fault // why its file cannot be used
	replaced bool        // its text has errors, and an earlier one is in effect
}

// inEffect reports whether the workflow runs around calls.
func (w *workflow) inEffect() bool { return w.plan != nil && !w.on.Disabled }

// matches reports whether the workflow is for a request.
func (w *workflow) matches(server, tool, client string) bool {
	m := &w.on.Match
	if w.on.On == engine.OnList { // a list is of all servers
		return m.Client == "" || config.Match(m.Client, client)
	}
	return (m.Server == "" || config.Match(m.Server, server)) && (m.Tool == "" || config.Match(m.Tool, tool)) && (m.Client == "" || config.Match(m.Client, client))
}

// A workflowSet is all workflows of one state of the files. It does not change.
type workflowSet struct {
	all   []*workflow // sorted by name
	calls []*workflow // those in effect around calls, in the order in which they are tried
	lists []*workflow // and around lists
}

// first returns the workflow that runs around a request, nil if none does.
func first(list []*workflow, server, tool, client string, inside []*workflow) *workflow {
	for _, w := range list {
		if w.matches(server, tool, client) && !slices.ContainsFunc(inside, func(o *workflow) bool { return o.name == w.name }) {
			return w
		}
	}
	return nil
}

// named returns the workflow of a name, or nil.
func (s *workflowSet) named(name string) *workflow {
	for _, w := range s.all {
		if w.name == name {
			return w
		}
	}
	return nil
}

// loadWorkflows reads the workflows again and puts them into effect. One whose new text
// has errors keeps its former one: the calls around which it runs do not go without it.
// Files that are not trusted change nothing.
func (ar *Around) loadWorkflows() {
	ar.loadingWorkflows.Lock()
	defer ar.loadingWorkflows.Unlock()
	var read []*workflow
	for _, doc := range ar.workflowDocs {
		read = append(read, ar.readWorkflows(doc, "")...)
	}
	if ar.workflowFiles != nil {
		list, broken := ar.workflowFiles.List()
		for _, b := range broken {
			read = append(read, &workflow{name: b.Name, file: b.Path, broken: b.Fault, found: b.Diagnostics})
		}
		for _, g := range list {
			read = append(read, ar.readWorkflows(g.Doc, g.Path)...)
		}
	}
	before := ar.workflows.Load()
	if fault := ar.beside.Fault(); before != nil && fault != nil { // it is asked once the files are read
		ar.process.Log.Warn("the changed workflows are not trusted; the former ones stay in effect", "reason", fault.Message, "hint", fault.Hint)
		return
	}
	next := &workflowSet{}
	for _, w := range read {
		if next.named(w.name) != nil {
			ar.process.Log.Warn("a workflow is left out, its name is taken", "workflow", w.name, "path", w.file)
			continue
		}
		if w.plan == nil && before != nil {
			if was := before.named(w.name); was != nil && was.plan != nil {
				ar.process.Log.Error("a workflow has errors, its former text stays in effect", "workflow", w.name, "path", w.file, "error", w.fault().Message)
				kept := *was
				kept.found, kept.broken, kept.replaced = w.found, w.broken, true
				w = &kept
			}
		}
		next.all = append(next.all, w)
	}
	slices.SortFunc(next.all, func(a, b *workflow) int { return cmp.Compare(a.name, b.name) })
	for _, w := range next.all {
		switch {
		case !w.inEffect():
		case w.on.On == engine.OnList:
			next.lists = append(next.lists, w)
		default:
			next.calls = append(next.calls, w)
		}
	}
	for _, list := range [][]*workflow{next.calls, next.lists} {
		slices.SortStableFunc(list, func(a, b *workflow) int { return cmp.Compare(b.on.Priority, a.on.Priority) })
	}
	ar.workflows.Store(next)
	switch {
	case len(next.lists) > 0:
		ar.plans.Views.Filter(ar.listAround)
	case before != nil && len(before.lists) > 0:
		ar.plans.Views.Filter(nil)
	}
}

// hasWorkflows reports whether there is any, in effect or not.
func (ar *Around) hasWorkflows() bool { return len(ar.workflows.Load().all) > 0 }

// setWorkflows takes over the workflows of a changed configuration.
func (ar *Around) setWorkflows(list []*config.Document) {
	ar.loadingWorkflows.Lock()
	ar.workflowDocs = nil
	for _, d := range list {
		ar.workflowDocs = append(ar.workflowDocs, d.Graph)
	}
	ar.loadingWorkflows.Unlock()
	ar.loadWorkflows()
}

var (
	codeNotAWorkflow    = diag.DefineFault("not-a-workflow", diag.RefusesRequest, "a file among the workflows is a graph", "write `workflow: {on: tools/call}`, or save it as a graph")
	codeInvalidWorkflow = diag.DefineFault("invalid-workflow", diag.RefusesRequest, "a workflow has errors", "correct what the message says; `patchbay validate` shows all")
)

// readWorkflows compiles the workflows of a document.
func (ar *Around) readWorkflows(doc *graph.Document, file string) (list []*workflow) {
	for _, tool := range doc.Tools() {
		w := &workflow{name: tool.Name.Text(), doc: doc, file: file}
		if w.name == "" && file != "" {
			w.name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		}
		w.plan, w.found = engine.Compile(doc, tool.Name.Text(), engine.Env{Kinds: ar.plans.Kinds, Limits: ar.plans.Limits, Hooks: ar.Hooks, HTTP: ar.servers.Egress, Graphs: plans.GraphResolver{Plans: ar.plans}, Tools: &plans.ToolResolver{Plans: ar.plans, Known: true}, Unreviewed: ar.plans.Approvals.Unreviewed})
		if w.plan == nil {
			env := ar.plans.EnvAlone(false)
			env.HTTP = nil
			if plan, found := engine.Compile(doc, tool.Name.Text(), env); plan != nil {
				w.plan, w.found = plan, found
			}
		}
		switch {
		case w.plan == nil:
		case w.plan.Workflow() == nil:
			w.plan = nil
			w.broken = diag.Faultf(codeNotAWorkflow, "%q is a graph, not a workflow", w.name)
			w.broken.Hint = "write workflow: {on: tools/call}, or save it with patchbay graphs save"
		default:
			w.on = *w.plan.Workflow()
		}
		list = append(list, w)
	}
	return list
}

// fault is why the workflow is not in effect; nil if it could be.
func (w *workflow) fault() *diag.Fault {
	if w.broken != nil {
		return w.broken
	}
	errs := w.found.With(diag.Error)
	if len(errs) == 0 {
		return nil
	}
	return diag.Faultf(codeInvalidWorkflow, "the workflow %q cannot run: %s", w.name, errs[0].Message).WithHint(errs[0].Hint)
}
