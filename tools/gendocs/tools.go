package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/app/arguments"
	"github.com/patchbay-mcp/patchbay/mcpserver"
	"github.com/patchbay-mcp/patchbay/schema"
)

// toolsPage describes the MCP tools as a client sees them: it asks a server.
func toolsPage(ctx context.Context) (string, error) {
	near, far := mcp.NewInMemoryTransports()
	server, err := mcpserver.New(app.New(app.Options{}), mcpserver.Options{DebugTools: true}).Connect(ctx, far, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = server.Close() }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "docs", Version: "0"}, nil).Connect(ctx, near, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = client.Close() }()
	w := newPage("MCP tools", "These are the tools that a client of `patchbay serve` gets. In addition, each tool of a `-g` document and each exposed saved graph is a tool of its own. "+
		"The structured content of a reply is the result, and the text content is the same JSON. If a call fails, its reply has `isError: true` and gives the reason in `error` or `diagnostics`.")
	tools, err := client.ListTools(ctx, nil)
	if err != nil {
		return "", err
	}
	operations := map[string]app.Operation{}
	for _, o := range app.Operations() {
		operations[o.Tool] = o
	}
	for _, t := range tools.Tools {
		if err := w.tool(t, operations[t.Name]); err != nil {
			return "", err
		}
	}
	if err := w.others(ctx, client); err != nil {
		return "", err
	}
	return w.page(), nil
}

// readSchema reads a schema of a tool's listing.
func readSchema(v any) (*schema.Node, error) {
	b, err := json.Marshal(v)
	return schema.Read(b), err
}

func (w *writer) tool(t *mcp.Tool, o app.Operation) error {
	w.line("## %s\n", t.Name)
	w.prose(t.Description)
	if h := hints(t.Annotations); h != "" {
		w.line("Hints: %s.\n", h)
	}
	if o.Debug {
		w.line("Only with `--debug-tools`.\n")
	}
	in, err := readSchema(t.InputSchema)
	if err != nil {
		return err
	}
	if names := in.PropertyNames(); len(names) > 0 {
		w.head("argument", "type", "required", "meaning")
		required := in.Get("required")
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(position(required, a), position(required, b)) })
		for _, name := range names {
			p := in.Property(name)
			w.row("`"+name+"`", typeOf(p), cmp.Or(unless(o, name), yesNo(in.Requires(name))), p.Get("description").Text())
		}
		w.line("")
	}
	w.line("Reply: %s.\n", strings.Join(members(arguments.ResultSchema(o)), ", "))
	return nil
}

// unless says with which argument a required one may be left out, or is "".
func unless(o app.Operation, name string) string {
	for _, f := range o.Fields() {
		if f.Name == name && f.Unless != nil {
			return "unless `" + strings.Join(f.Unless, "` or `") + "`"
		}
	}
	return ""
}

// typeOf is the type of an argument, and the values that it may have.
func typeOf(p *schema.Node) string {
	text := strings.Join(p.Types(), " or ")
	var values []string
	for _, v := range p.Get("enum").All() {
		values = append(values, "`"+v.Text()+"`")
	}
	least, most := p.Get("minimum").Value(), p.Get("maximum").Value()
	if text == "array" {
		least, most = p.Get("minItems").Value(), p.Get("maxItems").Value()
	}
	switch {
	case len(values) > 0:
		text += ": " + strings.Join(values, ", ")
	case least != nil && most != nil:
		text += fmt.Sprintf(", %v-%v", least, most)
	case least != nil:
		text += fmt.Sprintf(", at least %v", least)
	}
	return text
}

// members are the members of a reply, each with its type.
func members(s *jsonschema.Schema) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		text := "`" + name + "`"
		if typ := s.Properties[name].Type; typ != "" {
			text += " (" + typ + ")"
		}
		list = append(list, text)
	}
	return list
}

// position is where a name stands in a list; after its end when it does not.
func position(list *schema.Node, name string) int {
	i := 0
	for _, item := range list.All() {
		if item.Text() == name {
			return i
		}
		i++
	}
	return i
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
