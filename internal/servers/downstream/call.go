package downstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
)

// IdempotencyKey is the key in _meta of a call that holds what a server can tell
// a repeated call by: the same text for the same call of the same run.
const IdempotencyKey = "patchbay/idempotencyKey"

var (
	CodeBadArguments = diag.DefineFault("bad-arguments", diag.FailsAttempt, "the arguments cannot be sent to the server", "correct the expression that computes them")
	codeCallTimeout  = diag.DefineFault("call-timeout", diag.FailsAttempt, "a server did not answer a call within `limits.maxCallTimeMs`", "see whether the server works (`patchbay doctor`), or raise the limit; the call may have taken effect, and is [not repeated without a decision](runs.md#what-is-repeated-and-what-is-not)")
)

// CallTool implements [engine.Caller]. A server that is starting is waited for,
// one that has ended is started again. The error is a [run.CallError]: of ctx's own
// when ctx has ended before the server answered, else of a [diag.Fault]: unknown-server,
// server-starting, server-failed (it is down, or failed during the call), call-timeout,
// unknown-tool, tool-changed (its change waits for a person), call-refused (the server answered with an error), bad-arguments, bad-result.
//
// A call is made once. It is repeated only when it is certain that the server
// did not take it up: its process or its session had ended before.
func (h *Hub) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	return h.callTool(ctx, c, false)
}

// TryTool is CallTool for a tool whose change may wait for a person: to see what its server
// answers by now.
func (h *Hub) TryTool(ctx context.Context, c run.Call) (*run.Result, error) {
	return h.callTool(ctx, c, true)
}

func (h *Hub) callTool(ctx context.Context, c run.Call, try bool) (*run.Result, error) {
	notSent := func(err error) (*run.Result, error) {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: err}
	}
	s, fault := h.server(c.Server)
	if fault != nil {
		return notSent(fault)
	}
	if fault := h.Changed(c.Server, c.Tool); fault != nil && !try {
		return notSent(fault)
	}
	args := bytes.TrimSpace(c.Args)
	if len(args) == 0 || string(args) == "null" {
		args = []byte("{}")
	}
	if args[0] != '{' || !json.Valid(args) {
		f := s.faultf(CodeBadArguments, "the arguments of tool %q of server %q are not a JSON object", c.Tool, c.Server)
		f.Want = "object"
		return notSent(f)
	}
	turn := s.turn(ctx)
	if err := turn.Enter(ctx); err != nil {
		return notSent(err)
	}
	defer turn.End()
	for again := true; ; again = false {
		live, fault := s.session(ctx)
		if fault != nil {
			if err := ctx.Err(); err != nil {
				return notSent(err)
			}
			return notSent(fault)
		}
		if fault := s.lostFault(c.Tool); fault != nil && !try {
			return notSent(fault)
		}
		res, fault, outcome := live.call(ctx, c, args)
		ended := ctx.Err()
		switch {
		case fault == nil:
			return res, nil
		case ended != nil && (outcome == run.CallNotSent || outcome == run.CallUnknown):
			return nil, &run.CallError{Outcome: outcome, Err: ended}
		case again && outcome == run.CallNotSent && fault.Code == diag.CodeServerFailed:
			live.end()
			if s, fault = h.server(c.Server); fault != nil { // which may be another by now
				return notSent(fault)
			}
		default:
			return nil, &run.CallError{Outcome: outcome, Err: fault}
		}
	}
}

// turn is that of a call, of the principal and the request that make it: they take turns
// when a server has as many calls as it may have at the same time.
func (s *supervisor) turn(ctx context.Context) admission.Turn {
	principal, request := admission.From(ctx).Holder()
	return s.turns.Turn(principal, request)
}

// metaCarrier carries the context of a trace in _meta, as the W3C has it in the
// headers of a request.
type metaCarrier mcp.Meta

func (m metaCarrier) Get(key string) string { s, _ := m[key].(string); return s }

func (m metaCarrier) Set(key, value string) { m[key] = value }

func (m metaCarrier) Keys() []string { return slices.Sorted(maps.Keys(m)) }

