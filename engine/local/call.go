package local

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// Call runs a downstream tool. Where calling twice could do harm, the intent to call
// is on disk before the call leaves, and one that an earlier attempt at the run had
// begun is not made again.
func (r *runtime) Call(ctx context.Context, c run.Call) (*run.Result, error) {
	step, _, _ := cutLast(c.Key, "/call")
	switch {
	case r.past != nil && r.past.replay:
		return nil, notRecorded(step)
	case r.caller == nil && c.Server == run.HTTPServer:
		return nil, diag.Faultf("http-not-allowed", "no HTTP client is configured")
	case r.caller == nil:
		return nil, diag.Faultf("no-servers", "no downstream server is connected, so %s/%s cannot be called", c.Server, c.Tool)
	}
	c.Idempotency = idempotency(r.record.ID, step)
	if earlier := r.past.intent(c.Key); earlier != nil {
		if was := earlier.Called(); was.ID != "" && was.ID != c.ID {
			return nil, diverged(step, was.Server+"/"+was.Tool, was.Arguments, c)
		}
		if earlier.Outcome != nil && !unsent(earlier.Outcome) {
			return failure(earlier.Outcome)
		}
		if !c.Repeatable && earlier.Outcome == nil {
			return nil, unknownOutcome(c, earlier)
		}
	}
	in := run.Intent{Key: c.Key, Step: step, Kind: run.IntentCall, At: time.Now()}
	if !c.Repeatable {
		r.changed.Store(true)
		in.Detail = detail(c)
		if err := r.intend(in, true); err != nil {
			return nil, err
		}
		if cause := context.Cause(ctx); cause != nil { // the run was stopped in the meantime
			in.Outcome = notSent
			if kept := r.intend(in, false); kept != nil {
				return nil, kept
			}
			return nil, cause
		}
	}
	res, err := r.caller.CallTool(ctx, c)
	if !c.Repeatable && (err == nil && res.IsError || err != nil && context.Cause(ctx) == nil) {
		in.Outcome = failed(res, err)
		if kept := r.intend(in, false); kept != nil {
			return nil, kept
		}
	}
	return res, err
}

// Identify returns what identifies a call, apart from its place in the run.
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
func detail(c run.Call) json.RawMessage {
	args := c.Args
	if len(args) > maxDetail {
		args = json.RawMessage(diag.CutJSON(args, maxDetail))
	}
	b, _ := json.Marshal(run.Called{Server: c.Server, Tool: c.Tool, Arguments: args, Idempotency: c.Idempotency, ID: c.ID})
	return b
}
