package discover

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/internal/discover/connect"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// SearchChain is nodes that connect what is there with what is wanted, each with those
// before, as a draft.
type SearchChain struct {
	Nodes    []string `json:"nodes"` // ids
	Score    float64  `json:"relevance_score"`
	Connects []string `json:"connects"`        // argument = expression (types)
	Holes    []string `json:"holes,omitempty"` // arguments and wanted fields that nothing gives
	Draft    string   `json:"draft"`
	Text     string   `json:"-"` // of the draft
}

// The size of the reply of a search by type, unless max_results asks for more.
const (
	maxTypedReply  = 1500 // bytes as JSON
	typedNodes     = 3
	typedChains    = 3
	connectsShown  = 6
	maxConnectText = 120 // characters of a connection
)

// typeIndex is the types of the latest state of the catalog.
type typeIndex struct {
	Learned atomic.Int64 // how often something was learned of results

	mu    sync.Mutex
	of    *catalog.Snapshot
	at    int64
	index *connect.Index
}

// TypesOf returns the index of a state of the catalog; only what is new in it is read.
func (disc *Discovery) TypesOf(snap *catalog.Snapshot) *connect.Index {
	x := &disc.Connects
	x.mu.Lock()
	defer x.mu.Unlock()
	if at := x.Learned.Load(); x.index == nil || x.of != snap || x.at != at {
		x.index = connect.New(x.index, snap.All(), func(s *specs.Spec) json.RawMessage {
			if seen := disc.plans.Seen.Of(s); seen != nil {
				return seen.Schema
			}
			return nil
		})
		x.of, x.at = snap, at
	}
	return x.index
}

// searchTypes finds nodes and chains whose types connect; words, if there are any, decide
// between those.
func (disc *Discovery) searchTypes(ctx context.Context, snap *catalog.Snapshot, in SearchInput, q search.Query, r *SearchResult) *diag.Fault {
	has, fault := readData(in.Has, false, "/has")
	if fault != nil {
		return fault
	}
	wants, fault := readData(in.Wants, true, "/wants")
	if fault != nil {
		return fault
	}
	fits := map[*specs.Spec]float64{}
	if in.Query != "" {
		q.Max = MaxSearchResults
		found, err := snap.Search(ctx, q)
		if err != nil {
			return diag.Faultf(codeSearchFailed, "%v", err)
		}
		for _, h := range found.Hits {
			fits[h.Spec] = h.Score
		}
	}
	var nodes, chains []*connect.Path
	isIdiom := q.TypeFilter == specs.Idiom
	accept := func(s *specs.Spec) bool {
		return q.Admits(s) && (isIdiom || s.NodeType != specs.Idiom) && snap.Spec(s.ID()) != nil
	}
	fault = disc.process.Compute(ctx, 0, func(ctx context.Context) {
		index := disc.TypesOf(disc.plans.Catalog.Snapshot())
		nodes, chains = index.Find(ctx, has, wants, accept, func(s *specs.Spec) float64 { return fits[s] })
		r.addPaths(nodes, in.MaxResults)
		if isIdiom { // is not a node
			chains = nil
		}
		for _, p := range chains[:min(len(chains), typedChains)] {
			r.Chains = append(r.Chains, disc.chain(ctx, snap, p))
		}
	})
	if len(r.Results)+len(r.Chains) == 0 {
		r.Hint = "the types of no node connect; name fewer or other fields, or describe the node in words"
	}
	if r.Total = len(nodes); in.MaxResults == 0 {
		r.shortenTyped()
	}
	if len(r.Assumed) == 0 {
		r.Assumed = nil
	}
	return fault
}

func readData(source json.RawMessage, wanted bool, path string) (*connect.Data, *diag.Fault) {
	if len(source) == 0 || string(source) == "null" {
		return nil, nil
	}
	d, err := connect.Read(source, wanted)
	if err != nil {
		return nil, diag.BadArgument(path, `such as {"owner": "ada", "repo": "engine"}, or a JSON Schema`, "it is not JSON: %v", err)
	}
	return &d, nil
}

func (r *SearchResult) addPaths(nodes []*connect.Path, most int) {
	most = cmp.Or(most, typedNodes)
	for _, p := range nodes[:min(len(nodes), most)] {
		spec := p.Steps[0].Spec
		hit := SearchHit{NodeDetails: foundNode(spec), Score: math.Round(p.Score*100) / 100, Connects: connections(p)}
		r.Results = append(r.Results, hit)
	}
}

// connections are those of a path, in a line each.
func connections(p *connect.Path) []string {
	list := []string{}
	for _, l := range p.Links[:min(len(p.Links), connectsShown)] {
		list = append(list, diag.Cut(fmt.Sprintf("%s = %s (%s)", l.To, l.Expr, l.Because), maxConnectText))
	}
	return list
}

// chain is a path as a draft, with what it leaves open.
func (disc *Discovery) chain(ctx context.Context, snap *catalog.Snapshot, p *connect.Path) SearchChain {
	c := SearchChain{Score: math.Round(p.Score*100) / 100, Connects: connections(p)}
	var steps []drafting.Step
	for _, s := range p.Steps {
		c.Nodes = append(c.Nodes, s.Spec.ID())
		step := drafting.Step{Args: s.Args}
		switch {
		case s.Spec.NotRunnable:
			step.Skeleton = plans.SkeletonOf(s.Spec)
		case s.Spec.NodeType == specs.Graph:
			tool, fault := (plans.GraphResolver{Plans: disc.plans, Rights: request.RightsFrom(ctx)}).Graph(s.Spec.Subtype)
			if fault != nil {
				continue
			}
			step.Callee = reply.DraftCallee("", s.Spec.Subtype, tool)
		default:
			step.Callee = reply.DraftCallee(s.Spec.Server(), s.Spec.Tool(), disc.plans.Tools.Of(snap, s.Spec))
		}
		steps = append(steps, step)
	}
	body, open := drafting.Scaffold(steps)
	for _, o := range open {
		c.Holes = append(c.Holes, o.Node+"."+o.Argument)
	}
	for _, lacks := range p.Lacks {
		c.Holes = append(c.Holes, "wants."+lacks)
	}
	if !p.Steps[0].Spec.NotRunnable {
		body = drafting.With(body, p.Input, p.Result)
	}
	c.Text = string(graph.Encode(body))
	c.Draft = disc.plans.Drafts.Put(request.ActorFrom(ctx).Principal, &plans.Source{Name: "draft", Text: c.Text})
	return c
}

// shortenTyped leaves out of a reply what comes last of what helps least, until it is short.
func (r *SearchResult) shortenTyped() {
	for _, less := range []func(){
		func() {
			for i := range r.Results {
				r.Results[i].Description, r.Results[i].Title = "", ""
			}
		},
		func() { r.Chains = r.Chains[:min(len(r.Chains), 2)] },
		func() { r.cutConnects(3) },
		func() { r.Chains = r.Chains[:min(len(r.Chains), 1)] },
		func() {
			for i := range r.Results {
				r.Results[i].Signature = ""
			}
		},
		func() { r.cutConnects(1) },
	} {
		if jsonSize(r) <= maxTypedReply {
			return
		}
		less()
	}
}

func (r *SearchResult) cutConnects(n int) {
	for i := range r.Results {
		r.Results[i].Connects = r.Results[i].Connects[:min(n, len(r.Results[i].Connects))]
	}
	for i := range r.Chains {
		r.Chains[i].Connects = r.Chains[i].Connects[:min(n+1, len(r.Chains[i].Connects))]
	}
}
