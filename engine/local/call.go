package local

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

var CodeNoServers = diag.DefineFault("no-servers", diag.FailsNode, "the program has no servers to call", "configure servers")

// Call runs a downstream tool. Where calling twice could do harm, the intent to call
// is on disk before the call leaves, and one that an earlier attempt at the run had
// begun is not made again.
func (r *runtime) Call(ctx context.Context, c run.Call) (*run.Result, error) {
	step, _, _ := cutLast(c.Key, "/call")
	switch {
	case r.past != nil && r.past.live.MaxReply != nil && c.Server == run.ModelServer:
		return r.send(ctx, c, step) // so that its tokens are in the record
	case r.past != nil && r.past.live.Tools != nil && r.past.live.Tools(c.Server, c.Tool):
		return r.caller.CallTool(ctx, c)
	case r.past != nil && r.past.replay:
		return r.past.recorded(step)
	case r.caller == nil && c.Server == run.HTTPServer:
		return nil, diag.Faultf(diag.CodeHTTPNotAllowed, "no HTTP client is configured")
	case r.caller == nil:
		return nil, diag.Faultf(CodeNoServers, "no downstream server is connected, so %s/%s cannot be called", c.Server, c.Tool)
	}
	c.Idempotency, c.Ask = idempotency(r.record.ID, step), r
	var before *asked
	if earlier := r.past.intent(c.Key); earlier != nil {
		made, asks, res, err := known(earlier, &c)
		if made {
			return res, err
		}
		before = asks
	}
	if err := r.permitting(&c); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return r.callAnswering(ctx, c, step, before)
}

// send makes a call once.
func (r *runtime) send(ctx context.Context, c run.Call, step string) (*run.Result, error) {
	admission.From(ctx).Pause()
	if c.Repeatable && c.Server != run.ModelServer {
		res, err := r.caller.CallTool(ctx, c)
		if err == nil {
			err = r.arrive(ctx, step, res)
		}
		return res, err
	}
	r.changed.Store(true)
	in := run.Intent{Key: c.Key, Step: step, Kind: run.IntentCall, At: r.Now()}
	intend := func(most int) error {
		in.Detail = detail(c, most)
		return r.intend(in, true)
	}
	if err := r.spend(&c, intend); run.Parked(err) {
		return nil, err
	} else if err != nil {
		_ = r.settle(in, outcomeOf{NotSent: true}) // the run fails in any case
		return nil, err
	}
	if cause := context.Cause(ctx); cause != nil { // while the intent was written
		if err := r.settle(in, outcomeOf{NotSent: true}); err != nil {
			return nil, err
		}
		return nil, cause
	}
	res, err := r.caller.CallTool(ctx, c)
	if o := refusal(ctx, res, err); o != nil {
		if kept := r.settle(in, *o); kept != nil {
			return nil, kept
		}
	} else if err == nil && res.Simulated == "" && c.Server == run.ModelServer { // what it has cost is read from there
		in.Outcome = outcomeOf{Done: true, Data: res.Structured}.json()
		if kept := r.intend(in, false); kept != nil {
			return nil, kept
		}
		if t, _ := in.Tokens(); r.o.Observer.Tokens != nil {
			r.o.Observer.Tokens(c.Tool, t)
		}
	} else if err == nil && res.Simulated == "" && sizeOfResult(res) >= largeResult {
		o, made := outcomeOf{Done: true, Content: res.Content, Data: res.Structured}, in // so that in is not allocated
		storable := *res
		storable.Store = func() error { return r.settle(made, o) }
		res = &storable
	}
	return res, err
}

// spending is held from the check of a budget until the intent is stored.
var spending sync.Mutex

