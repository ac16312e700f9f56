package engine

import (
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// The methods around whose requests a workflow can run.
const (
	OnCall = "tools/call"
	OnList = "tools/list"
)

// A Workflow says around which requests a plan runs.
type Workflow struct {
	On       string // OnCall or OnList
	Disabled bool
	Priority int // the highest of those that match runs
	Match    Match
}

// Match are the requests of a workflow by globs, in which * stands for any text and ?
// for any character. Empty matches all.
type Match struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Client string `json:"client,omitempty"`
}

// Workflow returns around which requests the plan runs, nil if it is not a workflow.
func (p *Plan) Workflow() *Workflow { return p.workflow }

var (
	ruleWorkflowField = diag.Define("workflow-field", diag.Error,
		"A value of workflow is invalid. It is a map of on (tools/call or tools/list), and where needed enabled, priority and match: {server, tool, client}.")
	ruleWorkflowNode = diag.Define("workflow-node", diag.Error,
		"The node type is for workflows, and the graph is not one. A workflow has the key workflow: {on: tools/call}.")
	ruleGraphNode = diag.Define("graph-node", diag.Error,
		"A workflow starts with a start node and ends with an end node, not with entry and exit.")
)

var (
	workflowKeys = []string{"on", "enabled", "priority", "match", "ui"}
	matchKeys    = []string{"server", "tool", "client"}
)

// readWorkflow reads around which requests the tool runs into the plan.
func (p *Pass) readWorkflow() {
	v := p.tool.Workflow
	if !v.Exists() || v.Is(graph.Null) {
		return
	}
	w := &Workflow{On: OnCall}
	p.plan.workflow = w
	if !v.Is(graph.Object) {
		d := p.Report(ruleWorkflowField, v, nil, "workflow is %s, expected a map with on", shape(v))
		d.Hint = "write workflow: {on: tools/call}"
		if v.Is(graph.String) && slices.Contains([]string{OnCall, OnList}, v.Text()) {
			d.Offer(v.Replace("change to {on: "+v.Text()+"}", oneMember("on", v.Text())))
		}
		return
	}
	p.readKeys(v, "workflow", nil, workflowKeys, foreignWords["workflow"])
	p.readMethod(w, v)
	switch enabled := v.Get("enabled"); {
	case enabled.Is(graph.Boolean):
		w.Disabled = string(raw(enabled)) == "false"
	case enabled.Exists():
		p.Report(ruleWorkflowField, enabled, nil, "enabled is %s, expected true or false", shape(enabled))
	}
	if priority := v.Get("priority"); priority.Exists() {
		i, ok := priority.Int()
		if !ok || i < -1_000_000 || i > 1_000_000 {
			p.Report(ruleWorkflowField, priority, nil, "priority is %s, expected a whole number from -1000000 to 1000000", diag.Cut(string(raw(priority)), 40))
		}
		w.Priority = int(i)
	}
	p.readMatch(w, v.Get("match"))
}

func (p *Pass) readMethod(w *Workflow, v graph.Value) {
	on := v.Get("on")
	if !on.Exists() {
		p.Report(ruleWorkflowField, memberKey(v), nil, "workflow has no on").
			WithFix("write on: tools/call, or on: tools/list", v.Insert("add on: "+OnCall, "on", OnCall, ""))
		return
	}
	if on.Text() == OnCall || on.Text() == OnList {
		w.On = on.Text()
		return
	}
	p.suggest(p.Report(ruleWorkflowField, on, nil, "on is %s, expected tools/call or tools/list", diag.Quote(diag.Excerpt(on.Text()))), on, []string{OnCall, OnList})
}

func (p *Pass) readMatch(w *Workflow, v graph.Value) {
	if !v.Exists() || v.Is(graph.Null) {
		return
	}
	if !v.Is(graph.Object) {
		p.Report(ruleWorkflowField, v, nil, "match is %s, expected a map of server, tool and client", shape(v)).Hint = `write match: {server: files, tool: "write_*"}`
		return
	}
	p.readKeys(v, "match", nil, matchKeys, nil)
	globs := map[string]*string{"server": &w.Match.Server, "tool": &w.Match.Tool, "client": &w.Match.Client}
	for _, key := range matchKeys {
		switch glob := v.Get(key); {
		case glob.Is(graph.String):
			*globs[key] = glob.Text()
		case glob.Exists():
			p.Report(ruleWorkflowField, glob, nil, "%s is %s, expected a name, in which * stands for any text", key, shape(glob))
		}
	}
}

// fits makes a node one of a kind, and reports whether the graph may have such a node:
// workflows have nodes of their own, and no entry and exit.
func (p *Pass) fits(n *Node, k *Kind) bool {
	workflow := p.plan.workflow != nil
	switch {
	case k.InWorkflow && !workflow:
		d := p.Report(ruleWorkflowNode, n.Type, n, "nodes of type %q are for workflows, and %s is not one", n.Type.Text(), describe(p.tool))
		d.Hint = "a workflow has the key workflow: {on: tools/call}"
		n.Kind = p.env.kinds().types[p.env.kinds().aliases[plain(n.Type.Text())]]
		if n.Kind == nil || n.Kind == k {
			n.Kind = k
			return true
		}
		instead := n.Kind.Spec.NodeType
		d.WithFix(fmt.Sprintf("did you mean %q?", instead), changeTo(n.Type, instead))
		return true
	case workflow && !k.InWorkflow && (k.Starts || k.Ends):
		instead := p.terminal(k.Starts)
		p.Report(ruleGraphNode, n.Type, n, "a workflow has no node of type %q", n.Type.Text()).
			WithFix(fmt.Sprintf("did you mean %q?", instead), changeTo(n.Type, instead))
		n.Kind = p.env.kinds().types[instead]
		return true
	}
	n.Kind = k
	return true
}

// terminal is the type of the nodes at which the graph starts, or ends.
func (p *Pass) terminal(starts bool) string {
	for _, k := range p.env.kinds().Kinds() {
		if k.InWorkflow == (p.plan.workflow != nil) && (starts && k.Starts || !starts && k.Ends) {
			return k.Spec.NodeType
		}
	}
	return ""
}

// typeNames lists the types that nodes of the graph can have, sorted.
func (p *Pass) typeNames() []string {
	workflow := p.plan.workflow != nil
	var names []string
	for _, k := range p.env.kinds().Kinds() {
		if k.InWorkflow && !workflow || workflow && !k.InWorkflow && (k.Starts || k.Ends) {
			continue
		}
		names = append(names, k.Spec.NodeType)
	}
	return names
}

// alias returns the type that is meant by another name for it, or "".
func (p *Pass) alias(name string) string {
	if p.plan.workflow != nil {
		for _, k := range p.env.kinds().Kinds() {
			if k.InWorkflow && plain(k.Spec.NodeType) == plain(name) {
				return k.Spec.NodeType
			}
		}
	}
	return p.env.kinds().aliases[plain(name)]
}
