package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

const post = `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: http, method: POST, url: "https://example.org", responseSchema: {type: object}, next: exit}
  - {id: exit, type: exit}
`

// reply is what one call of a test gives.
type reply struct {
	res *run.Result
	err error
}

func callError(outcome run.CallOutcome) reply {
	return reply{err: &run.CallError{Outcome: outcome, Err: errors.New("it failed")}}
}

// TestRetryOfAStepWhoseCallFailed retries without a step after each way in which the step
// of a call that is not repeatable can fail.
func TestRetryOfAStepWhoseCallFailed(t *testing.T) {
	const again, unknown, completed = "is called again", "is unknown", "has completed"
	large := json.RawMessage(`{"text":"` + strings.Repeat("x", 2000) + `"}`)
	for name, test := range map[string]struct {
		reply
		code string // of the fault of the first attempt
		want string
		says string // in the question
		src  string
	}{
		"not sent":               {callError(run.CallNotSent), "node-failed", again, "", ""},
		"refused":                {callError(run.CallRefused), "node-failed", again, "", ""},
		"the tool's error":       {reply{res: &run.Result{IsError: true}}, "tool-failed", again, "", ""},
		"any other error":        {reply{err: errors.New("EOF")}, "node-failed", unknown, "EOF", ""},
		"a gateway's error":      {reply{res: &run.Result{IsError: true, Unknown: true, Structured: json.RawMessage(`{"status":504,"headers":{},"body":null}`)}}, "http-status", unknown, "504", post},
		"unusable result":        {callError(run.CallCompleted), "node-failed", completed, "it failed", ""},
		"too large":              {reply{res: &run.Result{Structured: large}}, "too-large", completed, `is 2012 bytes of JSON, larger than the limit of 1000 bytes (maxResultBytes)`, ""},
		"unreadable content":     {reply{res: &run.Result{Content: []json.RawMessage{json.RawMessage(`{`)}}}, "bad-result", completed, "cannot be read", ""},
		"against responseSchema": {reply{res: &run.Result{Structured: json.RawMessage(`{"status":200,"headers":{},"body":[]}`)}}, "invalid-response", completed, "responseSchema", post},
	} {
		t.Run(name, func(t *testing.T) {
			journals(t, func(t *testing.T, o local.Options) {
				calls := 0
				server := callerFunc(func(context.Context, run.Call) (*run.Result, error) {
					if calls++; calls > 1 {
						return &run.Result{Structured: json.RawMessage(`{"status":200,"headers":{},"body":{}}`)}, nil
					}
					return test.res, test.err
				})
				src := test.src
				if src == "" {
					src = callGraphOf("send")
				}
				plan := compile(t, src, engine.Env{})
				o.Limits.MaxResultBytes = 1000
				rec := local.Run(t.Context(), plan, server, json.RawMessage(`{}`), o)
				if rec.Status != run.Failed || rec.Fault.Code != test.code {
					t.Fatalf("%s %v", rec.Status, rec.Fault)
				}
				if doubt := rec.InDoubt(); len(doubt) > 0 != (test.want != again) {
					t.Fatalf("in doubt: %+v", doubt)
				}
				rec = resumed(t, plan, server, rec, run.Decision{Do: "retry"}, o)
				if test.want == again {
					if rec.Status != run.Succeeded || calls != 2 {
						t.Errorf("%s %v after %d calls", rec.Status, rec.Fault, calls)
					}
					return
				}
				was := run.CallOf(rec.Fault)
				if rec.Fault == nil || rec.Fault.Code != run.OutcomeUnknown || calls != 1 || was.Step != "call#0" || was.Idempotency == "" || was.Completed != (test.want == completed) {
					t.Fatalf("%+v after %d calls, call %+v", rec.Fault, calls, was)
				}
				if !strings.Contains(rec.Fault.Message, test.says) || !strings.Contains(rec.Fault.Message, was.Tool) || strings.Contains(rec.Fault.Message, "was completed") != was.Completed {
					t.Errorf("the question is %q, want %q in it", rec.Fault.Message, test.says)
				}
				if fault := copied(rec).Decide(run.Decision{Do: "retry"}, time.Now()); fault == nil || fault.Code != "which-step" {
					t.Errorf("retry without a step: %v", fault)
				}
				pinned := resumed(t, plan, server, copied(rec), run.Decision{Do: "pin", Step: "call#0", Pin: expr.Value("p")}, o)
				skipped := resumed(t, plan, server, copied(rec), run.Decision{Do: "skip", Step: "call#0"}, o)
				if pinned.Status != run.Succeeded || pinned.Result != "p" || skipped.Status != run.Succeeded || calls != 1 {
					t.Errorf("pin %s %v, skip %s %v after %d calls", pinned.Status, pinned.Fault, skipped.Status, skipped.Fault, calls)
				}
				rec = resumed(t, plan, server, rec, run.Decision{Do: "retry", Step: "call#0"}, o)
				if rec.Status != run.Succeeded || calls != 2 {
					t.Errorf("retry of the step: %s %v after %d calls", rec.Status, rec.Fault, calls)
				}
			})
		})
	}
}

