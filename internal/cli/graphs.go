package cli

import (
	"fmt"
	"io"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

var graphsListFace = face{
	start: offline,
	print: func(i *invocation, w io.Writer) {
		r := i.out.(*app.GraphsResult)
		for _, g := range r.Graphs {
			fmt.Fprintf(w, "%s  %s\n      %s\n", g.Name, g.Revision, g.Description)
		}
		for _, b := range r.Broken {
			printFault(i.cmd.ErrOrStderr(), b)
		}
	},
}

var graphsShowFace = face{
	start: offline,
	print: printing(func(w io.Writer, r *app.GetGraphResult) { fmt.Fprint(w, r.Graph) }),
}

var graphsDeleteFace = face{
	start: offline,
	print: printing(func(w io.Writer, r *app.DeleteResult) { fmt.Fprintf(w, "deleted %s\n", r.Name) }),
}

var graphsSaveFace = face{
	start: withCached,
	print: printing(printSaved),
}

func printSaved(w io.Writer, r *app.SaveResult) {
	if !r.Failed() {
		fmt.Fprintf(w, "saved %s (%s)\n%s\n", r.Name, r.Revision, r.HowToCall)
		for _, note := range r.Notes {
			fmt.Fprintf(w, "note: %s\n", note)
		}
		return
	}
	fmt.Fprint(w, r.Rendered)
	if r.Error != nil {
		printFault(w, r.Error)
	}
}
