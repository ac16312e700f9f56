package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "wait",
		Title:       "Wait",
		Description: "Waits for a number of milliseconds, or until a point in time, and continues. Its output is {waitedMs}. The wait counts towards the run's time limit.",
		Tags:        []string{"delay", "sleep", "pause", "timer"},
		Intents:     []string{"wait a while", "sleep for some seconds", "pause between calls", "delay a step", "wait until a time", "poll every few seconds", "respect a rate limit"},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "object", Description: "{waitedMs}", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"wait","type":"wait","ms":1000,"next":"exit"}`),
		Examples: []specs.Example{{
			Title: "Wait for as long as the caller says",
			Graph: `name: pause
description: Waits, then says for how long
inputSchema: {type: object, properties: {ms: {type: number, default: 5}}}
outputSchema: {type: object, properties: {waitedMs: {type: number}}, required: [waitedMs]}
nodes:
  - {id: entry, type: entry, next: pause}
  - {id: pause, type: wait, ms: {expr: $.entry.ms}, next: exit}
  - {id: exit, type: exit}
`,
			Arguments: json.RawMessage(`{}`),
			Result:    json.RawMessage(`{"waitedMs":5}`),
		}},
	},
	Waits:   true,
	Aliases: strings.Fields("sleep delay pause timer timeout setTimeout wait_for cooldown"),
	Guide:   GuideRow{Fields: "ms, or until: {expr} of an RFC 3339 time, next"},
	Fields: []Field{
		{Name: "ms", Type: "number", Doc: "ms: <milliseconds> or {expr: <JSONata>}", Aliases: strings.Fields("milliseconds duration durationMs delay delayMs sleepMs timeoutMs waitMs time millis")},
		{Name: "until", Type: "string", Doc: "until: {expr: <JSONata of an RFC 3339 time>}, instead of ms", Aliases: []string{"at", "date", "timestamp", "deadline"}},
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows", Aliases: nextAliases},
	},
	Compile: compileWait,
})

var ruleWaitShape = diag.Define("wait-shape", diag.Error,
	"A wait node has neither ms nor until, or both, or an invalid value in one of them.")

func compileWait(p *Pass, n *Node) Compiled {
	edges := p.Next(n)
	next := edges[0].To
	ms, until := n.Field("ms"), n.Field("until")
	v, read, at := ms, readMs, placeMs
	switch {
	case ms.Exists() && until.Exists():
		p.Report(ruleWaitShape, until, n, "the wait has both ms and until").
			WithFix("keep one of them", until.Remove("remove until"))
	case until.Exists():
		v, read, at = until, readUntil, placeUntil
	case !ms.Exists():
		p.Report(ruleWaitShape, n.where(), n, "the wait has neither ms nor until").Hint = "write ms: 1000, or until: {expr: <JSONata of an RFC 3339 time>}"
		return Compiled{Edges: edges}
	}
	said := len(*p.diags)
	wait := p.Computed(n, v, "the time to wait")
	if wait.constant() && len(*p.diags) == said {
		if _, err := read(wait.literal, time.Time{}); err != nil {
			p.Report(ruleWaitShape, v, n, "%s", err.Message).Hint = err.Hint
		}
	}
	return Compiled{Edges: edges, Infer: func(t *Types) types.Type {
		t.mayLack(at, wait)
		return types.ObjectOf(true, types.Field{Name: "waitedMs", Type: types.Of(types.Number)})
	}, Step: func(ctx context.Context, s *State) (Outcome, error) {
		given, err := wait.Eval(ctx, s)
		if err != nil {
			return Outcome{}, err
		}
		out := Outcome{Input: given, Next: next}
		if fault := at.fault(given); fault != nil {
			return out, fault
		}
		d, fault := read(given, s.rt.Now())
		if fault != nil {
			return out, fault
		}
		if err := s.rt.Sleep(ctx, s.step.Key+"/wait", d); err != nil {
			return out, err
		}
		waited := expr.NewObject()
		waited.Set("waitedMs", math.Ceil(float64(d)/float64(time.Millisecond)))
		out.Output = waited
		return out, nil
	}}
}

// readMs reads a number of milliseconds.
func readMs(v expr.Value, _ time.Time) (time.Duration, *diag.Fault) {
	ms, ok := v.(float64)
	if n, digits := v.(json.Number); digits {
		f, err := n.Float64()
		ms, ok = f, err == nil
	}
	if !ok || ms < 0 || ms > longest || math.IsNaN(ms) {
		f := badTime("ms is not a number of milliseconds from 0 to a year", v)
		f.Hint = "ms: 1500 waits for one and a half seconds"
		return 0, f
	}
	return time.Duration(ms * float64(time.Millisecond)), nil
}

// readUntil reads a point in time; one in the past does not wait.
func readUntil(v expr.Value, now time.Time) (time.Duration, *diag.Fault) {
	text, _ := v.(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		f := badTime("until is not in the form 2026-01-31T09:30:00Z (RFC 3339)", v)
		f.Hint = "$fromMillis($millis() + 60000) is a minute from now"
		return 0, f
	}
	return max(0, at.Sub(now)), nil
}

func badTime(message string, v expr.Value) *diag.Fault {
	f := &diag.Fault{Code: diag.CodeBadRequest, Message: message}
	if b, err := expr.Encode(v); err == nil {
		f.Got = json.RawMessage(diag.CutJSON(b, 200))
		f.Message = fmt.Sprintf("%s: %s", message, diag.Cut(string(b), 80))
	}
	return f
}
