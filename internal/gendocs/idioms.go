package main

import (
	"github.com/patchbay-mcp/patchbay/internal/idioms"
	"github.com/patchbay-mcp/patchbay/specs"
)

// guidePage is the guide that agents read.
func guidePage() string {
	text := idioms.Guide()
	w := newPage("The guide", "What follows is what an agent reads: the resource `patchbay://guide`, and in sections the nodes `idiom:guide/…` of the catalog.")
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
