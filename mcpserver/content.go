package mcpserver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
)

// carry adds the content blocks in the value of a reply to it. Its text says where they
// are instead of repeating them; the structured content is as without blocks.
func carry(ctx context.Context, res *mcp.CallToolResult, out any) error {
	r, ok := out.(reply.ContentReply)
	if !ok {
		return nil
	}
	content := r.Content()
	if content == nil {
		return nil
	}
	b, err := plainjson.Marshal(r.Brief())
	if err != nil {
		return err
	}
	res.Content = blocks(string(bounded(ctx, b)), content)
	return nil
}

// blocks are the content of a reply: a text, and the blocks in their order. One that the
// protocol does not allow is an empty text, so that the others stay where the text says.
func blocks(text string, content *reply.Content) []mcp.Content {
	all := []mcp.Content{&mcp.TextContent{Text: text}}
	for _, raw := range content.Blocks {
		var read mcp.CallToolResult
		list, _ := json.Marshal(map[string]any{"content": []json.RawMessage{raw}})
		if json.Unmarshal(list, &read) != nil || len(read.Content) != 1 {
			read.Content = []mcp.Content{&mcp.TextContent{}}
		}
		all = append(all, read.Content[0])
	}
	return all
}

// block masks a content block that is not text, also what its base64 stands for, and
// reports whether something was masked.
func (m masker) block(c mcp.Content) (masked bool) {
	if m == nil {
		return false
	}
	bytes := func(b *[]byte) {
		if shown := m(*b); !slices.Equal(shown, *b) {
			*b, masked = shown, true
		}
	}
	texts := func(all ...*string) {
		for _, s := range all {
			if shown := string(m(json.RawMessage(*s))); shown != *s {
				*s, masked = shown, true
			}
		}
	}
	switch c := c.(type) {
	case *mcp.ImageContent:
		bytes(&c.Data)
		texts(&c.MIMEType)
	case *mcp.AudioContent:
		bytes(&c.Data)
		texts(&c.MIMEType)
	case *mcp.EmbeddedResource:
		if r := c.Resource; r != nil {
			bytes(&r.Blob)
			texts(&r.URI, &r.MIMEType, &r.Text)
		}
	case *mcp.ResourceLink:
		texts(&c.URI, &c.Name, &c.Title, &c.Description, &c.MIMEType)
	}
	return masked
}
