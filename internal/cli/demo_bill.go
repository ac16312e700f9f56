package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// demoFiles is how many files the folder of the demo has.
const demoFiles = 100

// writeNotes makes the folder of the demo.
func writeNotes(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for i := range demoFiles {
		var text strings.Builder
		for line := range 4 + i*37%11 {
			text.WriteString([]string{"Bought the bread.\n", "TODO call the dentist.\n", "The meeting was short.\n"}[(i*i+line*line)%3])
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("note-%03d.txt", i+1)), []byte(text.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A bill is what passes through a model: the calls that it writes, and the replies.
type bill struct{ calls, bytes int }

// add counts a call, as the model writes it, and its reply.
func (b *bill) add(tool string, arguments map[string]any, reply string) {
	said, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err == nil {
		b.bytes += len(said)
	}
	b.calls++
	b.bytes += len(reply)
}

// bytesPerToken is what models' vocabularies have on average for such texts.
const bytesPerToken = 4

func (b *bill) line(way string) string {
	calls := "calls"
	if b.calls == 1 {
		calls = "call "
	}
	return fmt.Sprintf("  %-20s %3d %s %7d bytes, about %5d tokens\n", way, b.calls, calls, b.bytes, b.bytes/bytesPerToken)
}

// oneByOne answers the question of the demo by the tools of the server itself, as a
// model does that has no graph.
func oneByOne(ctx context.Context, server *mcp.Server) (*bill, error) {
	session, err := connectTo(ctx, server)
	if err != nil {
		return nil, err
	}
	defer func() { _ = session.Close() }()
	b := &bill{}
	list, err := b.call(ctx, session, "list_directory", ".")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(list) {
		name := strings.TrimSpace(strings.TrimPrefix(line, "[FILE] "))
		if _, err := b.call(ctx, session, "read_text_file", name); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// call calls a tool with a path, and counts what the call takes.
func (b *bill) call(ctx context.Context, session *mcp.ClientSession, tool, path string) (string, error) {
	arguments := map[string]any{"path": path}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", err
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok || res.IsError {
		return "", fmt.Errorf("%s failed", tool)
	}
	b.add(tool, arguments, text.Text)
	return text.Text, nil
}
