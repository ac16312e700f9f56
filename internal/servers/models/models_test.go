package models_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/models"
	"github.com/patchbay-mcp/patchbay/internal/tests/modeltest"
	"github.com/patchbay-mcp/patchbay/run"
)

var apis = []string{"openai", "anthropic"}

// serve starts an endpoint that answers as it is told, and returns what asks it.
func serve(t *testing.T, api string, timeout time.Duration, answer func(n int, r modeltest.Request) modeltest.Reply) (*models.Endpoint, *modeltest.Endpoint) {
	t.Helper()
	e := &modeltest.Endpoint{Answer: answer}
	s := httptest.NewServer(e)
	t.Cleanup(s.Close)
	client := egress.New(nil)
	t.Cleanup(client.Close)
	return models.New(models.Model{Name: "m", API: api, URL: s.URL + "/v1", Model: "test", Key: "k-1", Concurrency: 2, Timeout: timeout, MaxTokens: 100}, client.APITransport(s.URL)), e
}

func always(r modeltest.Reply) func(int, modeltest.Request) modeltest.Reply {
	return func(int, modeltest.Request) modeltest.Reply { return r }
}

func asks(text, schema string) *run.ModelRequest {
	r := &run.ModelRequest{Messages: []run.ModelMessage{
		{Role: "system", Content: []run.ModelBlock{{Type: "text", Text: "Be brief."}}},
		{Role: "user", Content: []run.ModelBlock{{Type: "text", Text: text}, {Type: "image", Data: "aGk=", MIMEType: "image/png"}}},
	}}
	if schema != "" {
		r.Schema = json.RawMessage(schema)
	}
	return r
}

