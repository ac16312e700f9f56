package engine

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "parallel",
		Title:       "Parallel",
		Description: "Runs several branches at the same time and continues at join when all are done. Each branch starts at its own node and ends where it would enter join. Its output has the last output of each branch, by the id of the branch's first node. A branch under detach is not waited for.",
		Tags:        []string{"fork", "join", "concurrent", "fan out", "branches", "merge"},
		Intents:     []string{"run steps at the same time", "call several tools concurrently", "do two things in parallel", "fork and join", "fan out and gather", "wait for all of several calls", "fire and forget", "run in the background without waiting"},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "branch", Type: "any", Description: "one per branch: it runs until it would enter join"}, {Name: "join", Type: "object", Description: "{<branch's first node>: <output of its last node>}", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"fork","type":"parallel","branches":["<first node of a branch>","<first node of another>"],"join":"exit"}`),
		Examples: []specs.Example{{
			Title: "Two computations side by side",
			Graph: `name: stats
description: Smallest and largest of some numbers
inputSchema: {type: object, properties: {numbers: {type: array, minItems: 1, items: {type: number}}}, required: [numbers]}
outputSchema: {type: object, properties: {low: {type: number}, high: {type: number}}, required: [low, high]}
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [low, high], join: exit}
  - {id: low, type: transform, transform: {expr: $min($.entry.numbers)}, next: exit}
  - {id: high, type: transform, transform: {expr: $max($.entry.numbers)}, next: exit}
  - {id: exit, type: exit}
`,
			Arguments: json.RawMessage(`{"numbers":[3,9,4]}`),
			Result:    json.RawMessage(`{"low":3,"high":9}`),
		}, {
			Title: "A detached branch",
			Graph: `name: double
description: Twice a number, computed while another branch waits
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object, properties: {twice: {type: number}}, required: [twice]}
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, detach: [pause], join: twice}
  - {id: pause, type: wait, ms: 60000, next: twice}
  - {id: twice, type: transform, transform: {expr: '{"twice": 2 * $.entry.n}'}, next: exit}
  - {id: exit, type: exit}
