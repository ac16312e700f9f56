package app

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// answered answers each call with the same result, in no time.
type answered struct{ result *run.Result }

func (a answered) CallTool(context.Context, run.Call) (*run.Result, error) { return a.result, nil }

// BenchmarkWorkflow is what workflows add to one call: nothing if none matches, a run
// without hooks, and one with a hook before or after the call, an expression or a script. What the call itself takes
// is not part of it.
func BenchmarkWorkflow(b *testing.B) {
	const (
		start = "name: w\nworkflow: {on: tools/call}\nnodes:\n  - {id: end, type: end}\n"
		plain = start + "  - {id: start, type: start, next: call}\n  - {id: call, type: mcp-call, next: end}\n"
		hook  = start + "  - {id: start, type: start, next: h}\n  - {id: call, type: mcp-call, next: end}\n  - {id: h, type: hook, next: call, hook: "
		after = start + "  - {id: start, type: start, next: call}\n  - {id: call, type: mcp-call, next: h}\n  - {id: h, type: hook, next: end, hook: "
	)
	for _, store := range []string{"memory", "journal"} {
		for _, c := range []struct{ name, text string }{
			{"none", "name: w\nworkflow: {on: tools/call, match: {server: other}}\nnodes:\n  - {id: end, type: end}\n  - {id: start, type: start, next: call}\n  - {id: call, type: mcp-call, next: end}\n"},
			{"no-hooks", plain},
			{"jsonata", hook + `{expr: '$context.request.params.name = "delete" ? {"continue": false}'}}`},
			{"jsonata-response", after + `{expr: '{"response": $merge([$context.response, {"content": [$context.response.content.{"type": type, "text": $replace(text, "a@b.example", "***")}]}])}'}}`},
			{"script", hook + `{script: 'if (context.request.params.name === "delete") return {continue: false}'}}`},
			{"script-response", after + `{script: 'for (const c of context.response.content) c.text = c.text.replace("a@b.example", "***"); return {response: context.response}'}}`},
		} {
			b.Run(store+"/"+c.name, func(b *testing.B) {
				o := Options{}
				if store == "journal" {
					file := filepath.Join(b.TempDir(), "runs.db")
					o.Project, o.Store = "p", func() (runs.RunStore, error) { return journal.Open(file, &journal.Options{Project: "p"}) }
				}
				doc, found := graph.Parse("w.yaml", c.text)
				if found.HasErrors() {
					b.Fatal(found)
				}
				o.Workflows = []*graph.Document{doc}
				pb := New(o)
				b.Cleanup(pb.Close)
				raw := json.RawMessage(`{"content":[{"type":"text","text":"from a@b.example: the meeting is moved to Monday"}]}`)
				i := pb.Execution.Around("", answered{&run.Result{Raw: raw, Content: []json.RawMessage{raw[12 : len(raw)-2]}}}, pb.Execution.Hooks)
				ctx := request.WithActor(b.Context(), run.Actor{Principal: "local"})
				call := run.Call{Server: "mail", Tool: "read", Args: json.RawMessage(`{"folder":"inbox","number":10}`), RawOnly: true}
				if _, err := i.CallTool(ctx, call); err != nil { // which starts the process of scripts
					b.Fatal(err)
				}
				var took []time.Duration
				b.ReportAllocs()
				for b.Loop() {
					began := time.Now()
					if res, err := i.CallTool(ctx, call); err != nil || res.IsError {
						b.Fatal(res, err)
					}
					took = append(took, time.Since(began))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2])/1e3, "p50-µs")
			})
		}
	}
}
