package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

// Modifiers say which fields a kind takes besides its own.
type Modifiers int

// The sets of modifiers.
const (
	NoModifiers  Modifiers = iota
	OnErrorOnly            // onError
	AllModifiers           // onError, retry, timeoutMs and foreach
)

var (
	ruleModifierValue = diag.Define("bad-modifier", diag.Error,
		"A value of retry, timeoutMs, foreach, concurrency or another bound is not what belongs there. The message says what does.")
	ruleOnErrorSelf = diag.Define("on-error-to-itself", diag.Warning,
		"onError leads back to the node that failed: it would fail again until the run reaches its limits.")
)

var modifierFields = []Field{
	{Name: "onError", Type: "node-id", Doc: "id of the node that follows when this one fails; its output is then {error: {code, message, node, attempts, details}}", Aliases: []string{"onFailure", "catch", "errorNext", "error", "failure", "errorTarget", "rescue"}},
	{Name: "retry", Type: "object", Doc: "retry: {maxAttempts: 3, initialMs: 500, maxMs: 30000, factor: 2, unsafe: false}; a call that may do harm when repeated is retried only with unsafe: true", Aliases: []string{"retries", "retryPolicy", "maxRetries", "maxAttempts", "backoff"}},
	{Name: "timeoutMs", Type: "number", Doc: "milliseconds one attempt may take", Aliases: []string{"timeout", "timeoutMillis", "deadline"}},
	{Name: "foreach", Type: "object", Doc: "foreach: {items: {expr: <JSONata>}, as: item, concurrency: 1, onItemError: fail or continue}: the node once per item, with $item and $index in its expressions; its output is the list of theirs", Aliases: []string{"forEach", "each", "loop", "iterate", "items", "iterator", "map"}},
}

func (m Modifiers) fields() []Field {
	switch m {
	case AllModifiers:
		return modifierFields
	case OnErrorOnly:
		return modifierFields[:1]
	}
	return nil
}

// modifiers are those of one node, compiled.
type modifiers struct {
	foreach *foreach
	retry   *retry
	timeout *timeout
}

// modifiers compiles what stands around a node's own work. It comes before the
// kind's turn, since foreach gives the node's expressions their variables.
func (p *Pass) modifiers(n *Node) *modifiers {
	if n.Kind.Modifiers != AllModifiers {
		return &modifiers{}
	}
	return &modifiers{foreach: p.foreach(n), retry: p.retry(n), timeout: p.timeout(n)}
}

// wrap puts the modifiers around a step: onError(foreach(retry(timeout(step)))).
func (m *modifiers) wrap(p *Pass, n *Node, c Compiled) Compiled {
	if n.Kind.Modifiers == NoModifiers {
		return c
	}
	if m.timeout != nil {
		c.Step = m.timeout.around(c.Step)
	}
	if m.retry != nil {
		m.retry.check(p, n, c)
		c.Step = m.retry.around(c)
	}
	if m.foreach != nil {
		next := NoNode
		if len(c.Edges) > 0 {
			next = c.Edges[0].To
		}
		c.Step = m.foreach.around(p.plan, n.Index, c.Step, next)
		c.Infer = m.foreach.infer(c.Infer)
	}
	v := n.Field("onError")
	if !v.Exists() || v.Is(graph.Null) {
		return c
	}
	to := p.Target(n, v)
	if to == n.Index {
		p.Report(ruleOnErrorSelf, v, n, "when %q fails, it runs again without end", n.ID).Hint = "to try again, use retry: {maxAttempts: 3}"
	}
	c.Edges = append(c.Edges, Edge{Label: "onError", To: to, At: v})
	c.Step = onError(n.ID, c.Step, to)
	if infer := c.Infer; infer != nil {
		c.Infer = func(t *Types) types.Type { return infer(t).Or(errorShape) }
	}
	return c
}

// onError goes on at a node when a step fails. What ends the run as a whole is
// not caught.
func onError(id string, step Step, to NodeIndex) Step {
	return func(ctx context.Context, s *State) (Outcome, error) {
		out, err := step(ctx, s)
		if err == nil || !catchable(ctx, err) {
			return out, err
		}
		f := *run.AsFault(err)
		if f.Node == "" {
			f.Node = id
		}
		return Outcome{Input: out.Input, Output: s.errorOutput(&f), Next: to, Caught: &f}, nil
	}
}

// endings are the codes of faults that end a run, whatever its graph says: its
// limits, and a record of it that cannot be kept or does not fit.
var endings = []string{"too-many-executions", "too-large", "journal-failed", "graph-changed", "not-recorded"}

// catchable reports whether a run may go on after an error.
func catchable(ctx context.Context, err error) bool {
	return context.Cause(ctx) == nil && !run.Parked(err) && !slices.Contains(endings, run.AsFault(err).Code)
}

// errorOutput is the output of a node, or the result of an item, that failed.
func (s *State) errorOutput(f *diag.Fault) expr.Value {
	e := expr.NewObject()
	e.Set("code", f.Code)
	e.Set("message", f.Message)
	e.Set("node", f.Node)
	e.Set("attempts", float64(max(1, s.step.Attempts)))
	if f.Details != nil {
		e.Set("details", f.Details)
	}
	out := expr.NewObject()
	out.Set("error", e)
	return out
}

var errorShape = types.ObjectOf(true, types.Field{Name: "error", Type: types.ObjectOf(true,
	types.Field{Name: "code", Type: types.Of(types.String)},
	types.Field{Name: "message", Type: types.Of(types.String)},
	types.Field{Name: "node", Type: types.Of(types.String)},
	types.Field{Name: "attempts", Type: types.Of(types.Number)},
	types.Field{Name: "details", Type: types.Unknown(), Optional: true},
)})

// whole reads a whole number of a field, or of a member of one, within bounds;
// absent is otherwise.
func (p *Pass) whole(n *Node, v graph.Value, what string, otherwise, least, most int64) int64 {
	if !v.Exists() {
		return otherwise
	}
	i, ok := v.Int()
	if ok && i >= least && i <= most {
		return i
	}
	d := p.Report(ruleModifierValue, v, n, "%s is %s, expected a whole number from %d to %d", what, schema.Cut(string(raw(v)), 40), least, most)
	if text, err := strconv.ParseInt(v.Text(), 10, 64); err == nil && v.Is(graph.String) && text >= least && text <= most {
		d.Fixes = []diag.Fix{v.Replace(fmt.Sprintf("change to %d", text), text)}
		return text
	}
	return otherwise
}
