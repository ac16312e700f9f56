package engine

import (
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var (
	ruleMissingCall = diag.Define("missing-mcp-call", diag.Error,
		"A workflow has no mcp-call, so the server is never called. Only a path that is chosen by a switch may go without one.")
	ruleSecondCall = diag.Define("second-mcp-call", diag.Error,
		"A path of a workflow has two mcp-calls. The server is called once or not at all.")
	ruleCallInBranch = diag.Define("mcp-call-in-branch", diag.Error,
		"An mcp-call is in a branch of a parallel node or in a detached branch. It belongs to the path from start to end.")
	ruleEndInputs = diag.Define("end-inputs", diag.Error,
		"Several edges lead to the end of a workflow, one leads out of it, or it has several ends. It has one end, with a single input and no output.")
	ruleWorkflowLoop = diag.Define("workflow-loop", diag.Error,
		"The nodes of a workflow form a loop. Loops are inside of nodes: foreach, or the graph that a graph node runs.")
	ruleSecondWay = diag.Define("second-way-to-end", diag.Error,
		"A detached branch of a workflow leads on to its end. One output of a node leads to the end; a detached branch ends with a hook that has blocking: false, or at the node under next, which is not the end if a hook of the branch is blocking.")
)

// checkWorkflow checks the graph of a workflow as a whole.
func (p *Pass) checkWorkflow() {
	if p.plan.workflow == nil || len(p.foreign) > 0 {
		return
	}
	calls := p.of(func(k *Kind) bool { return k.Forwards })
	if len(calls) == 0 {
		p.missingCall()
	}
	if p.plan.entry == NoNode || p.diags.HasErrors() {
		return
	}
	p.checkEnds()
	p.checkLoops()
	for _, c := range calls {
		if len(p.members) > 0 && len(p.members[c.Index]) > 0 {
			p.Report(ruleCallInBranch, c.Type, c, "%q is in the branch %q", c.ID, p.plan.nodes[p.branches[p.members[c.Index][0]].head].id).Hint = "make the call on the path from start to end"
		}
		reached := p.plan.reach(c.Index)
		for _, other := range calls {
			if other != c && reached[other.Index] && !p.diags.HasErrors() {
				p.Report(ruleSecondCall, other.Type, other, "%q calls the server again, after %q", other.ID, c.ID).Hint = "the context has its response; to call another tool, use an mcp node"
			}
		}
	}
}

// missingCall offers an mcp-call before the end.
func (p *Pass) missingCall() {
	d := p.Report(ruleMissingCall, memberKey(p.tool.NodeList), nil, "the workflow has no mcp-call")
	ends := p.exits
	if len(ends) == 0 || !p.tool.NodeList.Is(graph.Array) {
		d.Hint = "add {id: call, type: mcp-call, next: <id of the node that follows>}"
		return
	}
	id, end := p.freeID("call"), ends[0].ID
	d.Hint = "add {id: " + id + ", type: mcp-call, next: " + end + "}, and lead to it what leads to " + end
	fixes := []diag.Fix{p.tool.NodeList.Append("", graph.Members{{Key: "id", Value: id}, {Key: "type", Value: "mcp-call"}, {Key: "next", Value: end}})}
	for _, n := range p.nodes {
		for e := range n.Edges() {
			if e.Target.Text() == end {
				fixes = append(fixes, e.Target.Replace("", id))
			}
		}
	}
	d.Offer(graph.Join("add an mcp-call before "+end, fixes...))
}

// checkEnds reports a second end, and a second edge to one.
func (p *Pass) checkEnds() {
	all := p.exits
	for _, n := range all[1:] {
		d := p.Report(ruleEndInputs, n.where(), n, "%q is a second end", n.ID)
		d.Hint = "lead to " + all[0].ID
		d.Related = []diag.Related{{Path: all[0].Path(), Range: all[0].where().Range(), Message: "the first end"}}
	}
	for _, b := range p.branches {
		if i := slices.IndexFunc(b.inside, func(i NodeIndex) bool { return p.plan.nodes[i].context && !p.nodes[i].Kind.Forwards }); b.detached && b.join == all[0].Index && i >= 0 {
			p.Report(ruleSecondWay, b.edge.At, p.nodes[b.fork], "the blocking hook %q is in the detached branch %q, which leads on to %q: nothing would wait for it, and an end has a single input", p.nodes[b.inside[i]].ID, p.nodes[b.head].ID, all[0].ID).Hint = fmt.Sprintf("lead %s to %s by next instead of detach, or write blocking: false and no next", p.nodes[b.fork].ID, p.nodes[b.head].ID)
		}
	}
	var to []Edge
	for i := range p.plan.nodes {
		for _, e := range p.plan.nodes[i].edges {
			if e.To == all[0].Index && !p.endsBranch(NodeIndex(i), e.To) {
				to = append(to, e)
			}
		}
	}
	if len(to) < 2 {
		return
	}
	id := p.freeID("joined")
	d := p.Report(ruleEndInputs, to[1].At, all[0], "%d edges lead to %q", len(to), all[0].ID)
	d.Hint = "lead them to a transform node, and that to " + all[0].ID
	fixes := []diag.Fix{p.tool.NodeList.Append("", graph.Members{
		{Key: "id", Value: id},
		{Key: "type", Value: "transform"},
		{Key: "transform", Value: oneMember("expr", "true")},
		{Key: "next", Value: all[0].ID},
	})}
	for _, e := range to {
		fixes = append(fixes, e.At.Replace("", id))
	}
	d.Offer(graph.Join("join them in a transform node", fixes...))
}

// checkLoops reports the first edge that closes a loop.
func (p *Pass) checkLoops() {
	state := make([]byte, len(p.plan.nodes)) // 1 on the path, 2 done
	type frame struct {
		at   NodeIndex
		edge int
	}
	stack := []frame{{at: p.plan.entry}}
	state[p.plan.entry] = 1
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		edges := p.plan.nodes[f.at].edges
		if f.edge == len(edges) {
			state[f.at] = 2
			stack = stack[:len(stack)-1]
			continue
		}
		e := edges[f.edge]
		f.edge++
		switch {
		case e.To == NoNode:
		case state[e.To] == 1:
			p.Report(ruleWorkflowLoop, e.At, p.nodes[f.at], "%q leads back to %q", p.plan.nodes[f.at].id, p.plan.nodes[e.To].id).Hint = "repeat inside of a node: foreach, or a saved graph"
			return
		case state[e.To] == 0:
			state[e.To] = 1
			stack = append(stack, frame{at: e.To})
		}
	}
}
