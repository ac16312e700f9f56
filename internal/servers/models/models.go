// Package models asks the endpoints of models that the operator configured, in the wire
// formats of two APIs: openai is Chat Completions, which most local servers speak too, and
// anthropic is Messages. It knows nothing of graphs and runs. It imports apis
// and run.
package models

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Model is an endpoint that model nodes ask.
type Model struct {
	Name, API   string // of the API: openai or anthropic
	URL, Model  string
	Key         string        // "" sends none
	Concurrency int           // requests at the same time
	Timeout     time.Duration // of one request
	MaxTokens   int           // of a reply
}

// The bounds of a model where the operator sets none.
const (
	DefaultConcurrency = 4
	DefaultTimeout     = 2 * time.Minute
	DefaultTokens      = 4096
)

// MaxReply is how many bytes the reply of an endpoint may have.
const MaxReply = 4 << 20

// tries is how often a request is sent that the endpoint asks to send later.
const tries = 3

// An Endpoint is one configured model. It is safe for concurrent use.
type Endpoint struct {
	Model
	format *format
	client *apis.Client
	slots  chan struct{}

	mu    sync.Mutex
	until time.Time // no request is sent before, as the endpoint has asked

	plain  atomic.Bool // it has no structured output
	tokens atomic.Bool // it bounds replies by max_completion_tokens
}

// New returns the endpoint of a configured model, which is reached by a transport.
func New(m Model, transport http.RoundTripper) *Endpoint {
	client := apis.NewClient(apis.ClientOptions{Transport: transport, Timeout: m.Timeout, MaxBytes: MaxReply})
	return &Endpoint{Model: m, format: formats[m.API], client: client, slots: make(chan struct{}, m.Concurrency)}
}

var (
	codeModelFailed = diag.DefineFault("model-failed", diag.FailsAttempt, "the endpoint of a model did not answer, or not in the form of its API", "`patchbay models test NAME` tries it; check `models` in patchbay.yaml")
	// CodeUnknownModel is for a name that is not configured.
	CodeUnknownModel = diag.DefineFault("unknown-model", diag.FailsNode, "no model of this name is configured", "add it to `models` in patchbay.yaml; `patchbay models list` shows what there is")
)

// Ask asks the model. Where the endpoint says when to ask again, it waits and does. Failed is
// the answer of an endpoint that refused, as {status, headers, body}. The error is a
// [run.CallError].
func (e *Endpoint) Ask(ctx context.Context, r *run.ModelRequest) (reply *run.ModelReply, failed json.RawMessage, status int, err error) {
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
		return nil, nil, 0, &run.CallError{Outcome: run.CallNotSent, Err: context.Cause(ctx)}
	}
	for try := 1; ; try++ {
		e.mu.Lock()
		held := time.Until(e.until)
		e.mu.Unlock()
		if err := timelimit.Sleep(ctx, held); err != nil {
			return nil, nil, 0, &run.CallError{Outcome: run.CallNotSent, Err: err}
		}
		resp, err := e.send(ctx, r)
		if err != nil {
			return nil, nil, 0, err
		}
		switch after := timelimit.RetryAfter(resp.Header.Get("Retry-After"), resp.Header.Get("Date")); {
		case resp.Status/100 == 2:
			reply, ok := e.format.read(resp.Body)
			if !ok {
				return nil, nil, 0, &run.CallError{Outcome: run.CallCompleted, Err: diag.Faultf(codeModelFailed, "the model %q answered, but not in the form of the API %s: %s", e.Name, e.API, apis.Beginning(resp.Body))}
			}
			e.count(r, &reply)
			return &reply, nil, resp.Status, nil
		case resp.Status == http.StatusBadRequest && e.adapt(resp.Body, r), // which sends another form once
			after > 0 && after <= e.Timeout && try < tries && e.hold(after):
			continue
		}
		body := run.JSONOrText(resp.Body)
		if body == nil {
			body = json.RawMessage("null")
		}
		return nil, apis.Answer(resp.Status, resp.Header, body), resp.Status, nil
	}
}

// send sends a request once.
func (e *Endpoint) send(ctx context.Context, r *run.ModelRequest) (*apis.Response, error) {
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	body, err := json.Marshal(e.body(r))
	if err != nil {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: err}
	}
	header := http.Header{"Content-Type": {"application/json"}}
	maps.Copy(header, e.format.header)
	if e.Key != "" {
		header.Set(e.format.key, e.format.before+e.Key)
	}
	url := strings.TrimSuffix(strings.TrimSuffix(e.URL, "/"), e.format.path) + e.format.path
	resp, err := e.client.Do(ctx, &apis.Request{Method: http.MethodPost, URL: url, Header: header, Body: body})
	if err == nil {
		return resp, nil
	}
	outcome := run.CallUnknown
	if !sent.Load() {
		outcome = run.CallNotSent
	}
	if ctx.Err() == nil {
		err = diag.Faultf(codeModelFailed, "the model %q: %w", e.Name, err)
	}
	return nil, &run.CallError{Outcome: outcome, Err: err}
}

// adapt notes what the endpoint does not know of a request, and reports whether another form
// may be known.
func (e *Endpoint) adapt(body []byte, r *run.ModelRequest) bool {
	says := func(word string) bool { return strings.Contains(string(body), word) }
	return says("max_completion_tokens") && !e.tokens.Swap(true) ||
		r.Schema != nil && (says("response_format") || says("json_schema") || says("tool")) && !e.plain.Swap(true)
}

// hold keeps requests of the endpoint from being sent for some time.
func (e *Endpoint) hold(d time.Duration) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if until := time.Now().Add(d); until.After(e.until) {
		e.until = until
	}
	return true
}

// count estimates the tokens of a reply whose endpoint does not report them.
func (e *Endpoint) count(r *run.ModelRequest, reply *run.ModelReply) {
	if reply.Tokens.Sum() > 0 {
		return
	}
	asked, _ := json.Marshal(r)
	reply.Tokens = run.Tokens{Input: run.EstimateTokens(len(asked)), Output: run.EstimateTokens(len(reply.Text) + len(reply.Output)), Estimated: true}
}

// limit is the most tokens that a reply may have.
func (e *Endpoint) limit(r *run.ModelRequest) int {
	return min(cmp.Or(r.MaxTokens, e.MaxTokens), e.MaxTokens)
}