// spend stores the intent to make a call, unless it asks a model and could exceed what its run,
// or its graph on this day, may spend: then it returns the fault that parks the run.
func (r *runtime) spend(c *run.Call, intend func(most int) error) error {
	if c.Server != run.ModelServer || r.o.MaxReply == nil || c.Limits == nil {
		return intend(0)
	}
	if !r.o.Replays { // there, nothing happens at the same time
		spending.Lock()
		defer spending.Unlock()
	}
	most := c.MostTokens(r.o.MaxReply(c.Tool))
	r.mu.Lock()
	spent := r.tokens
	r.mu.Unlock()
	exceeds := func(what, limit string, spent, allowed int) error {
		f := diag.Faultf(run.BudgetExceeded, "stopped before the model %s is asked, which may take %d tokens: %s has taken %d of %d (%s)", c.Tool, most, what, spent, allowed, limit)
		return f.WithHint(fmt.Sprintf("raise executionLimits.%[1]s of the document, within the operator's limits.%[1]s, or lower maxTokens of the node; then resume_run {\"decision\": \"retry\"}", limit))
	}
	if spent+most > c.Limits.MaxTokens {
		return exceeds("the run", "maxTokens", spent, c.Limits.MaxTokens)
	}
	if r.o.TokensOn != nil {
		today, err := r.o.TokensOn(r.record.Graph, r.Now())
		if err != nil {
			return journalFault(err)
		}
		if today+most > c.Limits.MaxTokensPerDay {
			return exceeds("the graph", "maxTokensPerDay", today, c.Limits.MaxTokensPerDay)
		}
	}
	return intend(most)
}

// refusal returns why a call had no effect. Nil means that it was completed, or that
// nobody knows.
func refusal(ctx context.Context, res *run.Result, err error) *outcomeOf {
	outcome := run.OutcomeOf(err)
	switch {
	case outcome == run.CallNotSent && (context.Cause(ctx) != nil || run.Parked(err)):
		return &outcomeOf{NotSent: true}
	case outcome == run.CallNotSent, outcome == run.CallRefused:
		return new(failed(nil, err))
	case err == nil && res.IsError && !res.Unknown:
		return new(failed(res, nil))
	}
	return nil
}

// known returns what is known of a call that an earlier attempt at the run was about
// to make, if it may have been made; else what its server asks before.
func known(earlier *run.Intent, c *run.Call) (made bool, before *asked, res *run.Result, err error) {
	var o outcomeOf
	if earlier.Outcome != nil {
		if err := json.Unmarshal(earlier.Outcome, &o); err != nil {
			return true, nil, nil, diag.Faultf(diag.CodeJournalFailed, "the stored outcome cannot be read: %w", err)
		}
	}
	was := earlier.Called()
	switch {
	case o.NotSent:
		return false, nil, nil, nil
	case was.ID != "" && was.ID != c.ID:
		return true, nil, nil, diverged(was, *c)
	case o.Asked != nil:
		return false, o.Asked, nil, nil
	case earlier.Outcome != nil:
		res, err = o.result()
		return true, nil, res, err
	case c.Repeatable:
		return false, nil, nil, nil
	}
	return true, nil, nil, unknownOutcome(c, earlier)
}

// explain adds to the intent of a call that only a decision repeats why its step has
// failed.
func (r *runtime) explain(e *run.Event) error {
	fault, failed := errors.AsType[*diag.Fault](e.Err)
	if !failed || e.Caught || r.past != nil && r.past.replay {
		return nil
	}
	r.mu.Lock()
	i, made := r.intents[e.Key+"/call"]
	var in run.Intent
	if made {
		in = r.record.Intents[i]
	}
	r.mu.Unlock()
	if !made || in.Outcome != nil {
		return nil
	}
	called := in.Called()
	if called.Failure != "" { // since then, no call was made
		return nil
	}
	called.Step, called.Completed, called.Failure = "", e.Completed, fault.Message
	in.Detail, _ = json.Marshal(called)
	return r.intend(in, false)
}

// settle notes why a call has no result, or the result itself. Then no person has to decide
// about it.
func (r *runtime) settle(in run.Intent, o outcomeOf) error {
	in.Outcome = o.json()
	return r.intend(in, false)
}

// Identify returns what identifies a call apart from its place in the run.
func (r *runtime) Identify(c *run.Call) string {
	args := []byte(c.Args)
	if r.o.Mask != nil {
		args = r.o.Mask(args)
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(c.Server), []byte(c.Tool), args} {
		_, _ = h.Write(part)
		_, _ = h.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:15])
}

// idempotency is the same for each attempt at the same step of the same run.
func idempotency(run, step string) string {
	sum := sha256.Sum256([]byte(run + "\x00" + step))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// maxDetail is how many bytes of its arguments the intent of a call has.
const maxDetail = 16 << 10

// detail says what an intent to call is about.
func detail(c run.Call, most int) json.RawMessage {
	args := c.Args
	if len(args) > maxDetail {
		args = json.RawMessage(diag.CutJSON(args, maxDetail))
	}
	b, _ := json.Marshal(run.Called{Server: c.Server, Tool: c.Tool, Arguments: args, Idempotency: c.Idempotency, ID: c.ID, Tokens: most})
	return b
}
