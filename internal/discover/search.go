package discover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// SearchInput asks for nodes that fit a sentence.
type SearchInput struct {
	Query          string          `json:"query" arg:"WORDS…" unless:"similar_to,has,wants" jsonschema:"what a step should do"`
	MaxResults     int             `json:"max_results,omitempty" flag:"max,n" maximum:"50" jsonschema:"default 10" help:"number of results, 1-50 (default 10; 4 where an idiom comes first, with its graph)"`
	IncludeDetails bool            `json:"include_details,omitempty" jsonschema:"details of first results" help:"include what patchbay show prints of the first results"`
	Detail         Detail          `json:"detail,omitempty" enum:"brief,full" jsonschema:"of include_details" help:"how much --include-details prints: brief (default) or full"`
	TypeFilter     string          `json:"type_filter,omitempty" flag:"type" jsonschema:"only nodes of this type, such as mcp"`
	Server         string          `json:"server,omitempty" jsonschema:"only tools of this server"`
	RunnableOnly   bool            `json:"runnable_only,omitempty" flag:"runnable" jsonschema:"only nodes that can run here"`
	Has            json.RawMessage `json:"has,omitempty" jsonschema:"data that is there: JSON Schema or sample" help:"find nodes that take this: a JSON Schema or a sample; - is standard input, @FILE a file"`
	Wants          json.RawMessage `json:"wants,omitempty" jsonschema:"data that is wanted; with has, also finds chains" help:"find nodes that give this, and with --has chains of them: a JSON Schema or a sample"`
	CompatibleWith string          `json:"compatible_with,omitempty" jsonschema:"a node id: only nodes that can take its output"`
	SimilarTo      string          `json:"similar_to,omitempty" jsonschema:"a node id: nodes like it; needs no query"`
	Mode           string          `json:"mode,omitempty" enum:"any,all" jsonschema:"default any; all: every word must match" help:"any (default) or all: every word must match"`
	Cursor         string          `json:"cursor,omitempty" jsonschema:"next_cursor of the last page" help:"the cursor printed at the end of the previous page"`

	Explain bool `json:"-" flag:"explain" jsonschema:"show what each part of the score gave"`
}

// SearchResult is one page of nodes, best first.
type SearchResult struct {
	Query      string              `json:"query"`
	Hint       string              `json:"hint,omitempty"`
	Confidence float64             `json:"confidence,omitempty"` // 0 to 1: how likely the first of all results is what was asked for
	Total      int                 `json:"total"`
	Results    []SearchHit         `json:"results"`
	Chains     []SearchChain       `json:"chains,omitempty"` // of nodes that connect has with wants
	Corrected  map[string]string   `json:"corrected,omitempty"`
	Assumed    map[string]string   `json:"assumed,omitempty"`
	Catalog    *plans.CatalogState `json:"catalog,omitempty"`
	NextCursor string              `json:"next_cursor,omitempty"`

	AvailablePacks []plans.AvailablePack `json:"available_packs,omitempty"` // that have better answers, and are not switched on

	Unknown *diag.Fault `json:"-"` // the filter that names nothing, for a command to fail
}

// SearchHit is one node found. The score is absolute, 0 to 1: how well the node fits the
// whole query.
type SearchHit struct {
	NodeDetails               // without details: type, title, first line and a signature of one line; never the id
	Score       float64       `json:"relevance_score"`
	Parts       *search.Parts `json:"score_parts,omitempty"` // where asked for
	Unmatched   []string      `json:"unmatched,omitempty"`   // words of the query that it lacks
	Also        []string      `json:"also,omitempty"`
	Pattern     string        `json:"pattern,omitempty"`  // how a saved graph is used among idioms
	LeftOut     []string      `json:"left_out,omitempty"` // of its details, for their size
	Connects    []string      `json:"connects,omitempty"` // in a search by type, how
}

// Name is the hit's id, which follows from its type and subtype.
func (h *SearchHit) Name() string {
	return plans.NodeRef{NodeType: h.NodeType, Subtype: h.Subtype}.String()
}

const maxQuery = 10_000

// MaxSearchResults is how many results one search may return.
const MaxSearchResults = 50

var codeSearchFailed = diag.DefineFault("search-failed", diag.RefusesRequest, "the search index failed", "report it with the message")