// A call that was cancelled because another was refused was not refused itself: what it
// returns wraps the error of the other.
func TestACancelledCallIsNotRefused(t *testing.T) {
	sending := make(chan struct{})
	server := callerFunc(func(ctx context.Context, c run.Call) (*run.Result, error) {
		if c.Tool == "right" {
			<-sending
			return nil, errDown
		}
		close(sending)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	rec := local.Run(t.Context(), compile(t, twoCalls, engine.Env{}), server, nil, local.Options{})
	if doubt := rec.InDoubt(); rec.Fault == nil || rec.Fault.Node != "right" || len(doubt) != 1 || doubt[0].Step != "fork#0/left/left#0" {
		t.Errorf("%v, in doubt %+v", rec.Fault, doubt)
	}
}

// A call that was waiting for its server when the run was cancelled is made when the
// run is resumed.
func TestResumeAfterACallThatWaitedForItsServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	server := callerFunc(func(ctx context.Context, c run.Call) (*run.Result, error) {
		if calls++; calls == 1 {
			cancel()
			return nil, &run.CallError{Outcome: run.CallNotSent, Err: ctx.Err()}
		}
		return &run.Result{Structured: c.Args}, nil
	})
	plan := compile(t, callGraphOf("send"), engine.Env{})
	rec := local.Run(ctx, plan, server, nil, local.Options{})
	if rec.Status != run.Cancelled || len(rec.InDoubt()) > 0 {
		t.Fatalf("%s %v, in doubt %+v", rec.Status, rec.Fault, rec.InDoubt())
	}
	rec = resumed(t, plan, server, rec, run.Decision{Do: "retry"}, local.Options{})
	if rec.Status != run.Succeeded || calls != 2 {
		t.Errorf("%s %v after %d calls", rec.Status, rec.Fault, calls)
	}
}

// What the author wrote for a failure holds after a call of unknown outcome too: its
// onError, and the retry of a graph.
func TestTheAuthorDecidesAboutAFailedCall(t *testing.T) {
	inner := compile(t, callGraphOf("send"), engine.Env{})
	for name, node := range map[string]string{
		"onError":          "{id: call, type: mcp, server: s, tool: send, args: {}, onError: exit, next: exit}",
		"retry of a graph": "{id: call, type: graph, graph: inner, args: {}, retry: {maxAttempts: 2, initialMs: 0, unsafe: true}, next: exit}",
	} {
		server := &counted{reply: func(_ context.Context, _ string, nth int) error {
			if nth == 1 {
				return errors.New("EOF")
			}
			return nil
		}}
		plan := compile(t, "nodes:\n  - {id: entry, type: entry, next: call}\n  - "+node+"\n  - {id: exit, type: exit}\n", engine.Env{Graphs: library{"inner": inner}})
		if rec := local.Run(t.Context(), plan, server, nil, local.Options{}); rec.Status != run.Succeeded {
			t.Errorf("%s: %s %v after %d calls", name, rec.Status, rec.Fault, server.calls["send"])
		}
	}
}
