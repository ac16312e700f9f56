package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// A document's limits hold up to the operator's, each of them, and where neither
// says anything the defaults do.
func TestTheOperatorsLimitsAreTheCeiling(t *testing.T) {
	operator := run.Limits{MaxNodeExecutions: 50, MaxExecutionTime: time.Second, MaxExpressionTime: 20 * time.Millisecond, MaxResultBytes: 1000, MaxTraceBytes: 5000, MaxTokens: 100, MaxTokensPerDay: 1000}
	tests := []struct {
		name           string
		document, want run.Limits
		operator       run.Limits
	}{
		{"nobody says anything", run.Limits{}, run.DefaultLimits, run.Limits{}},
		{"the operator alone", run.Limits{}, operator, operator},
		{
			"an operator who allows more than the defaults",
			run.Limits{},
			run.DefaultLimits,
			run.Limits{MaxNodeExecutions: 100_000, MaxExecutionTime: time.Hour},
		},
		{
			"a document that wants more than the defaults, and an operator who says nothing",
			run.Limits{MaxNodeExecutions: 50_000, MaxExecutionTime: time.Hour},
			with(run.DefaultLimits, 50_000, time.Hour),
			run.Limits{},
		},
		{
			"a document that wants more than the default ceiling",
			run.Limits{MaxNodeExecutions: 2_000_000, MaxExecutionTime: 48 * time.Hour},
			with(run.DefaultLimits, 1_000_000, 24*time.Hour),
			run.Limits{},
		},
		{
			"a document that wants more",
			run.Limits{MaxNodeExecutions: 51, MaxExecutionTime: time.Hour, MaxExpressionTime: time.Hour, MaxResultBytes: 1 << 30, MaxTraceBytes: 1 << 40},
			operator, operator,
		},
		{
			"a document that wants less",
			run.Limits{MaxNodeExecutions: 5, MaxExecutionTime: 2, MaxExpressionTime: 3, MaxResultBytes: 4, MaxTraceBytes: 6, MaxTokens: 7, MaxTokensPerDay: 8},
			run.Limits{MaxNodeExecutions: 5, MaxExecutionTime: 2, MaxExpressionTime: 3, MaxResultBytes: 4, MaxTraceBytes: 6, MaxTokens: 7, MaxTokensPerDay: 8},
			operator,
		},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.document.Within(tt.operator)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func with(l run.Limits, executions int, t time.Duration) run.Limits {
	l.MaxNodeExecutions, l.MaxExecutionTime = executions, t
	return l
}

// What is too large ends the run at the node that made it, whatever the graph
// says about failures, and is not kept.
func TestLimitsOfSize(t *testing.T) {
	const text = `nodes:
  - {id: entry, type: entry, next: grow}
  - {id: grow, type: transform, transform: {expr: '$pad("x", $.entry.n)'}, onError: exit%s, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $length($string($.grow))}'}}
`
	tests := []struct {
		name, limits, each string
		operator           run.Limits
		n                  int
		want               string
	}{
		{"below the default", "", "", run.Limits{}, 1 << 20, ""},
		{"the document's", "{maxResultBytes: 2048}", "", run.Limits{}, 2048, "larger than the limit of 2 KiB"},
		{"the operator's", "{maxResultBytes: 5000}", "", run.Limits{MaxResultBytes: 500}, 600, "larger than the limit of 500 bytes"},
		{"an item's", "{maxResultBytes: 2048}", ", foreach: {items: [1], onItemError: continue}", run.Limits{}, 2048, "larger than the limit of 2 KiB"},
		{"all outputs'", "{maxTraceBytes: 4096}", ", foreach: {items: [1, 2, 3, 4, 5]}", run.Limits{}, 1000, "together are larger than 4 KiB of JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := fmt.Sprintf(text, tt.each)
			if tt.limits != "" {
				src = "executionLimits: " + tt.limits + "\n" + src
			}
			plan := compile(t, src, engine.Env{})
			rec := local.Run(t.Context(), plan, nil, json.RawMessage(fmt.Sprintf(`{"n":%d}`, tt.n)), local.Options{Options: run.Options{Limits: tt.operator}})
			switch {
			case tt.want == "" && rec.Fault != nil:
				t.Error(rec.Fault)
			case tt.want != "" && (rec.Fault == nil || rec.Fault.Code != "too-large" || rec.Fault.Node != "grow" || !strings.Contains(rec.Fault.Message, tt.want) || !strings.Contains(rec.Fault.Hint, "Bytes of the document (the operator's ceiling is limits.max")):
				t.Errorf("%s: %+v, want a message with %q", rec.Status, rec.Fault, tt.want)
			}
			for _, step := range rec.Steps {
				if s, large := step.Output.(string); large && tt.want != "" && len(s) >= 2048 {
					t.Errorf("the output of %s is kept, %d bytes", step.Key, len(s))
				}
			}
		})
	}
}

func TestATooLargeReplyOfATool(t *testing.T) {
	huge := answers(`{"text":"` + strings.Repeat("x", 16<<20) + `"}`)
	f := failure(t, compile(t, callGraph(`{}`), engine.Env{}), huge, `{}`, local.Options{})
	if f.Code != "too-large" || f.Node != "call" || !strings.Contains(f.Message, "larger than the limit of 16 MiB") {
		t.Errorf("got %+v", f)
	}
}

// Graphs call graphs sixteen deep: a seventeenth is refused, and the run ends with
// where and why.
func TestDepthOfRecursion(t *testing.T) {
	lib := library{}
	env := engine.Env{Graphs: lib}
	lib["down"] = compile(t, `
name: down
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: more}
  - {id: more, type: switch, conditions: [{rule: {">": [{var: $.entry.n}, 0]}, next: deeper}], next: end}
  - {id: deeper, type: graph, graph: down, args: {n: {expr: $.entry.n - 1}}, next: exit}
  - {id: end, type: transform, transform: {expr: '"bottom"'}, next: exit}
  - {id: exit, type: exit}
`, env)
	if got := runPlan(t, lib["down"], nil, `{"n":16}`); got != `"bottom"` {
		t.Errorf("16 deep: %s", got)
	}
	f := failure(t, lib["down"], nil, `{"n":17}`, local.Options{})
	if f.Code != "recursion-too-deep" || f.Message != `graphs call graphs more than 16 deep, through node "deeper" of "down"` || f.Node != "deeper" {
		t.Errorf("17 deep: %+v", f)
	}
}
