package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

// reporting reports each call of a tool to the log and the audit log of the application.
func reporting(pb *app.App) step {
	return func(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
		if method != "tools/call" {
			return next(ctx, method, req)
		}
		began := time.Now()
		res, err := next(ctx, method, req)
		r := execution.Request{Took: time.Since(began), Outcome: "ok"}
		if pb.Reports.Wants(r.Took) {
			describe(&r, req, res, err)
			pb.Reports.Request(ctx, r)
		}
		return res, err
	}
}

// describe says what was called, how large it was and what came of it.
func describe(r *execution.Request, req mcp.Request, res mcp.Result, err error) {
	if s := req.GetSession(); s != nil {
		r.Session = s.ID()
	}
	r.Tool = unknownTool
	if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && p != nil {
		if r.Sent = len(p.Arguments); err == nil {
			r.Tool = p.Name
		}
	}
	if err != nil {
		r.Outcome = "refused"
		return
	}
	var body []byte
	failed := false
	switch res := res.(type) {
	case *passedResult:
		body, failed = res.raw, res.IsError
	case *mcp.CallToolResult:
		structured, _ := res.StructuredContent.(json.RawMessage)
		body, failed = structured, res.IsError
		if structured == nil {
			for _, c := range res.Content {
				if t, ok := c.(*mcp.TextContent); ok {
					body = append(body, t.Text...)
				}
			}
		}
	}
	r.Received = len(body)
	var said struct {
		Run   string `json:"run_id"`
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &said) // what is not there is not said
	r.Run = said.Run
	if failed {
		if r.Outcome = said.Error.Code; r.Outcome == "" {
			r.Outcome = engine.CodeToolFailed
		}
	}
}
