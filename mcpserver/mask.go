package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A masker masks the operator's secrets in JSON, or in text that is not JSON, and
// escapes what would hide or forge text: see [diag.Visible]. Graphs compute with
// values as they are: this is where they leave. Nil masks no secrets.
type masker func(json.RawMessage) json.RawMessage

func (m masker) text(s string) string { return string(m.json(json.RawMessage(s))) }

func (m masker) json(b json.RawMessage) json.RawMessage {
	if m != nil {
		b = m(b)
	}
	return json.RawMessage(diag.Visible(string(b)))
}

// replies masks what clients are answered.
func (m masker) replies(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	res, err := next(ctx, method, req)
	if err != nil {
		return res, m.err(err)
	}
	switch r := res.(type) {
	case *mcp.CallToolResult:
		return written(req, m.called(r)), nil
	case *taskResult:
		m.task(r)
	case *passedResult:
		if m != nil {
			r.raw = m(r.raw)
		}
	case *mcp.ReadResourceResult:
		for _, c := range r.Contents {
			c.Text = m.text(c.Text)
		}
	}
	return res, nil
}

// requests masks what clients are asked, and what they are notified of.
func (m masker) requests(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	switch p := req.GetParams().(type) {
	case *mcp.ElicitParams:
		m.asked(p)
	case *mcp.ProgressNotificationParams:
		p.Message = m.text(diag.Brief(p.Message))
	}
	return next(ctx, method, req)
}

func (m masker) called(r *mcp.CallToolResult) *mcp.CallToolResult {
	if r == nil {
		return nil
	}
	masked := false
	mask := func(b json.RawMessage) json.RawMessage {
		shown := b
		if m != nil {
			shown = m(b)
			masked = masked || !bytes.Equal(shown, b)
		}
		return json.RawMessage(diag.Visible(string(shown)))
	}
	structured, _ := r.StructuredContent.(json.RawMessage)
	shown := structured
	if structured != nil {
		shown = mask(structured)
		r.StructuredContent = shown
	}
	for _, c := range r.Content {
		t, ok := c.(*mcp.TextContent)
		switch {
		case !ok:
			masked = m.block(c) || masked
		case structured != nil && t.Text == string(structured): // as it is in most replies
			t.Text = string(shown)
		default:
			t.Text = string(mask(json.RawMessage(t.Text)))
		}
	}
	if masked {
		r.Content = append(r.Content, &mcp.TextContent{Text: maskedNote})
	}
	m.questions(r.InputRequests)
	return r
}

// questions masks those that are put to a client.
func (m masker) questions(all mcp.InputRequestMap) {
	for _, ask := range all {
		if p, ok := ask.(*mcp.ElicitParams); ok {
			m.asked(p)
		}
	}
}

// maskedNote tells a model what a masked reply means.
const maskedNote = "*** stands for a secret of the operator's configuration. Graphs compute with its real value."

// asked masks a question.
func (m masker) asked(p *mcp.ElicitParams) {
	p.Message = m.text(diag.Brief(p.Message))
	if schema, ok := p.RequestedSchema.(json.RawMessage); ok {
		p.RequestedSchema = m.json(schema)
	}
}

func (m masker) err(err error) error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		masked := *e
		masked.Message, masked.Data = m.text(diag.Brief(e.Message)), m.json(e.Data)
		if masked.Message == e.Message && string(masked.Data) == string(e.Data) {
			return err
		}
		return &masked
	}
	if text := m.text(diag.Brief(err.Error())); text != err.Error() {
		return errors.New(text)
	}
	return err
}
