package downstream

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

// asker answers the questions of calls.
type asker func(ctx context.Context, q run.Question) (*run.Answer, error)

func (a *asker) Ask(context.Context, run.Call, run.Question) (*run.Answer, error) {
	return nil, run.ErrNobodyAsked
}

func (a *asker) AskDuring(ctx context.Context, _ run.Call, q run.Question) (*run.Answer, error) {
	return (*a)(ctx, q)
}

func accepts(context.Context, run.Question) (*run.Answer, error) {
	return &run.Answer{Action: "accept", Content: json.RawMessage(`{"n":12}`)}, nil
}

// asksBy is a hub over a server of 2025-11-25. Its tool "ask" asks after before has returned.
func asksBy(t *testing.T, params *mcp.ElicitParams, before func(ctx context.Context, args string)) *Hub {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{"2025-11-25"}})
	s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		before(ctx, string(r.Params.Arguments))
		if string(r.Params.Arguments) == `{"silent":true}` {
			return &mcp.CallToolResult{}, nil
		}
		answer, err := r.Session.Elicit(ctx, params)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{StructuredContent: answer}, nil
	})
	return startHub(t, nil, Server{Name: "s", InProcess: s, CallTimeout: time.Minute})
}

var howMany = &mcp.ElicitParams{Message: "How many?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}

// askWith calls the tool with an asker, which may be nil, and returns what it was answered.
func askWith(ctx context.Context, h *Hub, a asker, args string) (string, error) {
	c := run.Call{Server: "s", Tool: "ask", Args: json.RawMessage(args)}
	if a != nil {
		c.Ask = &a
	}
	res, err := h.CallTool(ctx, c)
	if err != nil {
		return "", err
	}
	return string(res.Structured), nil
}

// The time of a person is not that of the call.
func TestPeopleMayTakeLongerThanACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := asksBy(t, howMany, func(context.Context, string) {})
		got, err := askWith(t.Context(), h, func(ctx context.Context, q run.Question) (*run.Answer, error) {
			time.Sleep(time.Hour)
			return accepts(ctx, q)
		}, `{}`)
		if err != nil || got != `{"action":"accept","content":{"n":12}}` {
			t.Errorf("%s, %v", got, err)
		}
		h.Close()
	})
}

// What nobody can be asked, or what is not a form, is answered at once.
func TestQuestionsThatAreNotPut(t *testing.T) {
	for name, c := range map[string]struct {
		params *mcp.ElicitParams
		ask    asker
		want   string
	}{
		"no person can be asked": {howMany, nil, `{"action":"decline"}`},
		"nobody is asked":        {howMany, func(context.Context, run.Question) (*run.Answer, error) { return nil, run.ErrNobodyAsked }, `{"action":"decline"}`},
		"time is over":           {howMany, func(context.Context, run.Question) (*run.Answer, error) { return &run.Answer{Action: "timeout"}, nil }, `{"action":"cancel"}`},
	} {
		t.Run(name, func(t *testing.T) {
			h := asksBy(t, c.params, func(context.Context, string) {})
			if got, err := askWith(t.Context(), h, c.ask, `{}`); err != nil || got != c.want {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

// A question is put to the run whose call asks: while other calls are in progress nobody
// knows which that is, so they end first.
func TestAQuestionWaitsForOtherCalls(t *testing.T) {
	release, began := make(chan struct{}), make(chan struct{})
	h := asksBy(t, howMany, func(_ context.Context, args string) {
		if args == `{"silent":true}` {
			began <- struct{}{}
			<-release
		}
	})
	other := make(chan error, 1)
	go func() {
		_, err := askWith(t.Context(), h, func(context.Context, run.Question) (*run.Answer, error) {
			t.Error("the wrong run is asked")
			return nil, run.ErrNobodyAsked
		}, `{"silent":true}`)
		other <- err
	}()
	<-began
	done := make(chan string, 1)
	go func() {
		got, err := askWith(t.Context(), h, accepts, `{}`)
		if err != nil {
			t.Error(err)
		}
		done <- got
	}()
	awaitQuestion(t, h, 1)
	close(release)
	if err := <-other; err != nil {
		t.Error(err)
	}
	if got := <-done; got != `{"action":"accept","content":{"n":12}}` {
		t.Errorf("%s", got)
	}
}

// awaitQuestion returns when so many questions wait to be put.
func awaitQuestion(t *testing.T, h *Hub, n int) {
	t.Helper()
	s, fault := h.server("s")
	if fault != nil {
		t.Fatal(fault)
	}
	live, fault := s.session(t.Context())
	if fault != nil {
		t.Fatal(fault)
	}
	p := &live.passed
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.open) < n {
		if !p.wait(t.Context()) {
			t.Fatal("nothing was asked")
		}
	}
}

// Where each of two calls asks, the runs of one client are asked both. Of two clients one
// could see the question of the other: one is not asked, and the other when its call is the
// only one.
func TestQuestionsOfTwoCallsAtOnce(t *testing.T) {
	q := admission.New(admission.Options{Turns: 2})
	for name, c := range map[string]struct {
		clients  [2]string
		accepted int
	}{
		"one client":  {[2]string{"ada", "ada"}, 2},
		"two clients": {[2]string{"ada", "bob"}, 1}, // when the other has ended
	} {
		t.Run(name, func(t *testing.T) {
			began, ask := make(chan struct{}), make(chan struct{})
			h := asksBy(t, howMany, func(context.Context, string) { began <- struct{}{}; <-ask })
			results := make(chan string, 2)
			for _, client := range c.clients {
				go func() {
					ctx := &admission.Work{Context: t.Context(), Turn: q.Turn(client, admission.NewRequest())}
					got, err := askWith(ctx, h, accepts, `{}`)
					if err != nil {
						t.Error(err)
					}
					results <- got
				}()
			}
			<-began
			<-began
			close(ask)
			accepted := 0
			for range 2 {
				if <-results == `{"action":"accept","content":{"n":12}}` {
					accepted++
				}
			}
			if accepted != c.accepted {
				t.Errorf("%d calls were answered", accepted)
			}
		})
	}
}