// call makes one call. After server-failed, a call that was not sent says that the
// session can no longer be used.
func (s *session) call(ctx context.Context, c run.Call, args json.RawMessage) (*run.Result, *diag.Fault, run.CallOutcome) {
	tool := c.Tool
	s.enter()
	defer s.leave()
	ctx, cancel := timelimit.With(ctx, s.CallTimeout, errCallTime)
	defer cancel()
	defer s.inProgress(ctx, c)()
	stop := context.AfterFunc(s.calls, cancel)
	defer stop()
	ctx, taken := transport.WithCapture(ctx)
	params := &mcp.CallToolParams{Name: tool, Arguments: args, Meta: mcp.Meta{}}
	if fault := s.addPassed(c, params); fault != nil {
		return nil, fault, run.CallNotSent
	}
	if c.Idempotency != "" {
		params.Meta[IdempotencyKey] = c.Idempotency
	}
	defer s.followed.Follow(ctx, params.Meta, s.renewal(ctx))()
	propagation.TraceContext{}.Inject(ctx, metaCarrier(params.Meta))
	_, err := s.client.CallTool(ctx, params)
	raw, sent, status := taken.Take()
	if raw != nil {
		return s.result(c, raw)
	}
	if err == nil {
		return nil, s.faultf(diag.CodeBadResult, "tool %q of server %q returned no result", tool, s.Name), run.CallUnknown
	}
	fault, outcome := s.failure(ctx, tool, err, sent, status)
	return nil, fault, outcome
}

// renewal is what a report of progress does to the time of a call, nil for nothing.
func (s *session) renewal(limited context.Context) func() {
	if s.FixedTime {
		return nil
	}
	return func() { timelimit.Renew(limited) }
}

// errCallTime is the cause that ends a call whose time is over.
var errCallTime = errors.New("the time of the call is over")

// showsForms are the capabilities of a call of a run: its person can be asked with a form.
var showsForms = json.RawMessage(`{"elicitation":{"form":{}}}`)

// addPassed adds to the params of a call what the client of a gateway sent with it.
func (s *session) addPassed(c run.Call, params *mcp.CallToolParams) *diag.Fault {
	p := c.Passed
	switch {
	case s.protocol <= legacy:
	case c.Ask != nil && !c.RawOnly:
		params.Meta[mcp.MetaKeyClientCapabilities] = showsForms
	default:
		params.Meta[mcp.MetaKeyClientCapabilities] = struct{}{}
	}
	if p == nil {
		return nil
	}
	maps.Copy(params.Meta, p.Meta)
	params.RequestState = p.RequestState
	if p.Capabilities != nil && s.protocol > legacy {
		params.Meta[mcp.MetaKeyClientCapabilities] = p.Capabilities
	}
	if p.InputResponses == nil {
		return nil
	}
	if err := json.Unmarshal(p.InputResponses, &params.InputResponses); err != nil {
		return s.faultf(CodeBadArguments, "the input responses for tool %q of server %q cannot be read: %s", c.Tool, c.Server, err)
	}
	return nil
}

// failure turns an error of the SDK into a fault.
func (s *session) failure(ctx context.Context, tool string, err error, sent bool, status int) (*diag.Fault, run.CallOutcome) {
	named := fmt.Sprintf("tool %q of server %q", tool, s.Name)
	lost := run.CallUnknown
	if !sent {
		lost = run.CallNotSent
	}
	switch {
	case errors.Is(context.Cause(ctx), errCallTime):
		f := s.faultf(codeCallTimeout, "%s did not answer within %s", named, s.CallTimeout)
		f.Hint = "ask for less at once; the operator sets the bound by " + cmp.Or(s.TimeSetting, "limits.maxCallTimeMs in patchbay.yaml")
		if s.pipe != nil {
			f.Hint = diag.JoinHints(f.Hint, s.pipe.StrayOutput())
			s.hub.goWork(s.checkAlive)
		}
		return f, lost
	case s.wire != nil && s.client.ID() != "" && (errors.Is(err, mcp.ErrSessionMissing) || transport.IsGone(err, status)):
		return s.faultf(diag.CodeServerFailed, "server %q has ended the session", s.Name), run.CallNotSent
	}
	if e, ok := errors.AsType[*transport.UnreadableError](err); ok {
		f := s.faultf(diag.CodeBadResult, "the answer of %s cannot be read: %v", named, e.Reason)
		f.Hint = "this is an error in the server"
		return f, run.CallUnknown
	}
	if e, ok := answered(err); ok {
		return s.refusal(tool, e), run.CallRefused
	}
	if s.wire != nil && status != 0 {
		outcome := run.CallRefused
		if status >= http.StatusInternalServerError { // perhaps of a gateway, after the server got the call
			outcome = run.CallUnknown
		}
		f := s.faultf(diag.CodeCallRefused, "server %q refused the call of tool %q: %s", s.Name, tool, s.wire.LastRefusal())
		if status == http.StatusUnauthorized || status == http.StatusForbidden {
			f.Hint = s.authHint()
		}
		return f, outcome
	}
	if s.alive() && errors.Is(ctx.Err(), context.Canceled) { // the caller has left
		return s.faultf(diag.CodeServerFailed, "the call of %s was cancelled", named), lost
	}
	if s.child != nil || !s.alive() {
		f := s.exitFault()
		f.Message = strings.Replace(f.Message, " failed: ", fmt.Sprintf(" failed during the call of tool %q: ", tool), 1)
		return f, lost
	}
	reason := plainError(err)
	if s.wire != nil {
		reason = strings.ReplaceAll(reason, s.URL, address(s.URL))
	}
	return s.faultf(diag.CodeServerFailed, "server %q failed during the call of tool %q: %s", s.Name, tool, reason), lost
}

