package downstream

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/run"
)

// maxAsked is how many questions a server may ask during a call.
const maxAsked = 20

// elicit has a person asked what the server wants to know during a call of a run. The time
// of the call does not count meanwhile. Where no person can be asked the answer is decline;
// it is cancel if the right person to ask is unknown or does not answer in time.
func (s *session) elicit(ctx context.Context, params mcp.Params) (mcp.Result, error) {
	q := s.passed.arrive()
	for {
		c := s.passed.claim(ctx, q)
		if c == nil {
			return &mcp.ElicitResult{Action: "cancel"}, nil
		}
		asking, cancel := context.WithCancel(ctx)
		release := s.passed.attend(q, c, cancel)
		res, err := s.put(asking, c, params)
		moved := asking.Err() != nil && ctx.Err() == nil
		release()
		s.passed.answered(c)
		cancel()
		if err == nil || !moved { // else the call was not the one that asks: it has ended
			return res, err
		}
	}
}

// put puts a question to who can be asked for a call.
func (s *session) put(ctx context.Context, c *inProgress, params mcp.Params) (mcp.Result, error) {
	switch {
	case c.client != nil:
		return c.client.Answer(ctx, "elicitation/create", params)
	case c.asker == nil:
		return &mcp.ElicitResult{Action: "decline"}, nil
	case c.asked > maxAsked:
		return &mcp.ElicitResult{Action: "cancel"}, nil
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	q, err := run.ServerQuestion(s.Name, c.call.Tool, raw)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the question cannot be put to a person: " + err.Error()}
	}
	s.hub.options.Logger.Info("a server asks a person during a call", "server", s.Name, "tool", c.call.Tool)
	answer, err := c.asker.AskDuring(ctx, c.call, q)
	switch {
	case errors.Is(err, run.ErrNobodyAsked):
		return &mcp.ElicitResult{Action: "decline"}, nil
	case err != nil:
		return nil, err
	case answer.Action == "timeout":
		return &mcp.ElicitResult{Action: "cancel"}, nil
	}
	return elicited(answer)
}

// elicited is an answer as the server gets it: with numbers as they are.
func elicited(a *run.Answer) (mcp.Result, error) {
	r := &mcp.ElicitResult{Action: a.Action}
	if a.Action != "accept" {
		return r, nil
	}
	if len(a.Content) == 0 {
		r.Content = map[string]any{}
		return r, nil
	}
	return r, plainjson.Decode(a.Content, &r.Content)
}
