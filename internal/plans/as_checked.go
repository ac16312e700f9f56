package plans

import (
	"context"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/specs"
)

// AsChecked returns what is asked before the first call of a run of a plan. It waits until
// all servers whose tools the plan calls, also in the graphs that it runs, have listed their
// tools in this process. The fault says that one cannot, or that a tool is not what it was
// when the plan was checked or the run began: until then no call of the plan is made. A plan
// that is known to change nothing does not wait.
func (ts *toolSet) AsChecked(plan *engine.Plan) func(ctx context.Context, key string) *diag.Fault {
	if ts.plans.servers.Hub == nil || plan.ChangesNothing() {
		return nil
	}
	began := ts.plans.Catalog.Snapshot()
	return func(ctx context.Context, key string) *diag.Fault {
		tools, fault := plan.ToolsWithin(ctx)
		if fault != nil {
			f := *fault
			f.Message += ". Nothing was called"
			return &f
		}
		for _, t := range tools { // a graph that the plan runs may have been checked later
			if was := began.Tool(t.Server(), t.Tool()); was != nil && was != t {
				tools = append(tools, was)
			}
		}
		return ts.toolsAsChecked(request.Heard(ctx, key), tools)
	}
}

// AsListed is asChecked for a call that is not part of a plan.
func (ts *toolSet) AsListed(ctx context.Context, server, tool string) *diag.Fault {
	spec := ts.plans.Catalog.Snapshot().Tool(server, tool)
	if spec == nil || spec.Annotations.IsReadOnly() {
		return nil
	}
	return ts.toolsAsChecked(ctx, []*specs.Spec{spec})
}

// toolsAsChecked waits for the servers of tools, and returns the fault of the first that is
// not as it was.
func (ts *toolSet) toolsAsChecked(ctx context.Context, tools []*specs.Spec) *diag.Fault {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	servers := map[string]bool{}
	faults := make(chan *diag.Fault, len(tools))
	for _, t := range tools {
		server := t.Server()
		if servers[server] {
			continue
		}
		servers[server] = true
		go func() {
			fault := ts.plans.servers.AwaitServer(ctx, server)
			if fault == nil {
				fault = ts.plans.servers.Hub.Ready(ctx, server)
			}
			faults <- fault
		}()
	}
	for range servers {
		if fault := <-faults; fault != nil {
			return fault
		}
	}
	snap := ts.plans.Catalog.Snapshot()
	for _, was := range tools {
		if fault := ts.toolAsChecked(snap, was); fault != nil {
			return fault
		}
	}
	return nil
}

func (ts *toolSet) toolAsChecked(snap *catalog.Snapshot, was *specs.Spec) *diag.Fault {
	now := snap.Tool(was.Server(), was.Tool())
	if now == was || now != nil && now.Version == was.Version {
		return nil
	}
	if fault := ts.Changed(was.Server(), was.Tool()); fault != nil {
		return fault
	}
	if now == nil {
		f := unknownTool(snap, was.Server(), was.Tool())
		f.Message += " any more: it is only in the list from before the server was started. Nothing was called"
		return f
	}
	return diag.Faultf(diag.CodeToolChanged, "tool %q of server %q has changed since its list was read last: its %s. Nothing was called", was.Tool(), was.Server(), strings.Join(differing(was, now), " and ")).
		WithHint(fmt.Sprintf("get_node_details {\"nodes\": [{\"id\": %q}]} shows the tool as it is now; if the graph fits it, run it again", now.ID()))
}

// differing names the parts in which two definitions of a tool differ.
func differing(a, b *specs.Spec) (parts []string) {
	for _, part := range []struct {
		name string
		same bool
	}{
		{"title", a.Title == b.Title},
		{"description", a.Description == b.Description},
		{"inputSchema", string(a.InputSchema) == string(b.InputSchema)},
		{"outputSchema", string(a.OutputSchema) == string(b.OutputSchema)},
	} {
		if !part.same {
			parts = append(parts, part.name)
		}
	}
	if len(parts) == 0 {
		return []string{"annotations"}
	}
	return parts
}

// StartingFault is the fault of a graph that could not be checked because a server is still
// starting, nil if something else is wrong with it too.
func StartingFault(found diag.List) *diag.Fault {
	var first *diag.Diagnostic
	for _, d := range found.With(diag.Error) {
		if d.Code != diag.CodeServerStarting {
			return nil
		}
		if first == nil {
			first = d
		}
	}
	if first == nil {
		return nil
	}
	return &diag.Fault{Code: diag.CodeServerStarting, Message: first.Message, Hint: first.Hint, Node: first.Node}
}
