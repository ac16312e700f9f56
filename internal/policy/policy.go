// Package policy has who may see and call what.
package policy

import (
	"crypto/rand"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/policy/permissions"
	"github.com/patchbay-mcp/patchbay/internal/process"
)

// A Policy says who may see and call what. [New] returns one.
type Policy struct {
	process *process.Process

	reserved    map[string]string                                // scopes of the tools of the operations, by their names
	Denied      atomic.Pointer[func(server, tool string) string] // as in [Options]; nil: nothing is
	Policies    policies
	permissions *permissions.Store
	sessions    string                     // begins the names of its sessions
	filter      atomic.Pointer[ToolFilter] // nil: clients see all tools
}

// policyOptions are the parts of a policy.
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
	if o.Denied != nil {
		pol.Denied.Store(&o.Denied)
	}
	pol.Policies.Set(o.Calls, nil)
	return pol
}
