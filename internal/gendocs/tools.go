package main

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// toolsPage describes the MCP tools as a client sees them: it asks a server.
func toolsPage(ctx context.Context) (string, error) {
	near, far := mcp.NewInMemoryTransports()
	server, err := mcpserver.New(app.New(app.Options{}), mcpserver.Options{}).Connect(ctx, far, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = server.Close() }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "docs", Version: "0"}, nil).Connect(ctx, near, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = client.Close() }()
	w := newPage("MCP tools", "What a client of `patchbay serve` finds. Beside these, every tool of a `-g` document and every exposed saved graph is a tool of its own. "+
		"A reply's structured content is its result, and its text the same JSON; a reply that did not do what was asked has `isError: true` and says why in `error` or `diagnostics`.")
	tools, err := client.ListTools(ctx, nil)
	if err != nil {
		return "", err
	}
	results := map[string][]string{}
	for _, o := range app.Operations() {
		results[o.Tool] = slices.Sorted(maps.Keys(mcpserver.ResultSchema(o).Properties))
	}
	for _, t := range tools.Tools {
		if err := w.tool(t, results[t.Name]); err != nil {
			return "", err
		}
	}
	if err := w.others(ctx, client); err != nil {
		return "", err
	}
	return w.page(), nil
}

// A schema is what is shown of a JSON Schema.
type toolSchema struct {
	Type        any                   `json:"type"`
	Description string                `json:"description"`
	Enum        []any                 `json:"enum"`
	Default     any                   `json:"default"`
	Properties  map[string]toolSchema `json:"properties"`
	Required    []string              `json:"required"`
}

func readSchema(v any) (toolSchema, error) {
	var s toolSchema
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	return s, err
}

func (w *writer) tool(t *mcp.Tool, result []string) error {
	w.line("## %s\n", t.Name)
	w.prose(t.Description)
	if h := hints(t.Annotations); h != "" {
		w.line("Hints: %s.\n", h)
	}
	in, err := readSchema(t.InputSchema)
	if err != nil {
		return err
	}
	if len(in.Properties) > 0 {
		w.head("argument", "type", "required", "meaning")
		names := slices.SortedFunc(maps.Keys(in.Properties), func(a, b string) int {
			return cmp.Or(cmp.Compare(position(in.Required, a), position(in.Required, b)), cmp.Compare(a, b))
		})
		for _, name := range names {
			p := in.Properties[name]
			w.row("`"+name+"`", typeOf(p), yesNo(slices.Contains(in.Required, name)), p.Description)
		}
		w.line("")
	}
	w.line("Reply: `%s`.\n", strings.Join(result, "`, `"))
	return nil
}

// position is where a name stands in a list; after its end when it does not.
func position(list []string, name string) int {
	if i := slices.Index(list, name); i >= 0 {
		return i
	}
	return len(list)
}

// typeOf names a type; no type is any value.
func typeOf(s toolSchema) string {
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		names := make([]string, len(t))
		for i, v := range t {
			names[i], _ = v.(string)
		}
		return strings.Join(names, " or ")
	}
	return "any"
}

func hints(a *mcp.ToolAnnotations) string {
	if a == nil {
		return ""
	}
	var list []string
	add := func(name string, on bool) {
		if on {
			list = append(list, name)
		}
	}
	add("read-only", a.ReadOnlyHint)
	add("idempotent", a.IdempotentHint)
	add("destructive", a.DestructiveHint != nil && *a.DestructiveHint)
	add("open world", a.OpenWorldHint != nil && *a.OpenWorldHint)
	return strings.Join(list, ", ")
}

// others lists resources and prompts.
func (w *writer) others(ctx context.Context, client *mcp.ClientSession) error {
	fixed, err := client.ListResources(ctx, nil)
	if err != nil {
		return err
	}
	templates, err := client.ListResourceTemplates(ctx, nil)
	if err != nil {
		return err
	}
	prompts, err := client.ListPrompts(ctx, nil)
	if err != nil {
		return err
	}
	w.line("## Resources\n")
	w.head("URI", "what it is")
	for _, r := range fixed.Resources {
		w.row("`"+r.URI+"`", r.Title)
	}
	for _, r := range templates.ResourceTemplates {
		w.row("`"+r.URITemplate+"`", r.Title)
	}
	w.line("\n## Prompts\n")
	for _, p := range prompts.Prompts {
		args := make([]string, len(p.Arguments))
		for i, a := range p.Arguments {
			args[i] = "`" + a.Name + "` (" + a.Description + ")"
		}
		w.line("- `%s`, with %s: %s", p.Name, strings.Join(args, ", "), p.Description)
	}
	return nil
}
