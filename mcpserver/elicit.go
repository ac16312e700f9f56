package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/run"
)

// multiRoundTrip is the first protocol version in which a server answers a call
// with what it wants to know, and the client calls again with the answers. Before,
// the server asks during the call.
const multiRoundTrip = "2026-07-28"

// maxQuestions bounds how many questions one call may put: a graph can ask in a
// loop.
const maxQuestions = 100

// asker puts the questions of a run to the person at the client.
type asker struct {
	pb      *app.App
	req     *mcp.CallToolRequest
	onEvent func(run.Event) // reports the progress of the call; may be nil
}

func newAsker(ctx context.Context, pb *app.App, req *mcp.CallToolRequest) asker {
	return asker{pb, req, onProgress(ctx, req)}
}

// begin runs a graph, or resumes the run whose questions this call answers.
func (a asker) begin(ctx context.Context, start func() (*app.RunResult, *diag.Fault)) (*app.RunResult, *diag.Fault) {
	p := a.req.Params
	if p.RequestState == "" || len(p.InputResponses) == 0 {
		return start()
	}
	var last *app.RunResult
	for _, step := range slices.Sorted(maps.Keys(p.InputResponses)) {
		answer, ok := p.InputResponses[step].(*mcp.ElicitResult)
		if !ok {
			continue
		}
		r, fault := a.answer(ctx, p.RequestState, step, answer)
		if fault != nil {
			return nil, fault
		}
		last = r
	}
	if last == nil {
		return start()
	}
	return last, nil
}

func (a asker) answer(ctx context.Context, id, step string, e *mcp.ElicitResult) (*app.RunResult, *diag.Fault) {
	in := app.AnswerInput{RunID: id, Step: step, Action: e.Action, OnEvent: a.onEvent}
	if e.Content != nil {
		content, err := json.Marshal(e.Content)
		if err != nil {
			return nil, diag.Faultf("bad-argument", "the answer is not JSON: %w", err)
		}
		in.Content = content
	}
	return a.pb.Answer(ctx, in)
}

// A conversation is a run's result, or what the client is to answer first.
type conversation struct {
	*app.RunResult
	required *mcp.CallToolResult
}

func (c *conversation) asks() *mcp.CallToolResult { return c.required }

// converse runs, and asks for as long as the run wants to know something and the
// client can show a form.
func (a asker) converse(ctx context.Context, start func() (*app.RunResult, *diag.Fault)) (*conversation, *diag.Fault) {
	r, fault := a.begin(ctx, start)
	if fault != nil {
		return nil, fault
	}
	init := a.req.Session.InitializeParams()
	if init == nil || init.Capabilities == nil || init.Capabilities.Elicitation == nil {
		return &conversation{RunResult: r}, nil
	}
	if init.ProtocolVersion >= multiRoundTrip {
		return &conversation{r, required(r)}, nil
	}
	for range maxQuestions {
		if len(r.Asks) == 0 {
			break
		}
		ask := r.Asks[0]
		e, err := a.req.Session.Elicit(ctx, form(ask))
		if err != nil {
			break // the client cannot after all: the run waits for somebody else
		}
		if r, fault = a.answer(ctx, r.RunID, ask.Step, e); fault != nil {
			return nil, fault
		}
	}
	return &conversation{RunResult: r}, nil
}

// required is the reply that asks a client of the newer protocol, or nil.
func required(r *app.RunResult) *mcp.CallToolResult {
	if len(r.Asks) == 0 {
		return nil
	}
	requests := mcp.InputRequestMap{}
	for _, ask := range r.Asks {
		requests[ask.Step] = form(ask)
	}
	return &mcp.CallToolResult{InputRequests: requests, RequestState: r.RunID}
}

func form(ask app.Ask) *mcp.ElicitParams {
	schema := ask.Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return &mcp.ElicitParams{Mode: "form", Message: ask.Message, RequestedSchema: schema}
}
