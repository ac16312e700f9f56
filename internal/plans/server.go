package plans

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A Downstream is the downstream servers as their operator sees them: their states, tools, logs
// and logins, and how they are added and started.
type Downstream struct{ plans *Plans }

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
	Change      *servers.ToolChange `json:"change,omitempty"` // what it means
	Changes     []tooldef.Change    `json:"changes,omitempty"`
	Description string              `json:"description,omitempty"` // on request
	InputSchema json.RawMessage     `json:"inputSchema,omitempty"` // on request
}

// Server describes a server: its state, its tools with the hashes of their definitions,
// changes that wait for a person, and what in a definition somebody should look at.
func (ds *Downstream) Server(_ context.Context, in ServerInput) (*ServerResult, *diag.Fault) {
	status, fault := ds.ServerStatus(in.Server)
	if fault != nil {
		return nil, fault
	}
	in.Server = status.Name
	r := &ServerResult{Status: status, Trust: tooldef.TrustPin, Listed: []ServerTool{}}
	if s, ok := ds.plans.process.Config().Server(in.Server); ok {
		r.From, r.Trust = s.From, cmp.Or(s.Trust, r.Trust)
	}
	for _, name := range ds.plans.servers.Hub.Waiting(in.Server) {
		if in.Tool == "" || in.Tool == name {
			r.Listed = append(r.Listed, ds.waitingTool(in.Server, name))
		}
	}
	waiting, tools := len(r.Listed), ds.plans.servers.Hub.Tools(in.Server)
	most := servers.MaxOutput(tools)
	for _, t := range tools {
		if in.Tool != "" && in.Tool != t.Name {
			continue
		}
		used := ds.serverTool(t, in.Tool != "", most)
		if i := slices.IndexFunc(r.Listed[:waiting], func(w ServerTool) bool { return w.Name == t.Name }); i >= 0 { // used as it was
			used.Diff, used.Change, used.Suspicions = r.Listed[i].Diff, r.Listed[i].Change, r.Listed[i].Suspicions
			r.Listed[i] = used
			continue
		}
		r.Listed = append(r.Listed, used)
	}
	if in.Tool != "" && len(r.Listed) == 0 {
		return nil, unknownTool(ds.plans.Catalog.Snapshot(), in.Server, in.Tool)
	}
	return r, nil
}