// lostFault returns the fault of a tool that the server has listed before and does not list
// any more, nil for any other.
func (s *supervisor) lostFault(tool string) *diag.Fault {
	s.mu.Lock()
	lost := s.lost[tool]
	s.mu.Unlock()
	if !lost {
		return nil
	}
	return s.unlisted(tool)
}

// unlisted returns the fault of a tool that the server does not list, nil for one that it does.
func (s *supervisor) unlisted(tool string) *diag.Fault {
	var names []string
	for _, t := range s.hub.Tools(s.Name) {
		if t.Name == tool {
			return nil
		}
		names = append(names, t.Name)
	}
	f := s.faultf(diag.CodeUnknownTool, "server %q has no tool %q", s.Name, tool)
	f.Got = tool
	f.Suggestions = diag.Closer(tool, names, 3)
	f.Hint = "its tools are " + diag.OneOf(names, 20)
	if len(f.Suggestions) > 0 {
		f.Hint = "did you mean " + f.Suggestions[0] + "?"
	}
	return f
}

// refusal is the fault of a call that the server answered with an error.
func (s *session) refusal(tool string, e *jsonrpc.Error) *diag.Fault {
	if f := s.unlisted(tool); f != nil {
		f.Err = e
		return f
	}
	f := s.faultf(diag.CodeCallRefused, "server %q refused the call of tool %q: %s (code %d)", s.Name, tool, e.Message, e.Code)
	f.Err = e
	return f
}

// result reads what a tool answered.
func (s *session) result(c run.Call, raw json.RawMessage) (*run.Result, *diag.Fault, run.CallOutcome) {
	if c.RawOnly {
		if parts := schema.Read(raw); parts.IsObject() {
			return &run.Result{Raw: raw, IsError: string(parts.Get("isError").Raw()) == "true"}, nil, run.CallUnknown
		}
	}
	out, err := run.ReadResult(raw)
	switch {
	case errors.Is(err, run.ErrAsksForInput) && c.Ask != nil:
		return &run.Result{Raw: raw}, nil, run.CallUnknown
	case errors.Is(err, run.ErrAsksForInput):
		f := s.faultf(diag.CodeBadResult, "tool %q of server %q asks for input from a person, which is not supported", c.Tool, s.Name)
		return nil, f, run.CallRefused
	case err != nil:
		f := s.faultf(diag.CodeBadResult, "tool %q of server %q returned something that is not a tool result: %s", c.Tool, s.Name, err)
		f.Hint = "this is an error in the server"
		return nil, f, run.CallCompleted
	}
	return out, nil, run.CallUnknown
}

// checkAlive ends a session whose server does not answer even a ping after a
// call timed out, so that the next call starts it anew instead of waiting too.
func (s *session) checkAlive() {
	if s.protocol > legacy {
		return // later protocols have no ping
	}
	ctx, cancel := context.WithTimeout(s.calls, 5*time.Second)
	defer cancel()
	if err := s.client.Ping(ctx, nil); err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		s.hub.options.Logger.Warn("server does not answer and is stopped", "server", s.Name)
		s.end()
	}
}
