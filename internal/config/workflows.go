package config

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// workflows reads the workflows of a configuration, each as a document of its own.
func (l *loader) workflows(o origin, list graph.Value) {
	if !l.is(o.file, list, graph.List, "a list of workflows") {
		return
	}
	seen := map[string]bool{}
	for i, item := range list.Items() {
		if !l.is(o.file, item, graph.Map, "a workflow") {
			continue
		}
		name := item.Get("name")
		if !name.Is(graph.String) || name.Text() == "" || seen[name.Text()] {
			d := o.file.Diagnostics.Report(ruleBadSetting, item.Path(), item.Range(), "workflow %d has no name of its own", i+1)
			d.Hint = "write name: <name>, different from the others"
			continue
		}
		seen[name.Text()] = true
		path := fmt.Sprintf("%s (workflow %s)", o.file.Path, diag.Excerpt(name.Text()))
		doc, _ := graph.Parse(path, graph.Encode(item))
		if doc != nil {
			l.cfg.Workflows = append(l.cfg.Workflows, &Document{Path: path, Graph: doc})
		}
	}
}
