// Package clientcode writes client code: typed functions for tools and saved graphs, as
// one file of TypeScript that needs no library. The functions call a
// `patchbay serve` that the file starts. It knows specs and schemas; it knows no
// catalog and calls nothing.
package clientcode

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A Tool is what a function is written for: a tool of a server, or a saved graph.
type Tool struct {
	Spec *specs.Spec
	// Observed is a schema of the results so far, of a tool that declares none.
	Observed json.RawMessage
}

// Callable reports whether a function can be written for a node: it is a tool of a
// server or a saved graph, and can run here.
func Callable(s *specs.Spec) bool {
	return !s.NotRunnable && s.Subtype != "" && (s.NodeType == specs.MCP || s.NodeType == specs.Graph)
}

// maxDescription is how many characters of a description are written.
const maxDescription = 1000

// A group is the functions of one server, or those of the saved graphs.
type group struct {
	ident     string
	about     string
	functions []function
}

type function struct {
	ident       string
	server      string // "" of a saved graph
	name        string // of the tool or graph
	description string
	args        shape // an object
	result      shape
}

// groups sorts tools by their servers and names; saved graphs are last. What cannot be
// called is left out.
func groups(tools []Tool) []group {
	tools = slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return !Callable(t.Spec) })
	slices.SortStableFunc(tools, func(a, b Tool) int {
		return cmp.Or(-strings.Compare(a.Spec.NodeType, b.Spec.NodeType), strings.Compare(a.Spec.Server(), b.Spec.Server()), strings.Compare(a.Spec.Tool(), b.Spec.Tool()))
	})
	var list []group
	servers, functions := &identifiers{reserved, map[string]bool{"graphs": true}}, &identifiers{}
	for i, t := range tools {
		server := t.Spec.Server()
		if i == 0 || tools[i-1].Spec.Server() != server {
			g := group{ident: "graphs", about: "Saved graphs."}
			if server != "" {
				g.ident, g.about = servers.add(server), "Tools of the server "+diag.Visible(diag.OneLine(server))+"."
			}
			list, functions = append(list, g), &identifiers{used: map[string]bool{}}
		}
		g := &list[len(list)-1]
		g.functions = append(g.functions, newFunction(t, functions.add(t.Spec.Tool())))
	}
	return list
}

func newFunction(t Tool, ident string) function {
	f := function{ident: ident, server: t.Spec.Server(), name: t.Spec.Tool(), description: described(t.Spec.Description)}
	f.args = argumentsShape(t.Spec.InputSchema)
	output := t.Spec.OutputSchema
	if len(output) == 0 && len(t.Observed) > 0 {
		output = t.Observed
		f.description = strings.TrimSpace(f.description + "\nThe server declares no result type: this is what results have had so far.")
	}
	f.result = schemaShape(schema.Read(output))
	return f
}

// described is a description as comments have it: characters that hide others are
// written out, and its end may be cut.
func described(text string) string {
	text = strings.ReplaceAll(diag.Cut(strings.TrimSpace(text), maxDescription), "\r\n", "\n")
	lines := strings.Split(diag.Visible(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.Join(lines, "\n")
}

// quoted writes a text as a literal.
func quoted(text string) string {
	return diag.Visible(plainjson.Quote(text))
}
