package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

const callsSlow = `name: slow
description: Calls a server that starts slowly
inputSchema: {type: object}
outputSchema: {type: object}
executionLimits: {maxExecutionTimeMs: 20000}
nodes:
  - {id: entry, type: entry, next: say}
  - {id: say, type: mcp, server: slow, tool: say, args: {}, next: again}
  - {id: again, type: mcp, server: slow, tool: say, args: {}, next: exit}
  - {id: exit, type: exit}
`

// startingAfter is an application over a server that takes so long to start.
func startingAfter(t *testing.T, d time.Duration) *app.App {
	t.Helper()
	load := func(ctx context.Context) (*mcp.Server, []string, error) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		s := mcp.NewServer(&mcp.Implementation{Name: "slow", Version: "1"}, nil)
		s.AddTool(&mcp.Tool{Name: "say", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"said":true}`), Content: []mcp.Content{}}, nil
		})
		return s, nil, nil
	}
	doc, _ := graph.Parse("slow.yaml", callsSlow)
	pb := app.New(app.Options{Servers: []downstream.Server{{Name: "slow", Load: load}}, Documents: []*graph.Document{doc}})
	t.Cleanup(pb.Close)
	return pb
}

// waysToCall are the ways in which a client calls a tool of a server.
var waysToCall = map[string]func(ctx context.Context, pb *app.App) *diag.Fault{
	"run_graph": func(ctx context.Context, pb *app.App) *diag.Fault {
		return faultOf(pb.Run(ctx, execution.RunInput{GraphInput: plans.GraphInput{Text: callsSlow}}))
	},
	"a saved tool": func(ctx context.Context, pb *app.App) *diag.Fault {
		return faultOf(pb.CallGraph(ctx, "slow", json.RawMessage(`{}`)))
	},
	"run_node": func(ctx context.Context, pb *app.App) *diag.Fault {
		r, fault := pb.RunNode(ctx, execution.RunNodeInput{ID: "mcp:slow/say"})
		if fault != nil {
			return fault
		}
		return r.Error
	},
	"the gateway": func(ctx context.Context, pb *app.App) *diag.Fault {
		_, err := pb.CallDownstream(ctx, execution.GatewayCall{Server: "slow", Tool: "say"})
		f, _ := errors.AsType[*diag.Fault](err)
		return f
	},
}

func faultOf(r *execution.RunResult, fault *diag.Fault) *diag.Fault {
	if fault != nil {
		return fault
	}
	return r.Error
}

// TestCallsWaitForServers: a call waits for a server that starts, which takes nothing of its
// own time, and is told of; after 50 seconds all ways to call say the same.
func TestCallsWaitForServers(t *testing.T) {
	for way, call := range waysToCall {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pb := startingAfter(t, 45*time.Second)
				began := time.Now()
				told := 0
				ctx := request.WithListener(t.Context(), request.Listener{OnProgress: func(p request.CallProgress) {
					if strings.Contains(p.Message, `waiting for server "slow" to start`) {
						told++
					}
				}})
				if fault := call(ctx, pb); fault != nil {
					t.Errorf("the server starts after 45 s: %+v", fault)
				}
				if took := time.Since(began); took < 45*time.Second || took > 46*time.Second {
					t.Errorf("it took %s", took)
				}
				if told < 20 && way != "the gateway" {
					t.Errorf("%d reports of progress", told)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				pb := startingAfter(t, time.Hour)
				began := time.Now()
				fault := call(t.Context(), pb)
				if fault == nil || fault.Code != "server-starting" || !strings.Contains(fault.Message, `server "slow" is still starting after 50s`) || !strings.Contains(fault.Hint, "try again") {
					t.Errorf("the fault is %+v", fault)
				}
				if took := time.Since(began); took != 50*time.Second {
					t.Errorf("it took %s", took)
				}
				began = time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				fault = call(ctx, pb)
				if took := time.Since(began); took != 3*time.Second {
					t.Errorf("a call that ends after 3 s waits %s: %v", took, fault)
				}
			})
		})
	}
}

// TestWaitForAServerIsTheClients: a client that waits for 45 s gets a reply by then, also if
// the server took most of them.
func TestWaitForAServerIsTheClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pb := startingAfter(t, 40*time.Second)
		began := time.Now()
		pauses := strings.Replace(callsSlow, "type: mcp, server: slow, tool: say, args: {}, next: exit", "type: wait, ms: 15000, next: exit", 1)
		r, fault := pb.Run(request.WithClient(t.Context(), request.Client{Wait: 45 * time.Second}), execution.RunInput{GraphInput: plans.GraphInput{Text: pauses}})
		if took := time.Since(began); fault != nil || r.Status != "running" || took != 45*time.Second {
			t.Errorf("after %s: %+v %v", took, r, fault)
		}
	})
}

// TestDetailsWaitForServers: what a starting server offers is described when it has started,
// and until then it is not unknown.
func TestDetailsWaitForServers(t *testing.T) {
	for starts, want := range map[time.Duration]string{45 * time.Second: "", time.Hour: "server-starting"} {
		synctest.Test(t, func(t *testing.T) {
			pb := startingAfter(t, starts)
			began := time.Now()
			r, fault := pb.Details(t.Context(), discover.DetailsInput{Nodes: []plans.NodeRef{{ID: "wait"}, {ID: "mcp:slow/say"}, {ID: "mcp:slow/say"}}})
			if fault != nil || r.Nodes[0].Code != "" || r.Nodes[1].Code != want || (want == "") != (r.Nodes[2].Skeleton != nil) {
				t.Errorf("it starts after %s: %+v, %v", starts, r, fault)
			}
			if took := time.Since(began); took > 51*time.Second {
				t.Errorf("it starts after %s, and the reply takes %s", starts, took)
			}
		})
	}
}
