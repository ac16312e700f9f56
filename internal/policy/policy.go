// Package policy has who may see and call what.
package policy

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/policy/permissions"
	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

// A Policy says who may see and call what. [New] returns one.
type Policy struct {
	process *process.Process

	reserved    map[string]string                                // scopes of the tools of the operations, by their names
	denied      atomic.Pointer[func(server, tool string) string] // as in [Options]; nil: nothing is
	Policies    policies
	permissions *permissions.Store
	sessions    string                     // begins the names of its sessions
	filter      atomic.Pointer[ToolFilter] // nil: clients see all tools
}

// Options are the parts of a policy.
type Options struct {
	Permissions string                           // file of the calls that people have permitted beyond one run; "" is memory
	Denied      func(server, tool string) string // says whose setting denies a tool, "" if none does; nil denies nothing
	Calls       config.Calls                     // for which calls a person is asked
	Reserved    map[string]string                // scopes of the tools of the operations, by their names
}

// New returns a Policy.
func New(proc *process.Process, o Options) *Policy {
	pol := &Policy{process: proc}
	pol.reserved, pol.permissions, pol.sessions = o.Reserved, permissions.Open(o.Permissions), rand.Text()
	pol.Deny(o.Denied)
	pol.Policies.Set(o.Calls, nil)
	return pol
}

// Session names the session of the client of ctx, "" if it has none.
func (pol *Policy) Session(ctx context.Context) string {
	c := request.Peer(ctx)
	if c.Peer == "" {
		return ""
	}
	return pol.sessions + " " + c.Of(request.ActorFrom(ctx).Principal)
}

// ScopeOf is the scope that a principal needs for a tool. For a saved graph, and for a tool
// of the gw, it is [access.Run].
func (pol *Policy) ScopeOf(tool string) string { return cmp.Or(pol.reserved[tool], access.Run) }

// IsOperation reports whether a tool is one of Patchbay's own.
func (pol *Policy) IsOperation(tool string) bool { return pol.reserved[tool] != "" }

// A ListedTool is a tool of tools/list.
type ListedTool struct {
	Server, Tool string          // of a downstream server; "" of a tool of Patchbay or a saved graph
	Definition   json.RawMessage // as the client gets it; its name and anything else may be changed
}

// A ToolFilter changes what one client sees: it returns the tools that the client gets,
// changed or not. It may be called by several at the same time, and must not change the
// bytes that it gets. What it returns without a valid name or with an inputSchema that is
// not of an object is left out of tools/list, and logged. A downstream tool that it leaves
// out is hidden: the client does not find it, and cannot call or use it in graphs. An
// error is the answer to tools/list; then all downstream tools are hidden.
type ToolFilter func(ctx context.Context, client string, tools []ListedTool) ([]ListedTool, error)

// A ListRefused is the error of a [ToolFilter] that refuses the list.
type ListRefused struct {
	Code, Node string // why, and by which node of a workflow
	Text       string // of the answer to tools/list
}

// Error is the text of the answer.
func (e *ListRefused) Error() string { return e.Text }

// SetFilter makes f change the tools that clients see; nil changes nothing.
func (pol *Policy) SetFilter(f *ToolFilter) { pol.filter.Store(f) }

// Filter returns what changes the tools that clients see, or nil.
func (pol *Policy) Filter() ToolFilter {
	if f := pol.filter.Load(); f != nil {
		return *f
	}
	return nil
}

var CodeToolDenied = diag.DefineFault("tool-denied", diag.FailsNode, "the operator's configuration denies the tool, or a [workflow](workflows.md#toolslist) has refused the list of tools", "use another tool, or [allow it](gateway.md#which-tools), or correct the workflow")

// Denial is the fault of a tool that the operator denies, nil for any other. Nobody can
// use one: it is not in the catalog, and no call of it leaves.
func (pol *Policy) Denial(server, tool string) *diag.Fault {
	by := pol.DeniedBy(server, tool)
	if by == "" {
		return nil
	}
	return diag.Faultf(CodeToolDenied, "the tool %q of server %q is denied", tool, server).WithHint("the operator denies it by " + by + " in the configuration")
}

// AllowedTools returns the tools of a server that the operator does not deny.
func (pol *Policy) AllowedTools(server string, tools []*tooldef.Tool) []*tooldef.Tool {
	if pol.denied.Load() == nil {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t *tooldef.Tool) bool { return pol.DeniedBy(server, t.Name) != "" })
}

// Deny makes denied what says whose setting denies a tool; nil denies nothing.
func (pol *Policy) Deny(denied func(server, tool string) string) {
	if denied == nil {
		pol.denied.Store(nil)
	} else {
		pol.denied.Store(&denied)
	}
}

// DeniedBy says whose setting denies a tool, "" if none does.
func (pol *Policy) DeniedBy(server, tool string) string {
	if denied := pol.denied.Load(); denied != nil {
		return (*denied)(server, tool)
	}
	return ""
}
