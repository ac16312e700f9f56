package main

import (
	"cmp"
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
	w.line("## Missing, null and empty values\n")
	w.line("What an expression gives for a field that takes a value of one type. Null is an error, whose hint has the expression with a default: `($v := …; $v != null ? $v : [])`. Fields that take any value, such as `body`, take null as it is. " +
		"Null in place of a number or a word that is not computed, such as `concurrency` or `timeoutMs`, counts as not written. A missing value leaves a field of a map out, and is null in a list.\n")
	w.head("node", "field", "missing", "null", "empty")
	for _, at := range engine.Places() {
		w.row(at.Kind, "`"+at.Field+"`", cmp.Or(at.Missing, "an error"), "an error", at.Empty)
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
