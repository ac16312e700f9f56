package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

var stateListFace = face{
	long:    "List what graphs of this project have stored for their later runs, by state nodes. --json shows whole values.",
	example: "  patchbay state list\n  patchbay state list new_issues --json",
	start:   offline,
	print: func(i *invocation, w *page) {
		header := []string{"graph", "key", "updated", "expires", "members", "value"}
		all := i.in.(*app.StatesInput).AllProjects
		if all {
			header = append([]string{"project"}, header...)
		}
		t := newTable(header...)
		for _, e := range i.out.(*app.StatesResult).State {
			expires, members := "-", "-"
			if !e.Expires.IsZero() {
				expires = ago(e.Expires, time.Now())
			}
			if e.Members > 0 {
				members = strconv.Itoa(e.Members)
			}
			row := []any{e.Graph, e.Key, ago(e.Updated, time.Now()), expires, cell{text: members, right: true}, diag.Cut(diag.OneLine(string(e.Value)), 60)}
			if all {
				row = append([]any{e.Project}, row...)
			}
			t.add(row...)
		}
		t.writeOr(w, "no state")
	},
}

var stateDeleteFace = face{
	long:    "Delete what a graph of this project has stored for its later runs: everything, or what is under one key.",
	example: "  patchbay state delete new_issues seen",
	start:   offline,
	print:   printing(func(w *page, r *app.DeleteStateResult) { fmt.Fprintf(w, "deleted %d keys\n", r.Deleted) }),
}
