package cli

import (
	"context"
	"os/exec"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// echoing is the server: its one tool only reads, and returns its arguments.
func echoing() {
	type said struct {
		Text string `json:"text"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in said) (*mcp.CallToolResult, said, error) {
			return nil, in, nil
		})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// large is a server whose tool returns a text of as many bytes as it is asked for, in lines.
func large() {
	type ask struct {
		Bytes int `json:"bytes"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "large", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "text", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in ask) (*mcp.CallToolResult, any, error) {
			const line = "a line of a log, with \"quotes\" and what was done\n"
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat(line, 1+in.Bytes/len(line))}}}, nil, nil
		})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// thin is the thinnest gateway: a server of the SDK whose handler calls a client of it.
func thin() {
	ctx := context.Background()
	to, err := mcp.NewClient(&mcp.Implementation{Name: "thin", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: exec.CommandContext(ctx, "echoing")}, nil)
	if err != nil {
		panic(err)
	}
	tools, err := to.ListTools(ctx, nil)
	if err != nil {
		panic(err)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "thin", Version: "1"}, nil)
	for _, tool := range tools.Tools {
		s.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return to.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	_ = s.Run(ctx, &mcp.StdioTransport{})
	_ = to.Close()
}
