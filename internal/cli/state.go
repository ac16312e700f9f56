package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/schemas"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

var stateListPresenter = presenter{
	long:    "List what graphs of this project have stored for their later runs, by state nodes. --json shows whole values.",
	example: "  patchbay state list\n  patchbay state list new_issues --json",
	start:   offline,
	print: func(i *invocation, w *page) {
		header := []string{"graph", "key", "updated", "expires", "members", "value"}
		all := i.in.(*execution.StatesInput).AllProjects
		if all {
			header = append([]string{"project"}, header...)
		}
		t := newTable(header...)
		for _, e := range i.out.(*execution.StatesResult).State {
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

var stateDeletePresenter = presenter{
	long:    "Delete what a graph of this project has stored for its later runs: everything, or what is under one key.",
	example: "  patchbay state delete new_issues seen",
	start:   offline,
	print:   printing(func(w *page, r *execution.DeleteStateResult) { fmt.Fprintf(w, "deleted %d keys\n", r.Deleted) }),
}

// A schemaLine is one schema of the list.
type schemaLine struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func schemaCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "schema [NAME]", Short: "JSON Schemas of the files that you write, for editors",
		Long:    "Print the JSON Schema of a kind of file, from which an editor completes and checks it. Without NAME, list the schemas.",
		Example: "  patchbay schema\n  patchbay schema graph > graph.schema.json", ValidArgs: schemas.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return f.print(cmd, schemaList())
			}
			text := schemas.Of(args[0])
			if text == nil {
				return diag.Faultf(diag.CodeUsage, "there is no schema %q", args[0]).WithHint("the schemas are " + diag.OneOf(schemas.Names(), len(schemas.Names())))
			}
			return f.print(cmd, result{value: json.RawMessage(text), text: func(w *page) { fmt.Fprintf(w, "%s", text) }})
		},
	}
}

func schemaList() result {
	var list []schemaLine
	t := newTable("schema", "of")
	for _, s := range schemas.Files() {
		list = append(list, schemaLine{s.Name, s.About})
		t.add(s.Name, s.About)
	}
	return result{value: map[string]any{"schemas": list}, names: schemas.Names, text: t.write}
}
