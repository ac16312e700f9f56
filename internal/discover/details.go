package discover

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/store/observed"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

// DetailsInput asks what is known of some nodes.
type DetailsInput struct {
	Nodes           []plans.NodeRef `json:"nodes" arg:"NODE…" maximum:"50" jsonschema:"each {id} or {node_type, subtype}"`
	Detail          Detail          `json:"detail,omitempty" default:"full" enum:"brief,full" jsonschema:"default brief" help:"brief: a signature and a skeleton; full: the whole specification"`
	IncludeExamples *bool           `json:"include_examples,omitempty" jsonschema:"default: if full" help:"include examples (default: if full)"`
	IncludeSchemas  *bool           `json:"include_schemas,omitempty" jsonschema:"default: if full" help:"include schemas (default: if full)"`
	MaxTokens       int             `json:"max_tokens,omitempty" jsonschema:"size of the reply; left_out lists the rest" help:"maximum size of the output in tokens; what was omitted is listed at the end"`
}

// DetailsResult holds what is known of each node, in the order asked.
type DetailsResult struct {
	Nodes   []NodeDetails       `json:"nodes"`
	Assumed map[string]string   `json:"assumed,omitempty"`
	LeftOut []string            `json:"left_out,omitempty"` // what the reply leaves out for its size
	Hint    string              `json:"hint,omitempty"`     // how to make a draft of the nodes
	Catalog *plans.CatalogState `json:"catalog,omitempty"`
}

// NodeDetails describes a node, or says why it cannot.
type NodeDetails struct {
	ID          string             `json:"id,omitempty"`
	NodeType    string             `json:"node_type"`
	Subtype     string             `json:"subtype"`
	Version     string             `json:"version,omitempty"`
	Title       string             `json:"title,omitempty"`
	Signature   string             `json:"signature,omitempty"`
	OutputType  string             `json:"-"` // declared or observed; set if the node has no signature
	Description string             `json:"description,omitempty"`
	Category    string             `json:"category,omitempty"`
	Tags        []string           `json:"tags,omitempty"`
	Source      string             `json:"source,omitempty"`
	Runnable    *bool              `json:"runnable,omitempty"`
	Reason      string             `json:"reason,omitempty"` // why it is not runnable, of a saved graph
	Parameters  []specs.Parameter  `json:"parameters,omitempty"`
	InputPorts  []specs.Port       `json:"input_ports,omitempty"`
	OutputPorts []specs.Port       `json:"output_ports,omitempty"`
	Skeleton    json.RawMessage    `json:"skeleton,omitempty"`
	Call        string             `json:"call,omitempty"`        // in a function
	FollowedBy  []string           `json:"followed_by,omitempty"` // in saved graphs and examples, the most frequent first
	Graph       string             `json:"graph,omitempty"`       // YAML to copy, of an idiom or a saved graph
	Examples    []specs.Example    `json:"examples,omitempty"`
	Annotations *specs.Annotations `json:"annotations,omitempty"`
	Observed    *observed.Output   `json:"observed,omitempty"`

	Error       string   `json:"error,omitempty"`
	Code        string   `json:"code,omitempty"` // of the error
	Hint        string   `json:"hint,omitempty"`
	Suggestions []string `json:"suggestions,omitempty"`
}

// MaxDetails is how many nodes one request may ask about.
const MaxDetails = 50

