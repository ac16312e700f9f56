package app

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// ServerInput names a server, and perhaps one of its tools.
type ServerInput struct {
	Server string `json:"server" jsonschema:"the name of a server" arg:"NAME"`
	Tool   string `json:"tool,omitempty" jsonschema:"one of its tools, shown whole" arg:"[TOOL]"`
}

// ServerResult describes a server and its tools.
type ServerResult struct {
	downstream.Status
	From   string       `json:"from,omitempty"` // the file that defines it
	Trust  string       `json:"trust"`          // how changes of its tools are taken
	Listed []ServerTool `json:"listed"`         // those with a change that waits first
}

// A ServerTool is one tool of a server as the operator sees it.
type ServerTool struct {
	Name        string              `json:"name"`
	Hash        string              `json:"hash"`              // of its definition
	State       string              `json:"state"`             // used; changed: not used until it is approved
	Result      string              `json:"result,omitempty"`  // the type of its results
	Learned     int                 `json:"learned,omitempty"` // of how many results that type was learned; 0: it is declared, or not known
	Suspicions  []string            `json:"suspicions,omitempty"`
	Note        string              `json:"note,omitempty"`
	Diff        string              `json:"diff,omitempty"`   // of a change that waits for a person
	Change      *ToolChange         `json:"change,omitempty"` // what it means
	Changes     []downstream.Change `json:"changes,omitempty"`
	Description string              `json:"description,omitempty"` // on request
	InputSchema json.RawMessage     `json:"inputSchema,omitempty"` // on request
}

// Server describes a server: its state, its tools with the hashes of their definitions,
// changes that wait for a person, and what in a definition somebody should look at.
func (a *App) Server(_ context.Context, in ServerInput) (*ServerResult, *diag.Fault) {
	status, fault := a.serverStatus(in.Server)
	if fault != nil {
		return nil, fault
	}
	in.Server = status.Name
	r := &ServerResult{Status: status, Trust: downstream.TrustPin, Listed: []ServerTool{}}
	if s, ok := a.Config().Server(in.Server); ok {
		r.From, r.Trust = s.From, cmp.Or(s.Trust, r.Trust)
	}
	for _, name := range a.servers.hub.Waiting(in.Server) {
		if in.Tool == "" || in.Tool == name {
			r.Listed = append(r.Listed, a.waitingTool(in.Server, name))
		}
	}
	waiting, tools := len(r.Listed), a.servers.hub.Tools(in.Server)
	most := maxOutput(tools)
	for _, t := range tools {
		if in.Tool != "" && in.Tool != t.Name {
			continue
		}
		used := a.serverTool(t, in.Tool != "", most)
		if i := slices.IndexFunc(r.Listed[:waiting], func(w ServerTool) bool { return w.Name == t.Name }); i >= 0 { // used as it was
			used.Diff, used.Change, used.Suspicions = r.Listed[i].Diff, r.Listed[i].Change, r.Listed[i].Suspicions
			r.Listed[i] = used
			continue
		}
		r.Listed = append(r.Listed, used)
	}
	if in.Tool != "" && len(r.Listed) == 0 {
		return nil, unknownTool(a.discovery.catalog.Snapshot(), in.Server, in.Tool)
	}
	return r, nil
}

func (a *App) serverStatus(server string) (downstream.Status, *diag.Fault) {
	all := a.Status()
	var names []string
	if a.servers.hub != nil {
		server = a.servers.hub.Canonical(server)
	}
	for _, s := range all {
		if s.Name == server {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return downstream.Status{}, downstream.UnknownServer(server, names)
}

func (a *App) serverTool(t *downstream.Tool, whole bool, maxOutput int) ServerTool {
	out := ServerTool{Name: t.Name, Hash: t.Hash, State: "used", Note: t.Note, Suspicions: append(t.Suspicions(), a.sharedName(t.Server, t.Name)...)}
	spec := &specs.Spec{NodeType: specs.MCP, Subtype: t.Server + "/" + t.Name, Version: downstream.Spec(t).Version, OutputSchema: t.OutputSchema}
	if t.OutputSchema != nil {
		out.Result = schemaText(schema.Read(t.OutputSchema))
	} else if seen := a.discovery.seen.Of(spec); seen != nil {
		out.Result, out.Learned = schemaText(schema.Read(seen.Schema)), seen.Samples
	}
	if pin := a.servers.hub.Pin(t.Server, t.Name); pin != nil {
		out.Changes = pin.Changes
	}
	if expose := a.Config().Expose; expose.Downstream {
		_, notes, err := gatewayDefinition(t, listing.Name(serverPrefix(expose.Prefix, t.Server)+t.Name), maxOutput)
		if err != nil {
			notes = []string{"it is not listed: " + err.Error()}
		}
		out.Note = strings.Join(append(slices.DeleteFunc([]string{out.Note}, func(s string) bool { return s == "" }), notes...), "; ")
	}
	if whole {
		out.Description, out.InputSchema = t.Description, t.InputSchema
	}
	return out
}

// waitingTool is a tool whose change waits for a person.
func (a *App) waitingTool(server, name string) ServerTool {
	out := ServerTool{Name: name, State: "changed"}
	if pin := a.servers.hub.Pin(server, name); pin != nil && pin.Pending != nil {
		out.Hash, out.Changes, out.Diff = pin.Pending.Hash, pin.Changes, definitionDiff(name, pin.Definition, pin.Pending.Definition, maxEdits)
		out.Suspicions, out.Change = append(pin.Pending.Suspicions(), a.sharedName(server, name)...), a.waitingChange(server, name)
	}
	return out
}

// SharesName begins what is said of a tool whose name others use too.
const SharesName = "its name is also that of a tool of "

// sharedName says of a tool of a server that another server or Patchbay uses its name too.
func (a *App) sharedName(server, name string) []string {
	var others []string
	for _, s := range a.Status() {
		if s.Name != server && slices.ContainsFunc(a.servers.hub.Tools(s.Name), func(o *downstream.Tool) bool { return o.Name == name }) {
			others = append(others, "the server "+s.Name)
		}
	}
	if a.IsOperation(name) {
		others = append(others, "Patchbay")
	}
	if len(others) == 0 {
		return nil
	}
	return []string{SharesName + diag.OneOf(others, 4)}
}

// changedTool is the fault of a tool whose change waits for a person, with the change.
func (a *App) changedTool(server, tool string) *diag.Fault {
	if a.servers.hub == nil {
		return nil
	}
	f := a.servers.hub.Changed(server, tool)
	if f == nil {
		return nil
	}
	if pin := a.servers.hub.Pin(server, tool); pin != nil && pin.Pending != nil {
		f.Got = a.servers.changes.brief(tool, pin.Hash, pin.Definition, pin.Pending.Hash, pin.Pending.Definition)
	}
	return f
}

// changedNode is [App.changedTool] for the name of a node.
func (a *App) changedNode(ref NodeRef) *diag.Fault {
	server := a.serverNamed(ref)
	if server == "" {
		return nil
	}
	name := strings.TrimPrefix(ref.String(), "mcp:")
	if tool, ok := strings.CutPrefix(name, server+"/"); ok {
		return a.changedTool(server, tool)
	}
	return nil
}

// ServerLog returns the file that has what a server has written to stderr, "" if there is
// no place for it.
func (a *App) ServerLog(server string) (string, *diag.Fault) {
	s, fault := a.serverStatus(server)
	if fault != nil {
		return "", fault
	}
	return a.servers.hub.LogFile(s.Name), nil
}
