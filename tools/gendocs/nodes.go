package main

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/specs"
)

// nodesPage describes the built-in node types.
func nodesPage() string {
	w := newPage("Node types", "Every node has an `id`, unique in its graph, and a `type`. What follows are the types that are built in and their other fields. "+
		"Tools of downstream servers are called by `mcp` nodes: `patchbay types` lists them, `patchbay show` describes them.")
	for _, k := range engine.Kinds() {
		w.line("## %s\n", k.Spec.NodeType)
		w.prose(k.Spec.Description)
		if len(k.Fields) > 0 {
			w.head("field", "type", "required", "meaning")
			for _, f := range k.Fields {
				w.row("`"+f.Name+"`", f.Type, yesNo(f.Required), f.Doc)
			}
			w.line("")
		}
		for _, p := range k.Spec.OutputPorts {
			w.prose("Output `" + p.Name + "` (" + p.Type + "): " + p.Description + ".")
		}
		w.line("A node to copy:\n")
		w.fence("json", string(k.Spec.Skeleton))
		for _, ex := range k.Spec.Examples {
			w.example(ex)
		}
	}
	return w.page()
}

func (w *writer) example(ex specs.Example) {
	w.line("%s:\n", ex.Title)
	w.fence("yaml", ex.Graph)
	var call []string
	if len(ex.Arguments) > 0 {
		call = append(call, "called with `"+string(ex.Arguments)+"`")
	}
	if len(ex.Result) > 0 {
		call = append(call, "gives `"+string(ex.Result)+"`")
	}
	if text := strings.Join(call, ", "); text != "" {
		w.line("%s.\n", strings.ToUpper(text[:1])+text[1:])
	}
}
