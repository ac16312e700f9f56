package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
)

// TypesInput asks what node types there are.
type TypesInput struct {
	TypeFilter string `json:"type_filter,omitempty" jsonschema:"only this type, such as mcp"`
	Server     string `json:"server,omitempty" jsonschema:"only tools of this server"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`
}

// TypesResult lists subtypes by type. Where a type has more than a page of them
// and no server is asked for, the counts per server stand for the rest.
type TypesResult struct {
	Types      map[string][]string `json:"types"`
	Counts     map[string]int      `json:"counts"` // by type, and by "mcp:<server>"
	Hint       string              `json:"hint,omitempty"`
	Assumed    map[string]string   `json:"assumed,omitempty"`
	Catalog    *CatalogState       `json:"catalog,omitempty"`
	NextCursor string              `json:"next_cursor,omitempty"`
}

const (
	typesPage      = 100
	countedServers = 30 // a reply stays under 2,000 tokens
)

// Types lists the node types of the catalog and their subtypes, a page of each.
func (pb *App) Types(ctx context.Context, in TypesInput) (*TypesResult, *diag.Fault) {
	snap := pb.catalog.Snapshot()
	r := &TypesResult{Types: map[string][]string{}, Counts: map[string]int{}, Assumed: map[string]string{}, Catalog: pb.catalogState(ctx)}
	names := typeNames(snap)
	if in.TypeFilter != "" {
		name, ok := resolveName(in.TypeFilter, names, r.Assumed)
		if !ok {
			r.Hint = "no node type is called " + in.TypeFilter + "; the types are " + diag.OneOf(names, 20)
			return r, nil
		}
		names = []string{name}
	}
	server := in.Server
	if server != "" {
		name, ok := resolveName(server, snap.Servers(), r.Assumed)
		if !ok {
			r.Hint = "no server is called " + server + "; the servers are " + diag.OneOf(snap.Servers(), 20)
			return r, nil
		}
		server, names = name, []string{"mcp"}
	}
	if len(r.Assumed) == 0 {
		r.Assumed = nil
	}
	only, after, paged := strings.Cut(in.Cursor, ":")
	for _, t := range snap.Types() {
		if slices.Contains(names, t.Name) && (!paged || t.Name == only) {
			r.page(snap, t, server, after)
		}
	}
	return r, nil
}

// page adds the page of a type's subtypes that comes after one of them. Where
// there are more than a page, how many each server has comes with the first.
func (r *TypesResult) page(snap *catalog.Snapshot, t catalog.Type, server, after string) {
	subtypes := snap.Subtypes(t.Name, server)
	r.Counts[t.Name] = len(subtypes)
	page, next := catalog.Page(subtypes, after, typesPage)
	r.Types[t.Name] = page
	if next != "" && r.NextCursor == "" {
		r.NextCursor = t.Name + ":" + next
	}
	if len(subtypes) <= typesPage || after != "" || server != "" {
		return
	}
	servers := slices.Clone(t.Servers)
	slices.SortStableFunc(servers, func(a, b catalog.Count) int { return cmp.Compare(b.Tools, a.Tools) })
	for _, c := range servers[:min(len(servers), countedServers)] {
		r.Counts[t.Name+":"+c.Server] = c.Tools
	}
	r.Hint = "ask for one server, or search_nodes for what you need"
	if more := len(servers) - countedServers; more > 0 {
		r.Hint += fmt.Sprintf("; %d more servers, each with no more tools than those counted", more)
	}
}
