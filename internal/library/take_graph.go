package library

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// How a graph from elsewhere stands to the saved one of its name.
const (
	ArrivalNew       = "new"
	ArrivalUnchanged = "unchanged" // it is what was taken from there before
	ArrivalChanged   = "changed"   // the source has changed since
	ArrivalOther     = "other"     // the saved graph comes from somewhere else
)

// An ImportedGraph is a graph from elsewhere, looked at and not yet saved.
type ImportedGraph struct {
	Name        string             `json:"name"`
	Description string             `json:"description,omitempty"`
	Origin      graphfiles.Origin  `json:"origin"`
	State       string             `json:"state"`
	Before      *graphfiles.Origin `json:"before,omitempty"` // what the saved graph was taken from
	Edited      bool               `json:"edited,omitempty"` // the saved graph has been changed here since
	Tools       []string           `json:"tools"`            // that it calls, server/tool
	Requests    []string           `json:"requests,omitempty"`
	Kinds       []string           `json:"kinds"` // types of its nodes
	Nodes       int                `json:"nodes"`
	Tests       int                `json:"tests"`
	Servers     []string           `json:"servers,omitempty"` // that it defines

	text, tests string
}

// InspectGraph looks at a graph from elsewhere: whether it is valid as far as that does not
// depend on servers, and what it does. Nothing is started or written. name is what it is
// to be called, "" as it says itself or, if it does not say, stem.
//
// Faults: no-graphs, invalid-graph, bad-test and those of the saved graph.
func (lib *Library) InspectGraph(name, stem, text, tests string, origin graphfiles.Origin) (*ImportedGraph, *diag.Fault) {
	if lib.plans.Saved == nil {
		return nil, plans.NoGraphs()
	}
	doc, found := graph.Parse(origin.Source, text)
	if doc != nil {
		_, more := engine.CompileAll(doc, engine.Env{Kinds: lib.plans.Kinds})
		found = append(found, more...)
	}
	if bad := found.With(diag.Error); len(bad) > 0 {
		return nil, diag.Faultf(engine.CodeInvalidGraph, "line %d: %s", bad[0].Range.Start.Line, bad[0].Message).WithHint(bad[0].Hint)
	}
	imported := &ImportedGraph{Name: name, Origin: origin, text: text, tests: tests, Tools: []string{}, Kinds: []string{}}
	imported.read(doc)
	imported.Name = cmp.Or(imported.Name, stem)
	if tests != "" {
		cases, fault := execution.ReadTests(imported.Name+".test.yaml", tests)
		if fault != nil {
			return nil, fault
		}
		imported.Tests = len(cases)
	}
	return imported, lib.compareOrigin(imported)
}

// read says what a document does.
func (a *ImportedGraph) read(doc *graph.Document) {
	for i, t := range doc.Tools() {
		if i == 0 {
			a.Description = diag.OneLine(t.Description.Text())
			if a.Name == "" && len(doc.Tools()) == 1 {
				a.Name = t.Name.Text()
			}
		}
		a.Nodes += len(t.Nodes)
		for _, n := range t.Nodes {
			a.Kinds = append(a.Kinds, n.Type.Text())
			if tool := n.Get("tool").Text(); tool != "" {
				a.Tools = append(a.Tools, n.Get("server").Text()+"/"+tool)
			}
			if url := n.Get("url"); url.Exists() {
				a.Requests = append(a.Requests, requestHost(url))
			}
		}
	}
	for name := range doc.Tree().MCPServers.Members() {
		a.Servers = append(a.Servers, name)
	}
	for _, list := range []*[]string{&a.Tools, &a.Requests, &a.Kinds} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// requestHost shows the URL of an http node, which may be an expression.
func requestHost(url graph.Value) string {
	if text := url.Text(); text != "" {
		return diag.Cut(diag.OneLine(text), 100)
	}
	return diag.Cut(diag.OneLine(string(url.JSON())), 100)
}

// compareOrigin says how the graph stands to the saved one.
func (lib *Library) compareOrigin(imported *ImportedGraph) *diag.Fault {
	imported.State = ArrivalNew
	have, fault := lib.plans.Saved.Get(imported.Name)
	switch {
	case fault != nil && fault.Code == diag.CodeUnknownGraph:
		return nil
	case fault != nil:
		imported.State = ArrivalOther
		return nil
	}
	if imported.Before, fault = lib.plans.Saved.Origin(imported.Name); fault != nil {
		return fault
	}
	switch {
	case imported.Before == nil || imported.Before.Source != imported.Origin.Source:
		imported.State = ArrivalOther
	case imported.Before.SHA256 == imported.Origin.SHA256:
		imported.State = ArrivalUnchanged
	default:
		imported.State = ArrivalChanged
	}
	imported.Edited = imported.Before != nil && imported.Before.Revision != have.Revision
	return nil
}

// ImportGraph saves a graph that was examined, with its tests and without the servers that it
// defines, and notes its origin. It counts as one that an agent has saved, until somebody
// approves it.
//
// Faults: those of saving a graph.
func (lib *Library) ImportGraph(_ context.Context, imported *ImportedGraph, overwrite bool) *diag.Fault {
	text := imported.text
	if doc, _ := graph.Parse(imported.Name, text); doc != nil && doc.Tree().MCPServers.Exists() {
		text = diag.ApplyEdits(text, doc.Tree().MCPServers.Remove("").Edits)
	}
	saved, fault := lib.plans.Saved.Save(imported.Name, text, graphfiles.SaveOptions{Overwrite: overwrite, Tests: &imported.tests, Agent: true})
	if fault != nil {
		if fault.Code == graphfiles.CodeAlreadyExists {
			fault.Hint = "--force replaces it, --name NAME gives the new one another name"
		}
		return fault
	}
	origin := imported.Origin
	origin.Revision, origin.Added = saved.Revision, time.Now().UTC().Truncate(time.Second)
	if fault := lib.plans.Saved.SetOrigin(imported.Name, &origin); fault != nil {
		return fault
	}
	lib.process.Announce()
	return nil
}

// ServersText is the part of the graph that defines servers, as JSON.
func (a *ImportedGraph) ServersText() string {
	doc, _ := graph.Parse(a.Name, a.text)
	if doc == nil || !doc.Tree().MCPServers.Exists() {
		return ""
	}
	return strings.TrimSpace(string(doc.Tree().MCPServers.JSON()))
}
