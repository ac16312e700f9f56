package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/schemas"
)

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
				return diag.Faultf("usage", "there is no schema %q", args[0]).WithHint("the schemas are " + diag.OneOf(schemas.Names(), len(schemas.Names())))
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