const object = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`

func TestReplies(t *testing.T) {
	tests := map[string]struct {
		schema string
		reply  modeltest.Reply
		want   run.ModelReply
	}{
		"text":             {"", modeltest.Reply{Text: "yes", In: 7, Out: 2}, run.ModelReply{Text: "yes", Model: "test-2026-01", Tokens: run.Tokens{Input: 7, Output: 2}}},
		"an object":        {object, modeltest.Reply{Text: `{"n":1}`, In: 7, Out: 2}, run.ModelReply{Text: `{"n":1}`, Model: "test-2026-01", Tokens: run.Tokens{Input: 7, Output: 2}}},
		"a list":           {`{"type":"array"}`, modeltest.Reply{Text: `[1,2]`, In: 1, Out: 1}, run.ModelReply{Text: `[1,2]`, Model: "test-2026-01", Tokens: run.Tokens{Input: 1, Output: 1}}},
		"a refusal":        {"", modeltest.Reply{Refusal: "I will not.", In: 7, Out: 2}, run.ModelReply{Refusal: "I will not.", Model: "test-2026-01", Tokens: run.Tokens{Input: 7, Output: 2}}},
		"a cut reply":      {"", modeltest.Reply{Text: "ye", Cut: true, In: 7, Out: 2}, run.ModelReply{Text: "ye", Cut: true, Model: "test-2026-01", Tokens: run.Tokens{Input: 7, Output: 2}}},
		"no endless usage": {"", modeltest.Reply{Text: "yes!"}, run.ModelReply{Text: "yes!", Model: "test-2026-01", Tokens: run.Tokens{Output: 2, Estimated: true}}},
	}
	for name, tt := range tests {
		for _, api := range apis {
			t.Run(name+" of "+api, func(t *testing.T) {
				e, server := serve(t, api, time.Minute, always(tt.reply))
				got, failed, _, err := e.Ask(t.Context(), asks("How many?", tt.schema))
				if err != nil || failed != nil {
					t.Fatal(string(failed), err)
				}
				r := server.Requests()[0]
				if r.API != api || r.Prompt != "Be brief.\nHow many?" || r.Images != 1 || r.Schema != (tt.schema != "") {
					t.Errorf("asked %+v", r)
				}
				if auth := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key"); !strings.HasSuffix(auth, "k-1") {
					t.Errorf("the key was not sent: %q", auth)
				}
				if tt.schema != "" {
					if string(got.JSON()) != tt.reply.Text {
						t.Errorf("got %s, want %s", got.JSON(), tt.reply.Text)
					}
					return
				}
				if api == "anthropic" && tt.reply.Refusal != "" {
					got.Text = ""
				}
				if tt.want.Tokens.Estimated {
					if got.Tokens.Input < 20 {
						t.Errorf("the estimate is %+v", got.Tokens)
					}
					got.Tokens.Input = 0
				}
				if a, b := show(*got), show(tt.want); a != b {
					t.Errorf("got %s, want %s", a, b)
				}
			})
		}
	}
}

func show(v any) string { b, _ := json.Marshal(v); return string(b) }

func TestErrors(t *testing.T) {
	tests := map[string]struct {
		reply   modeltest.Reply
		status  string // what the answer has
		message string
		outcome run.CallOutcome
	}{
		"too many requests":  {modeltest.Reply{Status: 429}, `"status":429`, "", 0},
		"a failure":          {modeltest.Reply{Status: 500}, `"status":500`, "", 0},
		"a page":             {modeltest.Reply{Raw: "<html>hello"}, "", "not in the form of the API", run.CallCompleted},
		"a wrong type":       {modeltest.Reply{Raw: `{"choices":1,"content":2,"type":"message"}`}, "", "not in the form of the API", run.CallCompleted},
		"an error in a page": {modeltest.Reply{Status: 403, Raw: "<html>"}, `"status":403`, "", 0},
		"a huge reply":       {modeltest.Reply{Raw: strings.Repeat(" ", models.MaxReply+1)}, "", "more than 4 MiB", run.CallUnknown},
	}
	for name, tt := range tests {
		for _, api := range apis {
			t.Run(name+" of "+api, func(t *testing.T) {
				e, server := serve(t, api, time.Minute, always(tt.reply))
				_, failed, _, err := e.Ask(t.Context(), asks("?", ""))
				if !strings.Contains(string(failed), tt.status) || (err != nil) != (tt.message != "") {
					t.Fatal(string(failed), err)
				}
				if err != nil && (!strings.Contains(err.Error(), tt.message) || run.OutcomeOf(err) != tt.outcome) {
					t.Errorf("got %v, outcome %d", err, run.OutcomeOf(err))
				}
				if len(server.Requests()) != 1 {
					t.Errorf("asked %d times", len(server.Requests()))
				}
			})
		}
	}
}

func TestSlowEndpoint(t *testing.T) {
	e, _ := serve(t, "openai", 20*time.Millisecond, always(modeltest.Reply{Hang: make(chan struct{})}))
	if _, _, _, err := e.Ask(t.Context(), asks("?", "")); err == nil || !strings.Contains(err.Error(), "did not answer within 20ms") || run.OutcomeOf(err) != run.CallUnknown {
		t.Error(err)
	}
}

func TestNobodyAnswers(t *testing.T) {
	client := egress.New(nil)
	defer client.Close()
	e := models.New(models.Model{Name: "m", API: "openai", URL: "http://127.0.0.1:1", Concurrency: 1, Timeout: time.Minute}, client.APITransport("http://127.0.0.1:1"))
	if _, _, _, err := e.Ask(t.Context(), asks("?", "")); run.OutcomeOf(err) != run.CallNotSent {
		t.Error(err)
	}
}

func TestRetryAfterIsHeeded(t *testing.T) {
	e, server := serve(t, "openai", time.Minute, func(n int, _ modeltest.Request) modeltest.Reply {
		if n == 1 {
			return modeltest.Reply{Status: 429, Header: map[string]string{"Retry-After": "1"}}
		}
		return modeltest.Reply{Text: "ok"}
	})
	started := time.Now()
	reply, failed, _, err := e.Ask(t.Context(), asks("?", ""))
	if err != nil || failed != nil || reply.Text != "ok" || len(server.Requests()) != 2 || time.Since(started) < time.Second {
		t.Error(reply, string(failed), err, len(server.Requests()), time.Since(started))
	}
}

// TestOtherForms: an endpoint that does not know a field is asked without it, from then on.
func TestOtherForms(t *testing.T) {
	for _, api := range apis {
		e, server := serve(t, api, time.Minute, always(modeltest.Reply{Text: "```json\n{\"n\":1}\n```", Unstruct: true}))
		for range 2 {
			if got, failed, _, err := e.Ask(t.Context(), asks("?", object)); err != nil || failed != nil || string(got.JSON()) != `{"n":1}` {
				t.Fatal(string(failed), err)
			}
		}
		if rs := server.Requests(); len(rs) != 3 || !strings.Contains(rs[2].Prompt, `"required":["n"]`) {
			t.Errorf("%s: %d requests, the last %q", api, len(rs), rs[len(rs)-1].Prompt)
		}
	}
	e, server := serve(t, "openai", time.Minute, func(_ int, r modeltest.Request) modeltest.Reply {
		if r.Body["max_completion_tokens"] == nil {
			return modeltest.Reply{Status: 400, Raw: `{"error":{"message":"use 'max_completion_tokens' instead"}}`}
		}
		return modeltest.Reply{Text: "ok"}
	})
	if got, failed, _, err := e.Ask(t.Context(), asks("?", "")); err != nil || failed != nil || got.Text != "ok" || len(server.Requests()) != 2 {
		t.Error(got, string(failed), err)
	}
}

// TestConcurrency: no more requests are open at the same time than the operator says, and who
// stops waiting has sent nothing.
func TestConcurrency(t *testing.T) {
	open, free := make(chan struct{}, 10), make(chan struct{})
	e, server := serve(t, "openai", time.Minute, func(int, modeltest.Request) modeltest.Reply {
		open <- struct{}{}
		return modeltest.Reply{Hang: free}
	})
	var done atomic.Int32
	ended := make(chan struct{})
	for range 2 {
		go func() { _, _, _, _ = e.Ask(t.Context(), asks("?", "")); done.Add(1); ended <- struct{}{} }()
	}
	<-open
	<-open
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := e.Ask(ctx, asks("?", "")); !errors.Is(err, context.Canceled) || run.OutcomeOf(err) != run.CallNotSent {
		t.Error(err)
	}
	close(free)
	<-ended
	<-ended
	if len(server.Requests()) != 2 {
		t.Errorf("%d requests", len(server.Requests()))
	}
}
