package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/run"
)

// A gatewayAsker asks the person at the client of a gateway, during its call.
type gatewayAsker struct {
	pb     *App
	client GatewayClient
}

// Ask implements [run.Asker].
func (g gatewayAsker) Ask(ctx context.Context, _ run.Call, q run.Question) (*run.Answer, error) {
	res, err := g.client.Answer(ctx, "elicitation/create", &mcp.ElicitParams{Mode: "form", Message: q.Message, RequestedSchema: q.Schema})
	if err != nil {
		return nil, err
	}
	e, ok := res.(*mcp.ElicitResult)
	if !ok {
		return nil, fmt.Errorf("the client answered a question with %T", res)
	}
	answer := &run.Answer{Action: e.Action}
	if e.Content != nil {
		answer.Content, err = json.Marshal(e.Content)
	}
	if err == nil && q.Beyond != nil && answer.Allows() == run.AllowSession {
		if fault := g.pb.permitBeyond(*q.Beyond, run.AllowSession); fault != nil {
			return nil, fault
		}
	}
	return answer, err
}
