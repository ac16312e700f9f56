package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// shop is a server of one's own: engine.Tools tells the checker what there is,
// engine.Caller does it.
type shop struct {
	mu     sync.Mutex
	closed bool
	calls  int
}

func (*shop) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	if server != "shop" || tool != "price" {
		return nil, diag.Faultf("unknown-tool", "server %q has no tool %q", server, tool)
	}
	readOnly := true
	return &engine.Tool{
		Spec:   &specs.Spec{NodeType: "mcp", Subtype: "shop/price", Annotations: &specs.Annotations{ReadOnly: &readOnly, Trusted: true}},
		Input:  schema.New([]byte(`{"type":"object","properties":{"article":{"type":"string"}},"required":["article"],"additionalProperties":false}`)),
		Output: schema.New([]byte(`{"type":"object","properties":{"price":{"type":"number"}},"required":["price"]}`)),
	}, nil
}

func (*shop) Names() []string { return []string{"shop/price"} }

func (*shop) Resolve(string) (server, tool string, ok bool) { return "", "", false }

func (s *shop) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls++; s.closed {
		return nil, &run.CallError{Outcome: run.CallRefused, Err: errors.New("the shop is closed")}
	}
	var args struct{ Article string }
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	return &run.Result{Structured: fmt.Appendf(nil, `{"price":%d}`, len(args.Article))}, nil
}

const quote = `
name: quote
nodes:
  - {id: entry, type: entry, next: double}
  - {id: double, type: transform, transform: {expr: '[$.entry.article, $uppercase($.entry.article)]'}, next: look}
  - {id: look, type: mcp, server: shop, tool: price, args: {article: {expr: '$item'}}, foreach: {items: {expr: $.double}}, next: sum}
  - {id: sum, type: transform, transform: {expr: '{"sum": $sum($.look.price)}'}, next: exit}
  - {id: exit, type: exit}
`

func planOf(src string, tools engine.Tools) *engine.Plan {
	doc, _ := graph.Parse("quote.yaml", src)
	plan, found := engine.Compile(doc, "", engine.Env{Tools: tools})
	if plan == nil {
		panic(found[0].Message)
	}
	return plan
}

func text(v expr.Value) string {
	b, _ := expr.Encode(v)
	return string(b)
}

// A run with tools of one's own.
func ExampleRun() {
	s := &shop{}
	rec := local.Run(context.Background(), planOf(quote, s), s, json.RawMessage(`{"article":"tea"}`), local.Options{})
	fmt.Println(rec.Status, text(rec.Result))
	// The checker knows the tools: what is wrong with a call is said before it is made.
	doc, _ := graph.Parse("quote.yaml", strings.Replace(quote, "article: {expr: '$item'}", "artikle: tea", 1))
	_, found := engine.Compile(doc, "", engine.Env{Tools: s})
	for _, d := range found.With(diag.Error) {
		fmt.Println(d.Message)
	}
	// Output:
	// succeeded {"sum":6}
	// shop/price has no argument "artikle"
}

// A debugger: it stops before each step at a breakpoint, looks at what the step's
// expressions will see, and lets it continue.
func ExampleHooks() {
	type stop struct {
		at  run.Event
		sum expr.Value
	}
	breakpoints := map[string]bool{"sum": true}
	stopped, resume := make(chan stop), make(chan struct{})
	prices, _ := expr.Compile(`look.price`)
	watch := local.Observer{
		Before: func(ctx context.Context, e run.Event) error { // the step waits until this returns
			if !breakpoints[e.Node] {
				return nil
			}
			seen, err := prices.Eval(ctx, e.Scope)
			if err != nil {
				return err
			}
			stopped <- stop{e, seen}
			select {
			case <-resume:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
		After: func(_ context.Context, e run.Event) {
			fmt.Println("done", e.Key, text(e.Output))
		},
	}
	done := make(chan *run.Record)
	s := &shop{}
	go func() {
		done <- local.Run(context.Background(), planOf(quote, s), s, json.RawMessage(`{"article":"tea"}`), local.Options{Observer: watch})
	}()
	for rec := (*run.Record)(nil); rec == nil; {
		select {
		case b := <-stopped:
			fmt.Println("stopped before", b.at.Key, "with", text(b.sum))
			breakpoints["exit"] = true // step to the next
			resume <- struct{}{}
		case rec = <-done:
			fmt.Println(rec.Status)
		}
	}
	// Output:
	// done entry#0 {"article":"tea"}
	// done double#0 ["tea","TEA"]
	// done look#0[0] {"price":3}
	// done look#0[1] {"price":3}
	// done look#0 [{"price":3},{"price":3}]
	// stopped before sum#0 with [3,3]
	// done sum#0 {"sum":6}
	// stopped before exit#0 with [3,3]
	// done exit#0 {"sum":6}
	// succeeded
}

// A run that failed continues at its open step: what it has done is not done
// again.
func ExampleResume() {
	s := &shop{closed: true}
	plan := planOf(quote, s)
	rec := local.Run(context.Background(), plan, s, json.RawMessage(`{"article":"tea"}`), local.Options{})
	fmt.Println(rec.Status, "at", rec.Open()[0].Key, "-", rec.Fault.Message)
	s.closed = false
	price, _ := expr.Decode([]byte(`{"price":100}`))
	if fault := rec.Decide(run.Decision{Do: "pin", Pin: price}, time.Now()); fault != nil {
		fmt.Println(fault)
	}
	rec = local.Resume(context.Background(), plan, s, rec, local.Options{})
	fmt.Println(rec.Status, text(rec.Result), "after", s.calls, "calls")
	// Output:
	// failed at look#0[0] - the shop is closed
	// succeeded {"sum":103} after 2 calls
}

// A recorded run, done again with its recorded results, shows what a change of the
// graph does. Nothing outside is touched.
func ExampleReplay() {
	s := &shop{}
	rec := local.Run(context.Background(), planOf(quote, s), s, json.RawMessage(`{"article":"tea"}`), local.Options{})
	again := local.Replay(context.Background(), planOf(quote, s), rec)
	fmt.Println("differences:", len(local.Compare(rec, again)), "calls:", s.calls)
	changed := local.Replay(context.Background(), planOf(strings.Replace(quote, "$sum(", "$max(", 1), s), rec)
	for _, d := range local.Compare(rec, changed) {
		fmt.Println(d.Step, d.What, d.Recorded, d.Replayed)
	}
	// Output:
	// differences: 0 calls: 2
	// sum#0 has a different output {"sum":6} {"sum":3}
	// exit#0 has a different output {"sum":6} {"sum":3}
	// result is different {"sum":6} {"sum":3}
}
