package app

import (
	"cmp"

	"github.com/patchbay-mcp/patchbay/internal/access"
)

// scopes are the scopes of the tools. A saved graph that is a tool, and a tool of the
// gateway, need [access.Run].
var scopes = map[string]string{
	"search_nodes": access.Read, "get_node_types": access.Read, "get_node_details": access.Read,
	"validate_graph": access.Read, "evaluate": access.Read, "get_graph": access.Read,
	"run_graph": access.Run, "run_node": access.Run, "get_run": access.Run, "resume_run": access.Run, "cancel_run": access.Run,
	"debug_run": access.Run, "debug_list": access.Run, "debug_continue": access.Run, "debug_evaluate": access.Run,
	"edit_graph": access.Write, "save_graph": access.Write, "delete_graph": access.Write,
}

// commandScopes are the scopes of commands that are not tools and that do what some tool
// does. All others are for the operator: they need [access.Admin].
var commandScopes = map[string]string{
	"export": access.Read, "graphs list": access.Read,
	"runs list": access.Run, "runs logs": access.Run, "runs replay": access.Run, "runs save-test": access.Run,
}

// Scope is the scope that a principal needs for the operation.
func (o Operation) Scope() string {
	scope := scopes[o.Tool]
	if o.Tool == "" {
		scope = commandScopes[o.Command]
	}
	return cmp.Or(scope, access.Admin)
}

// ScopeOf is the scope that a principal needs for a tool; one that is not listed, and not
// a graph, needs [access.Admin].
func (pb *App) ScopeOf(tool string) string {
	switch scope, ok := scopes[tool]; {
	case ok:
		return scope
	case pb.reserved[tool]:
		return access.Admin
	}
	return access.Run
}

// IsOperation reports whether a tool is one of Patchbay's own.
func (pb *App) IsOperation(tool string) bool { return pb.reserved[tool] }
