package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/schemas"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

var stateListPresenter = command.Presenter{
	Long:    "List what graphs of this project have stored for their later runs, by state nodes. --json shows whole values.",
	Example: "  patchbay state list\n  patchbay state list new_issues --json",
	Start:   command.Offline,
	Print: func(i *command.Invocation, w *term.Page) {
		header := []string{"graph", "key", "updated", "expires", "members", "value"}
		all := i.In.(*execution.StatesInput).AllProjects
		if all {
			header = append([]string{"project"}, header...)
		}
		t := term.NewTable(header...)
		for _, e := range i.Out.(*execution.StatesResult).State {
			expires, members := "-", "-"
			if !e.Expires.IsZero() {
				expires = term.Ago(e.Expires, time.Now())
			}
			if e.Members > 0 {
				members = strconv.Itoa(e.Members)
			}
			row := []any{e.Graph, e.Key, term.Ago(e.Updated, time.Now()), expires, term.Cell{Text: members, Right: true}, diag.Cut(diag.OneLine(string(e.Value)), 60)}
			if all {
				row = append([]any{e.Project}, row...)
			}
			t.Add(row...)
		}
		t.WriteOr(w, "no state")
	},
}

var stateDeletePresenter = command.Presenter{
	Long:    "Delete what a graph of this project has stored for its later runs: everything, or what is under one key.",
	Example: "  patchbay state delete new_issues seen",
	Start:   command.Offline,
	Print:   command.Printing(func(w *term.Page, r *execution.DeleteStateResult) { fmt.Fprintf(w, "deleted %d keys\n", r.Deleted) }),
}

// A schemaLine is one schema of the list.
type schemaLine struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func schemaCommand(f *command.Flags) *cobra.Command {
	return &cobra.Command{
		Use: "schema [NAME]", Short: "JSON Schemas of the files that you write, for editors",
		Long:    "Print the JSON Schema of a kind of file, from which an editor completes and checks it. Without NAME, list the schemas.",
		Example: "  patchbay schema\n  patchbay schema graph > graph.schema.json", ValidArgs: schemas.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return f.Print(cmd, schemaList())
			}
			text := schemas.Of(args[0])
			if text == nil {
				return diag.Faultf(diag.CodeUsage, "there is no schema %q", args[0]).WithHint("the schemas are " + diag.OneOf(schemas.Names(), len(schemas.Names())))
			}
			return f.Print(cmd, command.Result{Value: json.RawMessage(text), Text: func(w *term.Page) { fmt.Fprintf(w, "%s", text) }})
		},
	}
}

func schemaList() command.Result {
	var list []schemaLine
	t := term.NewTable("schema", "of")
	for _, s := range schemas.Files() {
		list = append(list, schemaLine{s.Name, s.About})
		t.Add(s.Name, s.About)
	}
	return command.Result{Value: map[string]any{"schemas": list}, Names: schemas.Names, Text: t.Write}
}
