package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// maxHelped is the number of diagnostics after which no more suggestions are
// computed: an agent sees at most fifty, and a hostile graph has thousands.
const maxHelped = 60

// A Pass is the compilation of one tool of a document: what a [Kind] sees while
// it compiles a node.
type Pass struct {
	ctx  context.Context
	turn *admission.Turn // of ctx's work; or nil
	work int             // since the last look at both

	doc   *graph.Document
	tree  *graph.Tree // of the document, or of the graph that recoverDocument finds in it
	env   Env
	tool  *graph.Tool
	nodes []*Node

	siblings *siblings // the tools of the document; nil while the document itself is checked
	index    map[string]NodeIndex
	plan     *Plan

	branches []branch           // of all parallel nodes
	forked   map[NodeIndex]span // by parallel node: its branches, as places in branches
	members  [][]int32          // by node: the branches it is in; nil without branches

	diags      *diag.List
	unreported unreported

	entryNode      *Node // the first of those that start, or nil
	exits          []*Node
	exprArgs       bool // some argument of the tool is written {expr: …}
	noExit         bool // the missing exit is already reported, with a fix for what leads to it
	suppressedKeys map[string]bool
	declared       map[diag.Range]bool // reads of fields called length that are declared
	misspelt       map[string]bool     // arguments that an expression reads by nearly their name
	foreign        map[string]*Kind    // of node types that only packs know
	connections    []connection        // of nodes of those types
	elsewhere      bool                // nodes have types of packs that are not switched on
	numbered       map[string]int      // by base: the numbers below are taken, of ids made free by one
	pendingIDs     map[string]bool     // ids of nodes that the fix of a reported fault adds

	ownArguments *ownArguments // nil until that is asked

	longExprs map[string]*compiledExpr // those too long for the cache

	ids []string // of all nodes, for suggestions; filled at first use
}

func newPass(ctx context.Context, doc *graph.Document, env Env, l *diag.List) *Pass {
	return &Pass{ctx: ctx, turn: admission.From(ctx), doc: doc, tree: doc.Tree(), env: env, diags: l, suppressedKeys: map[string]bool{}}
}

// Report adds a diagnostic at a value of the document. The node may be nil.
func (p *Pass) Report(r *diag.Rule, v graph.Value, n *Node, format string, args ...any) *diag.Diagnostic {
	return p.reportAt(r, v, v.Range(), n, format, args...)
}

func (p *Pass) reportAt(r *diag.Rule, v graph.Value, at diag.Range, n *Node, format string, args ...any) *diag.Diagnostic {
	p.did(0)
	if len(*p.diags) >= maxDiagnostics {
		p.unreported.note(r, v)
		return &diag.Diagnostic{}
	}
	d := p.diags.Report(r, v.Path(), at, format, args...)
	if n != nil {
		d.Node = n.ID
	}
	return d
}

// helps reports whether suggestions are still made.
func (p *Pass) helps() bool { return len(*p.diags) <= maxHelped }

// closest is diag.Closest until enough suggestions were made.
func (p *Pass) closest(given string, candidates []string) string {
	if !p.helps() {
		return ""
	}
	return diag.Closest(given, candidates)
}

// suggest adds what a misspelt name may have meant: a fix where one candidate is
// near, else the choices. It returns the candidate.
func (p *Pass) suggest(d *diag.Diagnostic, v graph.Value, candidates []string) string {
	near := p.closest(v.Text(), candidates)
	switch {
	case near != "":
		d.Hint = fmt.Sprintf("did you mean %q?", near)
		d.Offer(changeTo(v, near))
	case len(candidates) > 0 && p.helps():
		d.Hint = "one of: " + diag.OneOf(candidates, 12)
	}
	return near
}

func (p *Pass) nodeIDs() []string {
	if p.ids == nil {
		for _, n := range p.nodes {
			p.ids = append(p.ids, n.ID)
		}
		slices.Sort(p.ids)
	}
	return p.ids
}

// of returns the nodes of the kinds that have a trait, in document order.
func (p *Pass) of(trait func(*Kind) bool) []*Node {
	return lists.Only(p.nodes, func(n *Node) bool { return n.Kind != nil && trait(n.Kind) })
}

func starts(k *Kind) bool { return k.Starts }

func ends(k *Kind) bool { return k.Ends }

// findEntry finds the entry node and the exits, once the kinds of all nodes are known.
func (p *Pass) findEntry() {
	p.exits = p.of(ends)
	if all := p.of(starts); len(all) > 0 {
		p.entryNode = all[0]
	}
}

// entryID is the id expressions use for the call's arguments, or "".
func (p *Pass) entryID() string {
	if p.entryNode == nil {
		return ""
	}
	return p.entryNode.ID
}

// raw is a value of the document as JSON.
func raw(v graph.Value) json.RawMessage { return v.JSON() }
