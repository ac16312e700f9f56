package apis

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What clients refuse of a tool is listed otherwise or left out, with a note; a result that does
// not fit what is listed arrives as text.
func TestPublish(t *testing.T) {
	long := strings.Repeat("long_", 20)
	tool := func(name, input, output, result string) Served {
		def := &mcp.Tool{Name: name, InputSchema: json.RawMessage(input)}
		if output != "" {
			def.OutputSchema = json.RawMessage(output)
		}
		return Served{def, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return Success(json.RawMessage(result)), nil
		}}
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "api"}, nil)
	var notes []string
	const object, text = `{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string","format":"uri"}}}`
	if err := Publish(server, []Served{
		tool("odd", `{"type":"object","properties":{"n":{"enum":[]},"m":{"maximum":9007199254740993}}}`, "", `{}`),
		tool("list", object, `{"type":"array"}`, `[]`),
		tool("large", object, `{"type":"object","title":"`+strings.Repeat("x", 100<<10)+`"}`, `{"a":1}`),
		tool("fits", object, text, `{"a":"not a URI"}`),
		tool("null", object, text, `{"a":null}`),
		tool(long, object, "", `{}`),
		tool("none", `{"type":"string"}`, "", `{}`),
	}, func(text string) { notes = append(notes, text) }); err != nil {
		t.Fatal(err)
	}
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.WithoutCancel(t.Context()), theirs, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close() //nolint:errcheck // it is over
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	outputs := 0
	for _, listed := range list.Tools {
		if len(listed.Name) > 64 {
			t.Errorf("%s is listed", listed.Name)
		}
		if listed.OutputSchema != nil {
			outputs++
		}
	}
	said := strings.Join(notes, "\n")
	if len(list.Tools) != 6 || outputs != 2 || !strings.Contains(said, "the tool odd: inputSchema/properties/n/enum is left out") || !strings.Contains(said, "large: outputSchema is left out") || !strings.Contains(said, "the tool none is left out") || !strings.Contains(said, "it is listed as long_") {
		t.Errorf("%d tools, %d with an outputSchema; notes %q", len(list.Tools), outputs, notes)
	}
	for name, want := range map[string]string{"fits": "", "large": "", "null": "at /a got null, expected string"} {
		res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		first, last := res.Content[0].(*mcp.TextContent).Text, res.Content[len(res.Content)-1].(*mcp.TextContent).Text
		if res.IsError != (want != "") || !strings.HasPrefix(first, `{"a":`) || (res.StructuredContent == nil) != (want != "") || !strings.Contains(last, want) {
			t.Errorf("%s: %+v", name, res)
		}
	}
}
