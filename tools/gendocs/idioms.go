package main

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/discover/idioms"
	"github.com/patchbay-mcp/patchbay/specs"
)

// guidePage is the guide that agents read.
func guidePage() string {
	first := idioms.Instructions()
	text := strings.Replace(discover.Guide().Whole(), first, strings.ReplaceAll(first, "<", "&lt;"), 1)
	w := newPage("The guide", "What follows is what an agent reads: the resource `patchbay://guide` and the node `idiom:guide` of the catalog; `idiom:guide/…` is a section of it. Those after *More* are read by name only. What it says of tools, node types, operators and limits is generated from their declarations. The first section is also the instructions of the server, which a client gets when a session begins.")
	w.WriteString(text[len("# How to author a graph\n\n"):])
	return w.page()
}

// idiomsPage shows the patterns.
func idiomsPage() string {
	w := newPage("Idioms", "Patterns to copy, for tasks that take more than one node. `search_nodes` finds them by the words of a question, `get_node_details {nodes: [{id: \"idiom:loop\"}]}` shows one.")
	for _, i := range idioms.All() {
		w.line("## %s\n", i.Title)
		w.line("`idiom:%s`\n", i.Name)
		w.prose(i.Text)
		w.example(specs.Example{Title: "A graph to copy", Graph: i.Graph})
	}
	return w.page()
}