// Search finds nodes by what they do.
func (disc *Discovery) Search(ctx context.Context, in SearchInput) (*SearchResult, *diag.Fault) {
	if in.MaxResults < 0 || in.MaxResults > MaxSearchResults {
		return nil, diag.BadArgument("/max_results", "leave it out for 10", "max_results is %d, expected 1 to %d", in.MaxResults, MaxSearchResults)
	}
	if in.Mode != "" && in.Mode != "any" && in.Mode != "all" {
		return nil, diag.BadArgument("/mode", `mode is "any" or "all"`, "unknown mode %q", in.Mode)
	}
	if fault := in.Detail.check(); fault != nil {
		return nil, fault
	}
	snap := disc.plans.Views.Snapshot(ctx)
	r := &SearchResult{Query: diag.Cut(in.Query, 200), Results: []SearchHit{}, Catalog: disc.plans.CatalogState(ctx), Assumed: map[string]string{}}
	q := search.Query{Text: diag.Cut(in.Query, maxQuery), Max: in.MaxResults, Server: in.Server, TypeFilter: in.TypeFilter, RunnableOnly: in.RunnableOnly, All: in.Mode == "all", Cursor: in.Cursor}
	if hint := disc.narrow(snap, &q, r); hint != "" {
		r.Hint = hint
		return r, nil
	}
	if in.CompatibleWith != "" {
		giver, fault := disc.near(snap, plans.NodeRef{ID: in.CompatibleWith}, "/compatible_with", r.Assumed)
		if fault != nil {
			return nil, fault
		}
		q.Accept = func(taker *specs.Spec) bool { return taker.NodeType != specs.Idiom && search.Compatible(giver, taker) }
	}
	if in.SimilarTo != "" {
		if fault := disc.similar(snap, &q, in, r); fault != nil {
			return nil, fault
		}
	}
	if len(in.Has)+len(in.Wants) > 0 {
		return r, disc.searchTypes(ctx, snap, in, q, r)
	}
	q.Near = disc.byMeaning(ctx, snap, in)
	found, err := find(ctx, snap, q)
	if errors.Is(err, search.ErrStaleCursor) {
		return nil, diag.BadArgument("/cursor", "search again without a cursor", "the cursor belongs to another query or an older catalog")
	}
	if err != nil {
		return nil, diag.Faultf(codeSearchFailed, "%v", err)
	}
	if in.Cursor == "" && in.SimilarTo == "" {
		disc.usage.note(request.ActorFrom(ctx).Principal, in.Query, found.Total, len(found.Corrected) > 0)
	}
	r.Total, r.NextCursor = found.Total, found.NextCursor
	if in.Query != "" {
		r.Corrected = found.Corrected
	}
	if in.Cursor+in.TypeFilter+in.Server+in.CompatibleWith+in.SimilarTo == "" && !in.RunnableOnly {
		r.AvailablePacks = disc.plans.Packs.ThatAnswer(ctx, snap, q.Text, found.Hits)
	}
	if fault := disc.addHits(ctx, r, found.Hits, in); fault != nil {
		return nil, fault
	}
	r.showPatterns(q, found.Hits)
	if request.RightsFrom(ctx) != nil { // words may be those of nodes that it does not see
		found.Nearest, r.Corrected = nil, nil
	}
	r.judge(in, found)
	if refused := disc.plans.Views.ListFault(ctx); refused != nil {
		r.Hint = refused.Message + "; " + r.Hint
	}
	if len(r.Assumed) == 0 {
		r.Assumed = nil
	}
	return r, nil
}

// addHits adds hits to a result. Details may have to be made, which takes a turn.
func (disc *Discovery) addHits(ctx context.Context, r *SearchResult, hits []search.Hit, in SearchInput) *diag.Fault {
	for _, h := range hits {
		hit := SearchHit{NodeDetails: foundNode(h.Spec), Score: math.Round(h.Score*100) / 100, Also: h.Also}
		if in.SimilarTo == "" {
			hit.Unmatched = h.Unmatched
		}
		if in.Explain {
			hit.Parts = &h.Parts
		}
		r.Results = append(r.Results, hit)
	}
	if !in.IncludeDetails {
		return nil
	}
	return disc.process.Compute(ctx, 0, func(context.Context) { disc.detail(disc.plans.Views.Snapshot(ctx), r, hits, in.Detail) })
}

// narrow resolves the type and server of a search, taking a near miss for what
// it is near to. It returns a hint when nothing can match.
func (disc *Discovery) narrow(snap *catalog.Snapshot, q *search.Query, r *SearchResult) string {
	if q.TypeFilter != "" {
		name, ok := disc.resolveType(snap, q.TypeFilter, r.Assumed)
		if !ok {
			r.AvailablePacks = disc.plans.Packs.WithType(snap, q.TypeFilter)
			r.Unknown = unknownType(q.TypeFilter, typeNames(snap), r.AvailablePacks)
			return r.Unknown.Message + "; " + r.Unknown.Hint
		}
		q.TypeFilter = name
	}
	if q.Server != "" {
		if hint := disc.NotListed(snap, q.Server); hint != "" {
			return hint
		}
		name, ok := resolveName(q.Server, snap.Servers(), r.Assumed)
		if !ok {
			r.Unknown = unknownFilter("/server", "server", q.Server, snap.Servers())
			return r.Unknown.Message + "; " + r.Unknown.Hint
		}
		q.Server = name
	}
	return ""
}

// NotListed says why a server that is configured has no tools to search, or "".
func (disc *Discovery) NotListed(snap *catalog.Snapshot, server string) string {
	if disc.servers.Hub == nil || snap != disc.plans.Catalog.Snapshot() || slices.Contains(snap.Servers(), server) {
		return ""
	}
	for _, s := range disc.servers.Hub.Status() {
		switch {
		case s.Name != server:
		case s.State == "starting":
			return fmt.Sprintf("the server %q is still starting; search again in a few seconds", server)
		case s.State == "failed":
			return fmt.Sprintf("the server %q has no tools to search: %s", server, s.Reason)
		}
	}
	return ""
}

func typeNames(snap *catalog.Snapshot) []string {
	return lists.Each(snap.Types(), func(t catalog.Type) string { return t.Name })
}

func resolveName(given string, names []string, assumed map[string]string) (string, bool) {
	for _, n := range names {
		if n == given {
			return n, true
		}
	}
	near := diag.Closest(given, names)
	if near != "" {
		assumed[given] = near
	}
	return near, near != ""
}

// foundNode is what a search shows of a node.
func foundNode(s *specs.Spec) NodeDetails {
	d := NodeDetails{NodeType: s.NodeType, Subtype: s.Subtype, Title: search.Title(s), Description: diag.Cut(reply.FirstLine(s.Description), briefDescription), Signature: search.Signature(s)}
	if s.NodeType == specs.Idiom {
		d.Signature, d.Title = s.Title, ""
	}
	d.setRunnable(s)
	return d
}
