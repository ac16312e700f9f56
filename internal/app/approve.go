package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
)

// ApproveInput says which changes a person accepts.
type ApproveInput struct {
	Server string   `json:"server" jsonschema:"the name of a server" arg:"NAME"`
	Tools  []string `json:"tools,omitempty" jsonschema:"its tools whose changes are accepted; none means all" arg:"[TOOL…]"`
	Try    bool     `json:"try,omitempty" jsonschema:"accept nothing: replay recorded runs of the graphs concerned with the server as it is now, calling only what is known to be read-only" help:"accept nothing; show what recorded runs of the graphs concerned come to with the change"`
}

// ApproveResult lists the tools whose changes were accepted.
type ApproveResult struct {
	Server   string   `json:"server"`
	Approved []string `json:"approved"`

	Changes map[string]*ToolChange `json:"changes,omitempty"` // of a try: what the changes mean
	Tried   []TriedGraph           `json:"tried,omitempty"`   // of a try
}

var (
	codeNotApproved      = diag.DefineFault("not-approved", diag.RefusesRequest, "the approval cannot be stored", "check the disk")
	codeNothingToApprove = diag.DefineFault("nothing-to-approve", diag.RefusesRequest, "the tool has no change that waits", "`patchbay mcp info NAME`")
)

// Approve accepts changes of tools that wait for a person.
func (a *App) Approve(ctx context.Context, in ApproveInput) (*ApproveResult, *diag.Fault) {
	s, fault := a.serverStatus(in.Server)
	if fault != nil {
		return nil, fault
	}
	in.Server = s.Name
	if in.Try { // with the definitions that the server has now
		if _, fault := a.Sync(ctx, SyncInput{Servers: []string{in.Server}}); fault != nil {
			return nil, fault
		}
	}
	waiting := map[string]bool{}
	for _, name := range a.servers.hub.Waiting(in.Server) {
		waiting[name] = true
	}
	for _, name := range in.Tools {
		if !waiting[name] {
			return nil, diag.Faultf(codeNothingToApprove, "tool %q of server %q has no change that waits", name, in.Server).
				WithHint(fmt.Sprintf("patchbay mcp info %s shows the tools", in.Server))
		}
	}
	if in.Try {
		return a.try(ctx, in)
	}
	approved, err := a.servers.hub.Approve(in.Server, in.Tools...)
	if err != nil {
		return nil, diag.Faultf(codeNotApproved, "the approval cannot be stored: %w", err)
	}
	return &ApproveResult{Server: in.Server, Approved: approved}, nil
}

// try shows what changes that wait mean.
func (a *App) try(ctx context.Context, in ApproveInput) (r *ApproveResult, fault *diag.Fault) {
	r = &ApproveResult{Server: in.Server, Approved: []string{}, Changes: map[string]*ToolChange{}}
	tools := in.Tools
	if len(tools) == 0 {
		tools = a.servers.hub.Waiting(in.Server)
	}
	for _, name := range tools {
		r.Changes[name] = a.waitingChange(in.Server, name)
	}
	r.Tried, fault = a.tryChanges(ctx, in.Server, tools)
	return r, fault
}

// Failed reports whether a try has found a graph that the change breaks, or whose runs differ.
func (r *ApproveResult) Failed() bool {
	return slices.ContainsFunc(r.Tried, func(t TriedGraph) bool { return t.Error != nil || t.Same < t.Runs })
}

// waitingChange says what the change of a tool means that waits for a person.
func (a *App) waitingChange(server, tool string) *ToolChange {
	pin := a.servers.hub.Pin(server, tool)
	if pin == nil || pin.Pending == nil {
		return nil
	}
	return classify(pin.Definition, pin.Pending.Definition, a.usesOf(server, tool))
}

// pass is [downstream.Options.Pass]: a change passes that is compatible with how the graphs
// use the tool.
func (a *App) pass(server string, from, to json.RawMessage) (definition json.RawMessage, what string) {
	var t struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(to, &t) != nil {
		return nil, ""
	}
	c := classify(from, to, a.usesOf(server, t.Name))
	if c.Class != ChangeCompatible {
		return nil, ""
	}
	return servedDefinition(from, to), strings.Join(c.Reasons, "; ")
}

const (
	// maxEdits and maxBriefEdits limit the edits that a diff of definitions searches for:
	// one for a person, and one in a fault.
	maxEdits      = 2000
	maxBriefEdits = 200
	// maxDiff limits the characters of a diff in a fault.
	maxDiff = 2000
	// maxChanges limits the diffs that are cached.
	maxChanges = 200
)

// definitionDiff returns the change of a tool's definition as a unified diff.
func definitionDiff(tool string, from, to json.RawMessage, edits int) string {
	if from == nil || to == nil {
		return "the definitions are too large to be compared\n"
	}
	return graph.DiffWithin(tool, indented(from), indented(to), edits)
}

// indented is a definition for people: characters that they would not see are escaped.
func indented(definition json.RawMessage) string {
	var b bytes.Buffer
	_ = json.Indent(&b, definition, "", "  ") // a stored definition is valid JSON
	return diag.Visible(b.String()) + "\n"
}

// changes caches diffs of definitions for faults: a changed tool causes the same fault until
// a person approves the change.
type changes struct{ kept *cache.Cache[string, string] }

func newChanges() changes {
	return changes{cache.Texts[string](maxChanges, maxChanges<<10)}
}

// brief returns the beginning of the diff of a tool's definition.
func (c changes) brief(tool, fromHash string, from json.RawMessage, toHash string, to json.RawMessage) string {
	key := tool + "\x00" + fromHash + "\x00" + toHash
	if text, ok := c.kept.Get(key); ok {
		return text
	}
	text := diag.Cut(definitionDiff(tool, from, to, maxBriefEdits), maxDiff)
	c.kept.Add(key, text)
	return text
}