// Details returns what the catalog knows of some nodes. One that is not found
// does not keep the others from coming.
func (disc *Discovery) Details(ctx context.Context, in DetailsInput) (*DetailsResult, *diag.Fault) {
	if len(in.Nodes) == 0 || len(in.Nodes) > MaxDetails {
		return nil, diag.BadArgument("/nodes", "write [{id: \"mcp:<server>/<tool>\"}]", "nodes has %d items, expected 1 to %d", len(in.Nodes), MaxDetails)
	}
	if in.MaxTokens < 0 {
		return nil, diag.BadArgument("/max_tokens", "leave it out for all", "max_tokens is %d, expected a positive number", in.MaxTokens)
	}
	if fault := in.Detail.check(); fault != nil {
		return nil, fault
	}
	nodes := lists.Each(in.Nodes, disc.plans.Tools.Canonical)
	late := disc.awaitStarting(ctx, nodes)
	snap := disc.plans.Views.Snapshot(ctx)
	r := &DetailsResult{Assumed: map[string]string{}}
	if fault := disc.process.Compute(ctx, 0, func(context.Context) {
		one := disc.describer(in)
		for _, ref := range nodes {
			d, leftOut := disc.details(ctx, snap, ref, r.Assumed, one)
			if f := late[disc.plans.Tools.ServerNamed(ref)]; f != nil && d.Error != "" {
				d.Error, d.Code, d.Hint = f.Message, f.Code, f.Hint
			}
			d.FollowedBy = present(snap, d.FollowedBy)
			r.Nodes, r.LeftOut = append(r.Nodes, d), append(r.LeftOut, leftOut...)
		}
	}); fault != nil {
		return nil, fault
	}
	r.Hint, r.Catalog = scaffoldHint(snap, r.Nodes), disc.plans.CatalogState(ctx)
	if len(r.Assumed) == 0 {
		r.Assumed = nil
	}
	if in.MaxTokens > 0 {
		r.shorten(in.MaxTokens)
	}
	return r, nil
}

// awaitStarting waits for the servers of nodes that are not known because the servers are
// starting, and returns why they are not there then, by server.
func (disc *Discovery) awaitStarting(ctx context.Context, nodes []plans.NodeRef) map[string]*diag.Fault {
	late, snap, state := map[string]*diag.Fault{}, disc.plans.Views.Snapshot(ctx), disc.plans.CatalogState(ctx)
	for _, ref := range nodes {
		server := disc.plans.Tools.ServerNamed(ref)
		spec, _ := snap.Resolve(catalog.Ref(ref))
		if _, waited := late[server]; waited || spec != nil || state == nil || !slices.Contains(state.Pending, server) {
			continue
		}
		late[server] = disc.servers.Hub.Ready(request.Heard(ctx, ""), server)
	}
	return late
}

// present are those of some nodes that the catalog has, as a client sees it.
func present(snap *catalog.Snapshot, ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return snap.Spec(id) == nil })
}

// details describes the node that is meant, and says what is left out for its size.
func (disc *Discovery) details(ctx context.Context, snap *catalog.Snapshot, ref plans.NodeRef, assumed map[string]string, r *describer) (NodeDetails, []string) {
	if d := functionDetails(ref.String()); d != nil {
		return *d, nil
	}
	spec, fault := disc.near(snap, ref, "", assumed)
	if refused := disc.plans.Views.ListFault(ctx); fault != nil && refused != nil && strings.HasPrefix(ref.String(), "mcp:") {
		fault = refused
	}
	if fault != nil {
		return NodeDetails{NodeType: diag.Brief(ref.NodeType), Subtype: diag.Brief(ref.Subtype), ID: diag.Brief(ref.ID), Error: fault.Message, Code: fault.Code, Hint: fault.Hint, Suggestions: fault.Suggestions}, nil
	}
	return r.describe(spec)
}

// Exact resolves a node for a verb that acts on it: it never guesses.
// A server that it names and that is still starting is waited for.
func (disc *Discovery) Exact(ctx context.Context, ref plans.NodeRef, path string) (*specs.Spec, *diag.Fault) {
	ref = disc.plans.Tools.Canonical(ref)
	spec, miss := disc.plans.Views.Snapshot(ctx).Resolve(catalog.Ref(ref))
	if spec != nil {
		return spec, nil
	}
	if fault := disc.plans.Tools.Denial(ref); fault != nil {
		fault.Path = path
		return nil, fault
	}
	if fault := disc.plans.Views.ListFault(ctx); fault != nil && strings.HasPrefix(ref.String(), "mcp:") {
		return nil, fault
	}
	server := disc.plans.Tools.ServerNamed(ref)
	known := server != "" && request.SeesServer(ctx, server)
	if known { // which may have come meanwhile
		if fault := disc.servers.Hub.Ready(request.Heard(ctx, ""), server); fault != nil {
			return nil, fault
		}
		if spec, miss = disc.plans.Views.Snapshot(ctx).Resolve(catalog.Ref(ref)); spec != nil {
			return spec, nil
		}
	}
	if fault := disc.plans.Tools.ChangedNode(ref); fault != nil && request.RightsFrom(ctx) == nil {
		return nil, fault
	}
	fault := disc.unknownNode(disc.plans.Views.Snapshot(ctx), ref, miss, path)
	if tool, isTool := strings.CutPrefix(ref.String(), "mcp:"); isTool && !known {
		name, _, _ := strings.Cut(tool, "/")
		unknown := downstream.UnknownServer(name, disc.plans.Views.Snapshot(ctx).Servers())
		fault.Message, fault.Hint = fault.Message+": "+unknown.Message, unknown.Hint
	}
	return nil, fault
}

