package discover

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/jsonata"
	"github.com/patchbay-mcp/patchbay/specs"
)

// TypesInput asks what node types there are.
type TypesInput struct {
	TypeFilter string `json:"type_filter,omitempty" arg:"[TYPE]" jsonschema:"only this type, such as mcp, or functions"`
	Server     string `json:"server,omitempty" jsonschema:"only tools of this server"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"next_cursor of the last page" help:"the cursor printed at the end of the previous page"`
}

// TypesResult lists subtypes by type. Where a type has more than a page of them
// and no server is asked for, the counts per server replace the rest.
type TypesResult struct {
	Types   map[string][]string `json:"types"`
	Counts  map[string]int      `json:"counts"` // by type, and by "mcp:<server>"
	Hint    string              `json:"hint,omitempty"`
	Assumed map[string]string   `json:"assumed,omitempty"`

	AvailablePacks []plans.AvailablePack `json:"available_packs,omitempty"` // that have the type, and are not switched on
	BrokenPacks    []plans.LoadedPack    `json:"broken_packs,omitempty"`

	Catalog    *plans.CatalogState `json:"catalog,omitempty"`
	NextCursor string              `json:"next_cursor,omitempty"`

	Unknown *diag.Fault `json:"-"` // the filter that names nothing, for a command to fail
}

// unknownFilter says that a filter names nothing, and what there is.
func unknownFilter(path, what, given string, names []string) *diag.Fault {
	f := diag.Faultf(diag.CodeBadArgument, "unknown %s %q", what, given)
	f.Path, f.Suggestions = path, diag.Closer(given, names, 3)
	f.Hint = "the " + what + "s are " + diag.OneOf(names, 20)
	return f
}

// resolveType finds the node type that a filter means: by its name, in another
// spelling, or a near miss.
func (disc *Discovery) resolveType(snap *catalog.Snapshot, given string, assumed map[string]string) (string, bool) {
	name := snap.TypeNamed(given)
	if name == "" {
		if len(disc.plans.Packs.WithType(snap, given)) > 0 {
			return "", false // a type that is not here, and not a misspelling
		}
		return resolveName(given, typeNames(snap), assumed)
	}
	if name != given {
		assumed[given] = name
	}
	return name, true
}

// unknownType says that a type filter names nothing, and which pack has the type.
func unknownType(given string, names []string, available []plans.AvailablePack) *diag.Fault {
	f := unknownFilter("/type_filter", "node type", given, names)
	if len(available) > 0 {
		f.Hint = "the knowledge pack " + available[0].Pack + " has it: " + available[0].Hint
	}
	return f
}

const (
	typesPage      = 100
	countedServers = 30 // a reply stays under 2,000 tokens
)

// Types lists the node types of the catalog and their subtypes, a page of each.
func (disc *Discovery) Types(ctx context.Context, in TypesInput) (*TypesResult, *diag.Fault) {
	snap := disc.plans.Views.Snapshot(ctx)
	r := &TypesResult{Types: map[string][]string{}, Counts: map[string]int{}, Assumed: map[string]string{}, Catalog: disc.plans.CatalogState(ctx), BrokenPacks: disc.plans.Packs.Broken()}
	names := typeNames(snap)
	if in.TypeFilter == functionsFilter && snap.TypeNamed(functionsFilter) == "" {
		return functionsOfExpressions(), nil
	}
	if in.TypeFilter != "" {
		name, ok := disc.resolveType(snap, in.TypeFilter, r.Assumed)
		if !ok {
			r.AvailablePacks = disc.plans.Packs.WithType(snap, in.TypeFilter)
			r.Unknown = unknownType(in.TypeFilter, names, r.AvailablePacks)
			r.Hint = r.Unknown.Message + "; " + r.Unknown.Hint
			return r, nil
		}
		names = []string{name}
	}
	server := in.Server
	if server != "" {
		name, ok := resolveName(server, snap.Servers(), r.Assumed)
		if !ok {
			r.Unknown = unknownFilter("/server", "server", server, snap.Servers())
			r.Hint = r.Unknown.Message + "; " + r.Unknown.Hint
			return r, nil
		}
		if in.TypeFilter != "" && names[0] != specs.MCP {
			r.Hint = names[0] + " nodes have no server: leave out server, or ask for the type mcp"
			return r, nil
		}
		server, names = name, []string{specs.MCP}
	}
	if len(r.Assumed) == 0 {
		r.Assumed = nil
	}
	r.pages(snap, names, server, in.Cursor)
	return r, nil
}

// functionsFilter asks for the functions of expressions in place of node types.
const functionsFilter = "functions"

// functionsOfExpressions lists the functions that an expression can call, with their
// arguments.
func functionsOfExpressions() *TypesResult {
	names := lists.Each(jsonata.Builtins(), func(b *jsonata.Builtin) string { return "$" + b.Name + "(" + b.Args + ")" })
	return &TypesResult{Types: map[string][]string{functionsFilter: names}, Counts: map[string]int{functionsFilter: len(names)}, Hint: `get_node_details {"nodes": ["$split"]} has examples of a function`}
}

// functionDetails describes the function of an id such as $split, or returns nil.
func functionDetails(id string) *NodeDetails {
	name, is := strings.CutPrefix(id, "$")
	b := jsonata.LookupBuiltin(name)
	if !is || b == nil {
		return nil
	}
	text := strings.TrimSpace(b.Doc + "\n" + strings.Join(b.Examples.List(), "\n"))
	return &NodeDetails{ID: id, NodeType: functionsFilter, Subtype: name, Signature: id + "(" + b.Args + "): " + b.Result.String(), Description: text}
}

// pages adds the first page of each type, or the page of one type that a cursor
// names. Types with more than a page follow each other: the cursor after the last
// page of one names the second page of the next.
func (r *TypesResult) pages(snap *catalog.Snapshot, names []string, server, cursor string) {
	only, after, paged := strings.Cut(cursor, ":")
	reached := !paged
	for _, t := range snap.Types() {
		if !slices.Contains(names, t.Name) {
			continue
		}
		subtypes := snap.Subtypes(t.Name, server)
		last := ""
		if paged && t.Name == only {
			reached, last = true, after
		}
		if !reached {
			continue
		}
		page, next := catalog.Page(subtypes, last, typesPage)
		if !paged || t.Name == only {
			r.Types[t.Name], r.Counts[t.Name] = page, len(subtypes)
			r.countServers(t, len(subtypes), server, last)
		}
		if next != "" && r.NextCursor == "" {
			r.NextCursor = t.Name + ":" + next
		}
	}
}

// countServers adds how many subtypes of a type each server has, where they are
// more than a page, to the first page.
func (r *TypesResult) countServers(t catalog.Type, subtypes int, server, after string) {
	if subtypes <= typesPage || after != "" || server != "" {
		return
	}
	servers := slices.Clone(t.Servers)
	slices.SortStableFunc(servers, func(a, b catalog.Count) int { return cmp.Compare(b.Tools, a.Tools) })
	for _, c := range servers[:min(len(servers), countedServers)] {
		r.Counts[t.Name+":"+c.Server] = c.Tools
	}
	r.Hint = "ask for one server, or use search_nodes to find what you need"
	if more := len(servers) - countedServers; more > 0 {
		r.Hint += fmt.Sprintf("; %d more servers, each with no more tools than those counted", more)
	}
}
