package cli

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

var graphsListFace = face{
	example: "  patchbay graphs list\n  patchbay graphs list -o name",
	start:   offline,
	print: func(i *invocation, w *page) {
		r := i.out.(*app.GraphsResult)
		t := newTable("name", "revision", "tool", "description")
		for _, g := range r.Graphs {
			exposed := "no"
			if g.Exposed {
				exposed = "yes"
			}
			t.add(g.Name, g.Revision, exposed, g.Description)
		}
		t.write(w)
		for _, b := range r.Broken {
			printFault(i.cmd.ErrOrStderr(), b)
		}
	},
	names: func(i *invocation) (names []string) {
		for _, g := range i.out.(*app.GraphsResult).Graphs {
			names = append(names, g.Name)
		}
		return names
	},
}

var graphsShowFace = face{
	example: "  patchbay graphs show count_files",
	start:   offline,
	print:   printing(func(w *page, r *app.GetGraphResult) { fmt.Fprint(w, r.Graph) }),
}

var graphsDeleteFace = face{
	example: "  patchbay graphs delete count_files",
	start:   offline,
	print:   printing(func(w *page, r *app.DeleteResult) { fmt.Fprintf(w, "deleted %s\n", r.Name) }),
	names:   func(i *invocation) []string { return []string{i.out.(*app.DeleteResult).Name} },
}

var graphsSaveFace = face{
	example: "  patchbay graphs save count_files.yaml --overwrite",
	start:   withCached,
	finish: func(i *invocation) error {
		r := i.out.(*app.SaveResult)
		if r.HowToCall = "patchbay run " + r.Name + " [KEY=VALUE…]"; r.Exposed {
			r.HowToCall += "; patchbay serve offers it as the tool " + r.Name
		}
		return nil
	},
	print: printing(printSaved),
	names: func(i *invocation) []string { return []string{i.out.(*app.SaveResult).Name} },
}

func printSaved(w *page, r *app.SaveResult) {
	if !r.Failed() {
		fmt.Fprintf(w, "saved %s (%s)\n%s\n", r.Name, r.Revision, r.HowToCall)
		for _, note := range r.Notes {
			fmt.Fprintf(w, "note: %s\n", note)
		}
		return
	}
	w.diagnostics(r.Rendered)
	if r.Error != nil {
		printFault(w, r.Error)
	}
}
