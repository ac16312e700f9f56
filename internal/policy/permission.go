package policy

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/run"
)

// policies say for which calls a person is asked. They are worked out when servers list
// their tools, so that a call has only to look them up.
type policies struct {
	changing sync.Mutex
	table    atomic.Pointer[policyTable]
}

// A policyTable is what is known at a time. It is not changed.
type policyTable struct {
	rules   config.Calls
	special map[string]map[string]specialTool // by server and tool; only those about which somebody may be asked
}

// A specialTool is one about which somebody may be asked.
type specialTool struct {
	policy     config.Policy
	definition string // its hash
}

// Set replaces the rules.
func (p *policies) Set(rules config.Calls, offers []downstream.Offer) {
	p.changing.Lock()
	defer p.changing.Unlock()
	next := &policyTable{rules: rules, special: map[string]map[string]specialTool{}}
	for _, o := range offers {
		next.list(o.Server, o.Tools)
	}
	p.table.Store(next)
}

// Listed takes note of the tools of a server.
func (p *policies) Listed(server string, tools []*tooldef.Tool) {
	p.changing.Lock()
	defer p.changing.Unlock()
	now := p.table.Load()
	next := &policyTable{rules: now.rules, special: maps.Clone(now.special)}
	next.list(server, tools)
	p.table.Store(next)
}

func (t *policyTable) list(server string, tools []*tooldef.Tool) {
	delete(t.special, server)
	for _, tool := range tools {
		policy := t.rules.Of(server, tool.Name)
		if policy == config.PolicyAllow || policy == config.PolicyDeny || policy == config.PolicyByHint && !declaredDestructive(tool) {
			continue
		}
		if t.special[server] == nil {
			t.special[server] = map[string]specialTool{}
		}
		t.special[server][tool.Name] = specialTool{policy, tool.Hash}
	}
}

// declaredDestructive reports whether a tool says that it may destroy something, and does
// not say, trusted, that it changes nothing.
func declaredDestructive(t *tooldef.Tool) bool {
	a := t.Annotations
	return a != nil && a.Destructive != nil && *a.Destructive && !a.IsReadOnly()
}

// asks reports whether a person must permit a call.
func (p *policies) asks(c *run.Call) bool {
	t := p.table.Load()
	if c.Marked {
		return true
	}
	if len(t.special) == 0 && len(t.rules.Confirm) == 0 {
		return false
	}
	switch tool, special := t.special[c.Server][c.Tool]; {
	case special:
		return tool.policy == config.PolicyConfirm || c.Sent
	case len(t.rules.Confirm) > 0: // it may be a tool that its server does not list
		return t.rules.Of(c.Server, c.Tool) == config.PolicyConfirm
	}
	return false
}