// ServerStatus returns how a server is, by its name or an alias.
func (ds *Downstream) ServerStatus(server string) (downstream.Status, *diag.Fault) {
	all := ds.plans.servers.Status()
	var names []string
	if ds.plans.servers.Hub != nil {
		server = ds.plans.servers.Hub.Canonical(server)
	}
	for _, s := range all {
		if s.Name == server {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return downstream.Status{}, downstream.UnknownServer(server, names)
}

func (ds *Downstream) serverTool(t *tooldef.Tool, whole bool, maxOutput int) ServerTool {
	out := ServerTool{Name: t.Name, Hash: t.Hash, State: "used", Note: t.Note, Suspicions: append(t.Suspicions(), ds.sharedName(t.Server, t.Name)...)}
	spec := &specs.Spec{NodeType: specs.MCP, Subtype: t.Server + "/" + t.Name, Version: tooldef.Spec(t).Version, OutputSchema: t.OutputSchema}
	if t.OutputSchema != nil {
		out.Result = reply.SchemaText(schema.Read(t.OutputSchema))
	} else if seen := ds.plans.Seen.Of(spec); seen != nil {
		out.Result, out.Learned = reply.SchemaText(schema.Read(seen.Schema)), seen.Samples
	}
	if pin := ds.plans.servers.Hub.Pin(t.Server, t.Name); pin != nil {
		out.Changes = pin.Changes
	}
	if expose := ds.plans.process.Config().Expose; expose.Downstream {
		_, notes, err := servers.GatewayDefinition(t, listing.Name(servers.ServerPrefix(expose.Prefix, t.Server)+t.Name), maxOutput)
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
func (ds *Downstream) waitingTool(server, name string) ServerTool {
	out := ServerTool{Name: name, State: "changed"}
	if pin := ds.plans.servers.Hub.Pin(server, name); pin != nil && pin.Pending != nil {
		out.Hash, out.Changes, out.Diff = pin.Pending.Hash, pin.Changes, servers.DefinitionDiff(name, pin.Definition, pin.Pending.Definition, servers.MaxEdits)
		out.Suspicions, out.Change = append(pin.Pending.Suspicions(), ds.sharedName(server, name)...), ds.plans.Tools.Waiting(server, name)
	}
	return out
}

// SharesName begins what is said of a tool whose name others use too.
const SharesName = "its name is also that of a tool of "

// sharedName says of a tool of a server that another server or Patchbay uses its name too.
func (ds *Downstream) sharedName(server, name string) []string {
	var others []string
	for _, s := range ds.plans.servers.Status() {
		if s.Name != server && slices.ContainsFunc(ds.plans.servers.Hub.Tools(s.Name), func(o *tooldef.Tool) bool { return o.Name == name }) {
			others = append(others, "the server "+s.Name)
		}
	}
	if ds.plans.policy.IsOperation(name) {
		others = append(others, "Patchbay")
	}
	if len(others) == 0 {
		return nil
	}
	return []string{SharesName + diag.OneOf(others, 4)}
}

// Changed is the fault of a tool whose change waits for a person, with the change.
func (ts *toolSet) Changed(server, tool string) *diag.Fault {
	if ts.plans.servers.Hub == nil {
		return nil
	}
	f := ts.plans.servers.Hub.Changed(server, tool)
	if f == nil {
		return nil
	}
	if pin := ts.plans.servers.Hub.Pin(server, tool); pin != nil && pin.Pending != nil {
		f.Got = ts.plans.servers.Changes.Brief(tool, pin.Hash, pin.Definition, pin.Pending.Hash, pin.Pending.Definition)
	}
	return f
}

// ChangedNode is Changed for the name of a node.
func (ts *toolSet) ChangedNode(ref NodeRef) *diag.Fault {
	server := ts.ServerNamed(ref)
	if server == "" {
		return nil
	}
	name := strings.TrimPrefix(ref.String(), "mcp:")
	if tool, ok := strings.CutPrefix(name, server+"/"); ok {
		return ts.Changed(server, tool)
	}
	return nil
}

// LogsInput names a server.
type LogsInput struct {
	Server string `json:"server" jsonschema:"the name of a server" arg:"NAME"`
	Lines  int    `json:"lines,omitempty" jsonschema:"how many lines" default:"100" help:"show the last N lines"`
}

// LogsResult is the end of what a server has written to stderr.
type LogsResult struct {
	File string `json:"file"`
	Text string `json:"text"`
}

var codeNoLogs = diag.DefineFault("no-logs", diag.RefusesRequest, "nothing is kept of what the server writes to stderr", "start it with `patchbay mcp sync NAME`")

// Logs returns the last lines that a server has written to stderr, started by whichever process.
func (ds *Downstream) Logs(_ context.Context, in LogsInput) (*LogsResult, *diag.Fault) {
	s, fault := ds.ServerStatus(in.Server)
	if fault != nil {
		return nil, fault
	}
	path := ds.plans.servers.Hub.LogFile(s.Name)
	text, err := os.ReadFile(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Faultf(codeNoLogs, "nothing is kept of what server %q writes to stderr", in.Server).
			WithHint("patchbay mcp sync NAME starts it; remote servers have no log, and logs need a cache folder")
	}
	if err != nil {
		return nil, diag.Faultf(codeNoLogs, "the log of server %q cannot be read: %w", in.Server, err)
	}
	all := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	return &LogsResult{path, strings.Join(all[max(0, len(all)-in.Lines):], "")}, nil
}