`,
			Arguments: json.RawMessage(`{"n":21}`),
			Result:    json.RawMessage(`{"twice":42}`),
		}},
	},
	Forks:   true,
	Aliases: strings.Fields("fork concurrent fan-out fanout split all join gather parallel_group concurrently simultaneous"),
	Guide:   GuideRow{Fields: "branches: [first node of each], join, concurrency, detach: [first node of each that join does not wait for]", Output: "{first node: output of the branch's last node}; a branch ends where it would enter join; a detached one ends with the graph and nothing reads it"},
	Fields: []Field{
		{Name: "branches", Type: "array", Edges: true, Doc: "branches: [<id of a branch's first node>, …]; required without detach", Aliases: strings.Fields("nodes tasks targets children steps forks paths parallel nexts")},
		{Name: "join", Type: "node-id", Edges: true, Required: true, Doc: "id of the node where the branches meet; it runs once, when all are done", Aliases: append(strings.Fields("next merge joinNode gather after wait end"), nextAliases[:7]...)},
		{Name: "detach", Type: "array", Edges: true, Doc: "detach: [<id of a branch's first node>, …], branches that the join does not wait for: their outputs are not seen outside of them, a failure is logged, and they end with the run of the graph", Aliases: []string{"detached", "fireAndForget", "background", "async"}},
		{Name: "concurrency", Type: "number", Doc: "number of branches that run at the same time (default all)", Aliases: []string{"maxConcurrency", "limit", "parallelism"}},
	},
	Modifiers: OnErrorOnly,
	Compile:   compileParallel,
})

var ruleBranches = diag.Define("bad-branches", diag.Error,
	"The branches of a parallel node are not a list of different node ids, the first node of each branch.")

// parallelNode is a compiled parallel node.
type parallelNode struct {
	plan        *Plan
	names       []string // of the branches that join
	heads       []NodeIndex
	detached    []string // the names of the detached ones
	loose       []NodeIndex
	join        NodeIndex
	concurrency int
}

func compileParallel(p *Pass, n *Node) Compiled {
	f := &parallelNode{plan: p.plan, join: NoNode, names: []string{}}
	edges := []Edge{{To: NoNode}}
	p.Require(n, "join")
	if n.Join.Exists() {
		f.join = p.Target(n, n.Join)
		edges[0] = Edge{To: f.join, At: n.Join}
	}
	if !n.DetachList.Exists() {
		p.Require(n, "branches")
	}
	seen := map[string]bool{}
	edges = f.branches(p, n, edges, "branches", seen)
	edges = f.branches(p, n, edges, "detach", seen)
	f.concurrency = int(p.whole(n, n.Field("concurrency"), "concurrency", MaxConcurrency, 1, MaxConcurrency))
	if len(f.loose) > 0 {
		p.plan.detaches = true
	}
	return Compiled{Edges: edges, Step: f.step, Restore: f.again, Infer: f.infer, Branches: f.names}
}

// branches reads the branches under one of the two keys and appends their edges.
func (f *parallelNode) branches(p *Pass, n *Node, edges []Edge, key string, seen map[string]bool) []Edge {
	list, items := n.BranchList, n.Branches
	if key == "detach" {
		list, items = n.DetachList, n.Detached
	}
	if list.Exists() && len(items) == 0 {
		p.wrongForm(&branchesForm, key, n, list)
	}
	for _, branch := range items {
		b := branch.Target
		to := p.Target(n, b)
		if to == NoNode {
			continue
		}
		name := p.nodes[to].ID
		switch {
		case seen[name]:
			p.Report(ruleBranches, b, n, "the branch %q is listed twice", name).
				Offer(b.Remove("remove it"))
		case to == f.join:
			p.Report(ruleBranches, b, n, "the branch %q is the join itself, so it has no nodes", name).
				WithFix("the join runs once, after the branches", b.Remove("remove it"))
		default:
			if key == "detach" {
				f.detached, f.loose = append(f.detached, name), append(f.loose, to)
			} else {
				f.names, f.heads = append(f.names, name), append(f.heads, to)
			}
			edges = append(edges, Edge{Label: branch.Label, To: to, At: b})
		}
		seen[name] = true
	}
	return edges
}

// infer takes the output of a branch from the nodes that end it.
func (f *parallelNode) infer(t *Types) types.Type {
	fields := make([]types.Field, 0, len(f.heads))
	for _, b := range t.pass.forkBranches(t.at) {
		if b.detached {
			continue
		}
		out := types.Type{}
		for _, i := range b.ends {
			out = out.Or(t.outputTo(i, b.join))
		}
		if out.Kinds == 0 {
			out = types.Unknown()
		}
		fields = append(fields, types.Field{Name: f.plan.nodes[b.head].id, Type: out.Without(types.Undefined), Optional: out.Has(types.Undefined)})
	}
	if len(fields) != len(f.heads) {
		return types.Of(types.Object)
	}
	return types.ObjectOf(true, fields...)
}

// again walks the branches, whose every step is known: what is after the join
// sees their outputs.
func (f *parallelNode) again(ctx context.Context, s *State) error {
	_, err := f.step(ctx, s)
	return err
}

func (f *parallelNode) step(ctx context.Context, s *State) (Outcome, error) {
	for i, name := range f.detached {
		b := s.Child(name)
		s.loose.Go(s.step.Key+"/"+name, func(ctx context.Context) error {
			_, err := b.Walk(ctx, f.loose[i], f.join)
			return err
		})
	}
	branches := make([]*State, len(f.heads))
	outputs := make([]expr.Value, len(f.heads))
	for i, name := range f.names {
		branches[i] = s.Child(name)
	}
	err := s.rt.Fan(ctx, len(f.heads), f.concurrency, func(ctx context.Context, i int) (err error) {
		outputs[i], err = branches[i].Walk(ctx, f.heads[i], f.join)
		return err
	})
	if err != nil {
		return Outcome{Next: f.join}, err
	}
	before := s.hist.Len()
	output := expr.NewObject()
	for i, b := range branches {
		for id, output := range b.hist.After(before) {
			s.put(id, output)
		}
		s.merge(b)
		if outputs[i] != nil {
			output.Set(f.names[i], outputs[i])
		}
		if b.end != nil && s.end == nil {
			s.end = b.end
		}
	}
	return Outcome{Output: output, Next: f.join}, nil
}
