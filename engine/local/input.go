package local

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	maxRounds = 20        // how often a server may ask before it makes one call
	maxAsks   = 256 << 10 // bytes of a reply that asks
)

// asked is what a server wants to know before it makes a call, as the outcome of the call
// so far.
type asked struct {
	Round int             `json:"round"`
	Reply json.RawMessage `json:"reply"` // the result with inputRequests and requestState
}

// callAnswering makes a call. If its server asks for something first, a person answers, and
// the call is made again with the answers. What the server asks is stored before, so that
// the run can wait for the answers, also in another process.
func (r *runtime) callAnswering(ctx context.Context, c run.Call, step string, earlier *asked) (*run.Result, error) {
	for {
		if earlier != nil {
			passed, err := r.answers(ctx, c, earlier)
			if err != nil {
				return nil, err
			}
			c.Passed = passed
		}
		res, err := r.send(ctx, c, step)
		if err != nil || res.Content != nil || res.Structured != nil || !res.AsksForInput() {
			return res, err
		}
		next := &asked{Round: 1, Reply: res.Raw}
		if earlier != nil {
			next.Round = earlier.Round + 1
		}
		if fault := tooMuchAsked(c, next); fault != nil {
			return nil, r.unanswerable(c, step, fault)
		}
		in := run.Intent{Key: c.Key, Step: step, Kind: run.IntentCall, At: r.Now(), Detail: detail(c, 0)}
		if err := r.settle(in, outcomeOf{Asked: next}); err != nil {
			return nil, err
		}
		earlier = next
	}
}

// unanswerable notes that a call was not made, since its server asks a question that cannot be put.
func (r *runtime) unanswerable(c run.Call, step string, fault *diag.Fault) error {
	if !c.Repeatable {
		in := run.Intent{Key: c.Key, Step: step, Kind: run.IntentCall, At: r.Now(), Detail: detail(c, 0)}
		if err := r.settle(in, failed(nil, fault)); err != nil {
			return err
		}
	}
	return fault
}

func tooMuchAsked(c run.Call, a *asked) *diag.Fault {
	switch {
	case a.Round > maxRounds:
		return diag.Faultf(diag.CodeBadResult, "the server %q asks again and again before it calls its tool %q", c.Server, c.Tool)
	case len(a.Reply) > maxAsks:
		return diag.Faultf(diag.CodeBadResult, "what the server %q asks before it calls its tool %q has more than %d bytes", c.Server, c.Tool, maxAsks)
	}
	return nil
}

// answers asks a person what a server wants to know, one question after the other, and
// returns what the next attempt of the call has.
func (r *runtime) answers(ctx context.Context, c run.Call, a *asked) (*run.Passed, error) {
	var reply struct {
		Requests map[string]struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
		State string `json:"requestState"`
	}
	if err := json.Unmarshal(a.Reply, &reply); err != nil {
		return nil, diag.Faultf(diag.CodeBadResult, "what the server %q asks cannot be read: %v", c.Server, err)
	}
	if len(reply.Requests) == 0 {
		return nil, diag.Faultf(diag.CodeBadResult, "the server %q wants its tool %q to be called again, and does not say with what", c.Server, c.Tool)
	}
	responses := map[string]run.Answer{}
	for _, name := range slices.Sorted(maps.Keys(reply.Requests)) {
		ask := reply.Requests[name]
		if ask.Method != "elicitation/create" {
			return nil, diag.Faultf(diag.CodeBadResult, "the server %q asks for %s, which a run cannot answer", c.Server, diag.Quote(diag.Excerpt(ask.Method)))
		}
		q, err := run.ServerQuestion(c.Server, c.Tool, ask.Params)
		if err != nil {
			return nil, diag.Faultf(diag.CodeBadResult, "the server %q asks a question that cannot be put to a person: %w", c.Server, err)
		}
		q.Key = "ask#" + strconv.Itoa(a.Round) + "/" + name
		answer, err := r.Ask(ctx, c, q)
		if err != nil {
			return nil, err
		}
		responses[name] = *answer
	}
	b, err := json.Marshal(responses)
	if err != nil {
		return nil, err
	}
	return &run.Passed{InputResponses: b, RequestState: reply.State}, nil
}
