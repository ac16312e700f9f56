package mcpserver

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
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
	pb     *app.App
	req    *mcp.CallToolRequest
	states states
	run    string // whose questions the call answers, or ""
	trace  string // what the reply shows of the run, as the call says
}

// newAsker returns what asks on behalf of a call. An error is the call's: its state is
// not one of ours.
func newAsker(pb *app.App, states states, req *mcp.CallToolRequest) (asker, error) {
	id, err := states.open(principal(req), req.Params)
	return asker{pb: pb, req: req, states: states, run: id}, err
}

// begin runs a graph, or continues the run whose questions this call answers. A call
// with a state starts nothing: without an answer it gets the questions again.
func (a asker) begin(ctx context.Context, start func() (*execution.RunResult, *diag.Fault)) (*execution.RunResult, *diag.Fault) {
	if a.run == "" {
		return start()
	}
	r, fault := a.pb.Tasks.State(ctx, a.run, a.trace)
	if fault != nil {
		return nil, fault
	}
	for _, ask := range r.Asks {
		answer, ok := a.req.Params.InputResponses[ask.Step].(*mcp.ElicitResult)
		if !ok || undecided(ask, answer) {
			continue
		}
		r, fault = a.answer(ctx, a.run, ask.Step, answer)
		if execution.CameLate(fault) {
			r, fault = a.pb.Tasks.State(ctx, a.run, a.trace)
		}
		if fault != nil || r.Status == string(run.Running) && len(r.Asks) == 0 {
			break
		}
	}
	if fault == nil && r.Status == string(run.Running) && len(r.Asks) == 0 {
		return a.pb.Tasks.Follow(ctx, a.run, a.trace, nil)
	}
	return r, fault
}

func (a asker) answer(ctx context.Context, id, step string, e *mcp.ElicitResult) (*execution.RunResult, *diag.Fault) {
	in := execution.AnswerInput{RunID: id, Step: step, Action: e.Action, Trace: a.trace}
	if e.Content != nil {
		content, err := json.Marshal(e.Content)
		if err != nil {
			return nil, diag.Faultf(diag.CodeBadArgument, "the answer is not JSON: %w", err)
		}
		in.Content = content
	}
	return a.pb.Answer(ctx, in)
}

// A conversation is a run's result, or what the client is to answer first.
type conversation struct {
	*execution.RunResult
	required *mcp.CallToolResult
}

func (c *conversation) asks() *mcp.CallToolResult { return c.required }

// converse runs, and asks for as long as the run wants to know something and the
// client can show a form.
func (a asker) converse(ctx context.Context, start func() (*execution.RunResult, *diag.Fault)) (*conversation, *diag.Fault) {
	r, fault := a.begin(ctx, start)
	if fault != nil {
		return nil, fault
	}
	init := a.req.Session.InitializeParams()
	if init == nil || !showsForms(init.Capabilities) || slices.ContainsFunc(r.Asks, tooLarge) || slices.ContainsFunc(r.Asks, a.undecided) {
		return &conversation{RunResult: r}, nil
	}
	if init.ProtocolVersion >= multiRoundTrip {
		return &conversation{r, a.required(r)}, nil
	}
	for range maxQuestions {
		if len(r.Asks) == 0 {
			break
		}
		ask := r.Asks[0]
		e, err := a.req.Session.Elicit(ctx, form(ask))
		if err != nil || undecided(ask, e) {
			break // the client cannot after all: the run waits for somebody else
		}
		id := r.RunID
		if r, fault = a.answer(ctx, id, ask.Step, e); execution.CameLate(fault) {
			r, fault = a.pb.Tasks.Follow(ctx, id, a.trace, nil)
		}
		if fault != nil {
			return nil, fault
		}
	}
	return &conversation{RunResult: r}, nil
}

// undecided reports whether a client has closed the question whether a tool may be called. One
// without a terminal does so by itself: nothing says that a person has seen the question.
func undecided(ask execution.Ask, e *mcp.ElicitResult) bool {
	return ask.Permits != "" && e.Action == "cancel"
}

// undecided reports whether the call has such an answer to a question.
func (a asker) undecided(ask execution.Ask) bool {
	e, ok := a.req.Params.InputResponses[ask.Step].(*mcp.ElicitResult)
	return ok && undecided(ask, e)
}

// showsForms reports whether a client can ask a person with a form. One that names no
// mode of elicitation can.
func showsForms(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// required is the reply that asks a client of the newer protocol, or nil.
func (a asker) required(r *execution.RunResult) *mcp.CallToolResult {
	if len(r.Asks) == 0 {
		return nil
	}
	requests := mcp.InputRequestMap{}
	for _, ask := range r.Asks[:min(len(r.Asks), maxQuestions)] {
		requests[ask.Step] = form(ask)
	}
	return &mcp.CallToolResult{InputRequests: requests, RequestState: a.states.seal(r.RunID, principal(a.req), a.req.Params)}
}

// tooLarge reports whether a form is too large to be sent.
func tooLarge(ask execution.Ask) bool { return len(ask.Schema)+len(ask.Step) > MaxReply }

func form(ask execution.Ask) *mcp.ElicitParams {
	schema := ask.AtClient().Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return &mcp.ElicitParams{Mode: "form", Message: ask.Message, RequestedSchema: schema}
}

// states makes the requestState of questions: the run that asks, encrypted for the
// call that may answer. Clients cannot read it, change it, or use it in a call of
// another tool, with other arguments or for another principal. It is valid as long
// as the process lives.
type states struct{ aead cipher.AEAD }

func newStates() states {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has a legal length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // AES has the block size of GCM
	}
	return states{aead}
}

// seal returns a state for the call of a principal, which differs each time.
func (s states) seal(run, principal string, p *mcp.CallToolParamsRaw) string {
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, []byte(run), callDigest(principal, p)))
}

// open returns the run of the state that the call of a principal has, "" if it has none. A
// state that was not made for this call is an error of the protocol.
func (s states) open(principal string, p *mcp.CallToolParamsRaw) (run string, err error) {
	if p.RequestState == "" {
		return "", nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(p.RequestState)
	if err == nil {
		var text []byte
		if text, err = s.aead.Open(nil, nil, sealed, callDigest(principal, p)); err == nil {
			return string(text), nil
		}
	}
	return "", invalidParams("the requestState was not made for this call by this server: call again without it")
}

// callDigest identifies a call, whatever the order of the keys in its arguments.
func callDigest(principal string, p *mcp.CallToolParamsRaw) []byte {
	args := []byte(p.Arguments)
	var v any
	if plainjson.Decode(args, &v) == nil {
		args, _ = json.Marshal(v)
	}
	id, _ := json.Marshal([]string{principal, p.Name, string(args)})
	return id
}
