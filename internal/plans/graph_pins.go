package plans

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Pins are the definitions that the tools of plans have now. Tools of servers in this
// process have none.
func (ts *toolSet) Pins(plans []*engine.Plan) graphfiles.Pins {
	pins := graphfiles.Pins{}
	if ts.plans.servers.Hub == nil {
		return pins
	}
	for _, plan := range plans {
		for _, t := range plan.Tools() {
			if endpoint := ts.endpoint(t.Server(), t.Tool()); endpoint != "" {
				pins[t.Subtype] = graphfiles.ToolPin{Endpoint: endpoint}
			} else if pin := ts.plans.servers.Hub.Pin(t.Server(), t.Tool()); pin != nil {
				pins[t.Subtype] = graphfiles.ToolPin{Hash: pin.Hash, Version: ts.plans.servers.Hub.Version(t.Server()), Definition: pin.Definition}
			}
		}
	}
	return pins
}

// checkPins is the fault of a saved graph that uses a tool whose definition is not the
// one it was saved with, nil if all are, or if their changes are accepted.
func (ts *toolSet) checkPins(g *graphfiles.Graph, plan *engine.Plan) *diag.Fault {
	pins, fault := ts.plans.Saved.Pins(g.Name)
	if fault != nil || len(pins) == 0 || ts.plans.servers.Hub == nil {
		return fault
	}
	var first *diag.Fault
	more := 0
	for _, t := range plan.Tools() {
		was, pinned := pins[t.Subtype]
		now := ts.plans.servers.Hub.Pin(t.Server(), t.Tool())
		if pinned && was.Endpoint != "" {
			if f := ts.otherEndpoint(g.Name, t.Server(), t.Tool(), was.Endpoint); f != nil && first == nil {
				first = f
			} else if f != nil {
				more++
			}
			continue
		}
		switch {
		case !pinned || now == nil || now.Hash == was.Hash || ts.plans.servers.Hub.Accepted(t.Server(), t.Tool(), was.Version) || ts.unnoticed(g, t, was, now):
		case first != nil:
			more++
		default:
			first = diag.Faultf(diag.CodeToolChanged, "tool %q of server %q has changed since the graph %q was saved", t.Tool(), t.Server(), g.Name)
			first.Got = ts.plans.servers.Changes.Brief(t.Tool(), was.Hash, was.Definition, now.Hash, now.Definition)
			first.Hint = "a person looks at the change and accepts it with patchbay graphs approve " + g.Name
		}
	}
	if more > 0 {
		first.Message += fmt.Sprintf(", and %d more of its tools", more)
	}
	return first
}

// unnoticed reports whether a graph works with a tool as it is now as it did with the tool
// that it was saved with. The first time, it is logged.
func (ts *toolSet) unnoticed(g *graphfiles.Graph, t *specs.Spec, was graphfiles.ToolPin, now *tooldef.Pin) bool {
	key := g.Name + "\x00" + g.Revision + "\x00" + t.Subtype + "\x00" + was.Hash + "\x00" + now.Hash
	if text, known := ts.plans.servers.Changes.Kept.Get(key); known {
		return text == servers.ChangeCompatible
	}
	c := servers.Classify(was.Definition, now.Definition, ts.usesIn(g.Doc, t.Server(), t.Tool()))
	ts.plans.servers.Changes.Kept.Add(key, c.Class)
	if c.Class == servers.ChangeCompatible {
		ts.plans.process.Log.Warn("a tool has changed since a graph was saved, which the graph does not notice", "graph", g.Name, "tool", t.Subtype, "change", strings.Join(c.Reasons, "; "))
	}
	return c.Class == servers.ChangeCompatible
}

// AwaitPinned waits for the APIs that a saved graph calls: their documents may have changed.
// Where one cannot be read, a call says so.
func (ts *toolSet) AwaitPinned(ctx context.Context, graph string) {
	pins, _ := ts.plans.Saved.Pins(graph) // checkPins says why it cannot be read
	for tool, pin := range pins {
		if server, _, _ := strings.Cut(tool, "/"); pin.Endpoint != "" && ts.plans.servers.Hub != nil {
			_ = ts.plans.servers.Hub.Ready(ctx, server)
		}
	}
}

// endpoint is what a call of an API's tool requests, "" of any other tool.
func (ts *toolSet) endpoint(server, tool string) string {
	for _, t := range ts.plans.servers.Hub.Tools(server) {
		if t.Name == tool {
			return t.Endpoint
		}
	}
	return ""
}

// otherEndpoint is the fault of an API's tool that requests something else now than when a
// graph was saved, nil if it does not. It names the tool that requests that now.
func (ts *toolSet) otherEndpoint(graph, server, tool, was string) *diag.Fault {
	now := ts.endpoint(server, tool)
	if now == was {
		return nil
	}
	f := diag.Faultf(diag.CodeToolChanged, "tool %q of server %q requests %s now, and requested %s when the graph %q was saved", tool, server, now, was, graph)
	f.Got, f.Want = now, was
	f.Hint = "if that is meant, a person accepts it with patchbay graphs approve " + graph
	for _, t := range ts.plans.servers.Hub.Tools(server) {
		if t.Endpoint == was {
			f.Hint = fmt.Sprintf("write %q in the graph: that is the tool for %s now", t.Name, was)
		}
	}
	return f
}

// Renamed returns the only tool of an API that requests what a graph was saved with or, where
// that is not known, that may have had a name before long and shared names ended with a hash;
// "" if none is the only one.
func (ts *toolSet) Renamed(server, tool, was string) (name string) {
	if ts.plans.servers.Hub == nil {
		return ""
	}
	for _, t := range ts.plans.servers.Hub.Tools(server) {
		stem, hashed := cutHash(t.Name)
		switch {
		case t.Endpoint == "", was != "" && t.Endpoint != was:
			continue
		case was == "" && (!hashed || (len(stem) < longStem || !strings.HasPrefix(tool, stem)) && strings.TrimRight(tool, "0123456789") != stem+"_"):
			continue
		case name != "":
			return ""
		}
		name = t.Name
	}
	return name
}

// longStem is how much is left of a name that was cut, before its hash.
const longStem = 55

// cutHash cuts the hash off a name of [listing.Hashed].
func cutHash(name string) (stem string, hashed bool) {
	i := strings.LastIndexByte(name, '_')
	if i < 0 || len(name)-i != 9 {
		return name, false
	}
	_, err := hex.DecodeString(name[i+1:])
	return name[:i], err == nil
}

// CannotRun is the fault of a graph in which something was found.
func CannotRun(name string, found diag.List) *diag.Fault {
	if f := StartingFault(found); f != nil {
		return f
	}
	first := found.With(diag.Error)[0]
	f := diag.Faultf(engine.CodeInvalidGraph, "the graph %q cannot run: %s", name, first.Message)
	if first.Code == diag.CodeToolChanged {
		f.Code, f.Got = first.Code, first.Got
	}
	f.Hint = first.Hint
	return f
}
