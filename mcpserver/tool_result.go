package mcpserver

import (
	"bytes"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A writtenResult is the result of the call of a tool that writes itself, byte for byte as
// the SDK does. The SDK encodes each part of a result on its own and checks it again in the
// whole, which takes several times as long.
type writtenResult struct{ *mcp.CallToolResult }

// MarshalJSON returns the result as the SDK writes it. Whatever is unusual is left to the
// SDK.
func (r writtenResult) MarshalJSON() ([]byte, error) {
	if b, ok := r.write(); ok {
		return b, nil
	}
	return r.CallToolResult.MarshalJSON()
}

// write writes texts and structured content that is JSON already.
func (r writtenResult) write() ([]byte, bool) {
	structured, ok := r.StructuredContent.(json.RawMessage)
	if !ok && r.StructuredContent != nil || ok && len(structured) == 0 {
		return nil, false
	}
	if r.Meta != nil || r.Content == nil || r.InputRequests != nil || r.RequestState != "" {
		return nil, false
	}
	var b bytes.Buffer
	b.Grow(2*len(structured) + len(structured)/4 + 128)
	b.WriteString(`{"content":[`)
	for i, c := range r.Content {
		t, ok := c.(*mcp.TextContent)
		if !ok || t.Meta != nil || t.Annotations != nil {
			return nil, false
		}
		text, err := json.Marshal(t.Text)
		if err != nil {
			return nil, false
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"type":"text","text":`)
		b.Write(text)
		b.WriteByte('}')
	}
	b.WriteByte(']')
	if structured != nil {
		b.WriteString(`,"structuredContent":`)
		json.HTMLEscape(&b, structured)
	}
	if r.IsError {
		b.WriteString(`,"isError":true`)
	}
	b.WriteByte('}')
	return b.Bytes(), true
}

// written lets the results of calls write themselves, where the protocol of the client adds
// nothing to them.
func written(req mcp.Request, r *mcp.CallToolResult) mcp.Result {
	if p := opened(req); r == nil || p == nil || p.ProtocolVersion >= multiRoundTrip {
		return r
	}
	return writtenResult{r}
}
