package engine

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
	"github.com/patchbay-mcp/patchbay/run"
)

var ruleRetryNever = diag.Define("retry-without-effect", diag.Warning,
	"The node has retry but is never retried: repeating it could do harm, or it would fail the same way each time.")

// The largest values of a retry.
const (
	MaxAttempts = 100
	MaxFactor   = 100
)

// retryModifier repeats a node that failed for a reason outside of the graph.
var retryModifier = &Modifier{
	Field: Field{Name: "retry", Type: "object", Doc: "retry: {maxAttempts: 3, unsafe: false}: tries again after a wait, which initialMs: 500, maxMs: 30000 and factor: 2 change; a call that is not known to be repeatable is retried only with unsafe: true", Aliases: strings.Fields("retries retryPolicy maxRetries maxAttempts backoff")},
	Guide: GuideRow{Fields: "retry: {maxAttempts, initialMs, maxMs, factor, unsafe}", Output: "try again (not on transform, which always fails the same way); a call that is not known to be repeatable (read-only or idempotent, of a server that the operator trusts; GET, HEAD, OPTIONS, PUT, DELETE) needs unsafe: true"},
	Compile: func(p *Pass, n *Node, v graph.Value) Around {
		r := p.retry(n, v)
		if r == nil {
			return nil
		}
		return func(c Compiled) Compiled {
			r.check(p, n, c)
			c.Step = r.around(c)
			if r.unsafe {
				c.NotRepeatableBecause = ""
			}
			return c
		}
	},
}

// retry is a compiled policy of repeating a node.
type retry struct {
	attempts     int
	initial, max time.Duration
	factor       float64
	unsafe       bool
	at           graph.Value // absent where its shape is reported
}

func (p *Pass) retry(n *Node, v graph.Value) *retry {
	if v.Is(graph.Null) {
		return nil
	}
	r := &retry{attempts: 3, initial: 500 * time.Millisecond, max: 30 * time.Second, factor: 2, at: v}
	if !v.Is(graph.Object) {
		d := p.Report(ruleModifierValue, v, n, "retry is %s, expected {maxAttempts: …}", shape(v))
		d.Hint = "write retry: {maxAttempts: 3}"
		if i, ok := v.Int(); ok && i > 0 && i <= MaxAttempts {
			d.Offer(v.Replace("change to {maxAttempts: "+strconv.FormatInt(i, 10)+"}", oneMember("maxAttempts", i)))
		}
		r.at = graph.Value{}
		return r
	}
	m := p.readKeys(v, "retry", n, []string{"maxAttempts", "initialMs", "maxMs", "factor", "unsafe"}, foreignWords["retry"])
	r.attempts = int(p.whole(n, m["maxAttempts"], "maxAttempts", 3, 1, MaxAttempts))
	r.initial = time.Duration(p.whole(n, m["initialMs"], "initialMs", 500, 0, longest)) * time.Millisecond
	r.max = time.Duration(p.whole(n, m["maxMs"], "maxMs", max(30_000, r.initial.Milliseconds()), 0, longest)) * time.Millisecond
	if f := m["factor"]; f.Exists() {
		if err := json.Unmarshal(raw(f), &r.factor); err != nil || r.factor < 1 || r.factor > MaxFactor {
			p.Report(ruleModifierValue, f, n, "factor is %s, expected a number from 1 to %d", diag.Cut(string(raw(f)), 40), MaxFactor)
			r.factor = 2
		}
	}
	if u := m["unsafe"]; u.Exists() {
		if !u.Is(graph.Boolean) {
			p.Report(ruleModifierValue, u, n, "unsafe is %s, expected true or false", shape(u))
		}
		r.unsafe = string(raw(u)) == "true"
	}
	return r
}

// check says that a retry can never happen, and why.
func (r *retry) check(p *Pass, n *Node, c Compiled) {
	switch {
	case !r.at.Exists():
	case c.Pure:
		p.Report(ruleRetryNever, r.at, n, "%q is never retried: it always computes the same value", n.ID).
			WithFix("remove retry", r.at.Remove("remove retry"))
	case c.NotRepeatableBecause != "" && !r.unsafe && c.RetryAfter == nil && (n.tool != nil || !n.Kind.CallsTool):
		p.Report(ruleRetryNever, r.at, n, "%q is never retried: %s", n.ID, c.NotRepeatableBecause).Hint = "set unsafe: true in retry if repeating it does no harm, otherwise remove retry"
	}
}

func (r *retry) around(c Compiled) Step {
	step := c.Step
	known := c.RetryAfter
	if c.NotRepeatableBecause == "" || r.unsafe {
		known = func(error) bool { return true }
	}
	if c.Pure || known == nil {
		return step
	}
	return func(ctx context.Context, s *State) (Outcome, error) {
		if s.step.Attempts > 0 { // an earlier attempt at the run had failed so often
			if err := r.wait(ctx, s, 0); err != nil {
				return Outcome{}, err
			}
		}
		for {
			s.freeze() // each attempt draws the same random numbers
			s.step.Attempts++
			out, err := step(ctx, s)
			failed := s.step.Attempts <= s.step.Failed
			if !failed && (err == nil || s.step.Attempts >= r.attempts || context.Cause(ctx) != nil || !mayPass(run.AsFault(err)) || !known(err)) {
				return out, err
			}
			if err := r.wait(ctx, s, retryAfter(err)); err != nil {
				return out, err
			}
		}
	}
}

// wait waits between the attempt that failed and the next, at least as long as the server asks.
func (r *retry) wait(ctx context.Context, s *State, asked time.Duration) error {
	key := s.step.Key + run.RetryKey + strconv.Itoa(s.step.Attempts)
	return s.rt.Sleep(ctx, key, max(asked, r.delay(s.run.id, key, s.step.Attempts)))
}

// retryAfter is how long the server of an http node that failed asks to wait.
func retryAfter(err error) time.Duration {
	f := run.AsFault(err)
	if f == nil || f.Code != codeHTTPStatus {
		return 0
	}
	headers := expr.Member(f.Details, "headers")
	return timelimit.RetryAfter(expr.TextAt(headers, "retry-after"), expr.TextAt(headers, "date"))
}

// mayPass reports whether another attempt may succeed after a failure.
func mayPass(f *diag.Fault) bool {
	if f.Code == codeHTTPStatus {
		return temporary(answerStatus(f.Details))
	}
	effect := diag.EffectOf(f.Code)
	return effect == diag.FailsAttempt || effect == diag.RefusesRequest
}

// delay is how long to wait after a number of attempts: from half of the
// exponential backoff to one and a half, the same in every replay.
func (r *retry) delay(run, key string, attempts int) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(run + "\x00" + key))
	jitter := 0.5 + float64(h.Sum64()>>11)/(1<<53)
	d := math.Min(float64(r.initial)*math.Pow(r.factor, float64(attempts-1)), float64(r.max))
	return time.Duration(math.Min(d*jitter, float64(r.max)))
}
