// Package access says who may use a server over HTTP, and for what: tokens that
// the operator gives away, the rights that they carry, and how many calls they
// allow.
//
// It does not know HTTP, MCP or the catalog. It imports config, for patterns of
// names, files and diag.
package access

import (
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// The scopes of a principal.
const (
	Read  = "catalog:read" // find, show and check nodes and graphs
	Run   = "graph:run"    // run graphs, tools and nodes
	Write = "graph:write"  // save, change and delete saved graphs
	Admin = "admin"        // all of these, and the metrics of the server
)

// Scopes are all scopes, the weakest first.
var Scopes = []string{Read, Run, Write, Admin}

// Rights are what a principal may do, and with what.
type Rights struct {
	Scopes []string `json:"scopes"`
	// Allow and Deny are patterns of SERVER/TOOL, and of graph:NAME. Without Allow
	// everything is allowed that is not denied.
	Allow []string `json:"allow,omitempty"`
	Deny  []string `json:"deny,omitempty"`
}

const (
	graphPrefix = "graph:" // of the patterns of saved graphs
	everything  = "*"
)

// May reports whether a scope is among the rights; [Admin] has every other.
func (r *Rights) May(scope string) bool {
	return slices.Contains(r.Scopes, scope) || slices.Contains(r.Scopes, Admin)
}

// IsLimited reports whether there is a tool or graph that may be denied.
func (r *Rights) IsLimited() bool { return len(r.Allow)+len(r.Deny) > 0 }

// Key is the same for rights that allow the same tools and graphs in the same words.
func (r *Rights) Key() string {
	return strings.Join(r.Allow, "\x00") + "\x01" + strings.Join(r.Deny, "\x00")
}

// Tool reports whether a tool of a downstream server may be used.
func (r *Rights) Tool(server, tool string) bool {
	return !r.Denies(server, tool) && (len(r.Allow) == 0 || matchesAny(r.tools(), server+"/"+tool))
}

// Denies reports whether a tool is denied, also as a part of a graph.
func (r *Rights) Denies(server, tool string) bool { return matchesAny(r.Deny, server+"/"+tool) }

// Server reports whether there may be a tool of a server that may be used.
func (r *Rights) Server(name string) bool {
	allowed := len(r.Allow) == 0 || slices.ContainsFunc(r.tools(), func(p string) bool {
		of, _, _ := strings.Cut(p, "/")
		return config.Match(of, name)
	})
	return allowed && !slices.ContainsFunc(r.Deny, func(p string) bool {
		of, tool, whole := strings.Cut(p, "/")
		return p == everything || whole && tool == everything && config.Match(of, name)
	})
}

// Graph reports whether a saved graph may be used by its name. Named says that Allow has
// patterns of graphs: then the graph may use tools that Allow does not name, but none that
// Deny does.
func (r *Rights) Graph(name string) (allowed, named bool) {
	graphs := lists.Only(r.Allow, func(p string) bool { return strings.HasPrefix(p, graphPrefix) || p == everything })
	named = len(graphs) > 0
	return !r.DeniesGraph(name) && (!named || matchesAny(graphs, graphPrefix+name)), named
}

// DeniesGraph reports whether a saved graph is denied, also as a part of another.
func (r *Rights) DeniesGraph(name string) bool { return matchesAny(r.Deny, graphPrefix+name) }

// tools are the patterns of Allow that are about tools.
func (r *Rights) tools() []string {
	return slices.DeleteFunc(slices.Clone(r.Allow), func(p string) bool { return strings.HasPrefix(p, graphPrefix) })
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return config.Match(p, name) })
}

// check refuses scopes that there are not, and what [Rights.CheckPatterns] does.
func (r *Rights) check() *diag.Fault {
	if len(r.Scopes) == 0 {
		return diag.BadArgument("/scopes", "the scopes are "+diag.OneOf(Scopes, 9), "there is no scope")
	}
	for _, scope := range r.Scopes {
		if !slices.Contains(Scopes, scope) {
			f := diag.BadArgument("/scopes", "the scopes are "+diag.OneOf(Scopes, 9), "unknown scope %q", scope)
			f.Suggestions = diag.Closer(scope, Scopes, 1)
			return f
		}
	}
	return r.CheckPatterns("/allow")
}

// CheckPatterns refuses patterns that match nothing; path is where they are from.
func (r *Rights) CheckPatterns(path string) *diag.Fault {
	for _, p := range slices.Concat(r.Allow, r.Deny) {
		if p != everything && !strings.Contains(p, "/") && !strings.HasPrefix(p, graphPrefix) {
			return diag.BadArgument(path, "write SERVER/TOOL such as shop/list_*, graph:NAME, or *", "the pattern %q matches nothing", p)
		}
	}
	return nil
}

// An Identity is who makes a request. It is not changed.
type Identity struct {
	Principal string // whom drafts and runs belong to
	Rights    Rights
	Quota     Quota     // the zero Quota has no bound
	Expires   time.Time // zero: never
}