// near resolves a node for a verb that only reads: a near miss is taken for the
// one node it is clearly nearest to, and that is said in assumed.
func (disc *Discovery) near(snap *catalog.Snapshot, ref plans.NodeRef, path string, assumed map[string]string) (*specs.Spec, *diag.Fault) {
	spec, miss := snap.Resolve(catalog.Ref(ref))
	if spec != nil {
		return spec, nil
	}
	if fault := disc.plans.Tools.Denial(ref); fault != nil {
		fault.Path = path
		return nil, fault
	}
	if fault := disc.plans.Tools.ChangedNode(ref); fault != nil && snap == disc.plans.Catalog.Snapshot() {
		return nil, fault
	}
	if near, ok := snap.Nearest(catalog.Ref(ref)); ok {
		assumed[ref.String()] = near.ID()
		return near, nil
	}
	f := disc.unknownNode(snap, ref, miss, path)
	if list := disc.plans.Packs.WithNode(snap, catalog.Ref(ref)); len(list) > 0 && (miss == nil || miss.Type == "") {
		f.Hint = "the knowledge pack " + list[0].Pack + " has " + diag.OneOf(list[0].Nodes, plans.MaxAvailable) + ": " + list[0].Hint
	}
	return nil, f
}

// maxSubtypes is how many nodes of a type without a subtype are listed.
const maxSubtypes = 50

func (disc *Discovery) unknownNode(snap *catalog.Snapshot, ref plans.NodeRef, miss *catalog.Miss, path string) *diag.Fault {
	f := diag.Faultf(run.CodeUnknownNode, "unknown node %q", ref.String())
	f.Path = path
	f.Hint = "search_nodes finds nodes by what they do"
	if name, ok := strings.CutPrefix(ref.String(), "graph:"); ok && snap == disc.plans.Catalog.Snapshot() && disc.plans.GraphSpecs.Lacks(name) != nil {
		f.Message, f.Hint = disc.plans.GraphSpecs.CannotRun(name), "run it where it was saved, or add what is missing to patchbay.yaml"
	}
	if miss != nil {
		f.Suggestions = miss.Suggestions[:min(len(miss.Suggestions), maxSubtypes)]
		if miss.Type != "" {
			f.Message = miss.Type + " needs a subtype"
			f.Hint = "its nodes are " + diag.OneOf(miss.Suggestions, maxSubtypes)
		}
		if len(miss.Ambiguous) > 0 {
			f.Code, f.Suggestions = "ambiguous-node", miss.Ambiguous
			f.Message = "several nodes are named " + ref.String()
			f.Hint = "use one of the full ids"
		}
	}
	return f
}

// maxHintNodes is how many nodes the call in a hint names.
const maxHintNodes = 10

// scaffoldHint says how to make a draft of some nodes, or is "" if they are fewer than
// two or do not run here.
func scaffoldHint(snap *catalog.Snapshot, nodes []NodeDetails) string {
	var ids []string
	for _, n := range nodes {
		if n.Error != "" || n.Runnable != nil || n.NodeType == functionsFilter {
			return ""
		}
		if spec := snap.Spec(n.ID); spec == nil || !spec.Starts && !spec.Ends {
			ids = append(ids, n.ID)
		}
	}
	if len(ids) < 2 || len(ids) > maxHintNodes {
		return ""
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(`edit_graph {"scaffold": %s} makes a draft of these nodes in this order`, list)
}
