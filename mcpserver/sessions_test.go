package mcpserver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/request"
)

// What becomes of the runs of an HTTP session when the client ends it is the
// operator's decision. By default they finish, and nobody waits for them.
func TestRunsOfASessionThatEnds(t *testing.T) {
	for policy, want := range map[request.Disconnect]string{"finish": `"status":"running"`, "park": `"code":"shutting-down"`, "cancel": `"status":"cancelled"`} {
		t.Run(string(policy), func(t *testing.T) {
			url, shop := listenWith(t, options{sessions: NewSessions(policy)})
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			connect := func() *mcp.ClientSession {
				s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
					&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: transport}}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			}
			call := func(s *mcp.ClientSession, tool, args string) string {
				r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: raw(args)})
				if err != nil {
					return err.Error()
				}
				return r.Content[0].(*mcp.TextContent).Text
			}
			leaver, other := connect(), connect()
			go call(leaver, "run_graph", `{"graph":`+one("wait", "{}")+`}`)
			<-shop.calls
			req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Mcp-Session-Id", leaver.ID())
			resp, err := transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			runs := shop.app.Runner.RunningIDs()
			if policy == "finish" != (len(runs) == 1) {
				t.Fatalf("%d runs are in progress", len(runs))
			}
			if policy == "finish" {
				if got := call(other, "get_run", `{"run_id":"`+runs[0]+`"}`); !strings.Contains(got, want) {
					t.Errorf("the run is %s", got)
				}
				close(shop.release)
				if err := <-shop.ended; err != nil {
					t.Errorf("its call has ended: %v", err)
				}
				return
			}
			list, fault := shop.app.Runs(request.WithActor(t.Context(), request.Local), execution.RunsInput{})
			if fault != nil || len(list.Runs) != 1 {
				t.Fatalf("%+v %v", list, fault)
			}
			if got := call(other, "get_run", `{"run_id":"`+list.Runs[0].ID+`"}`); !strings.Contains(got, want) {
				t.Errorf("the run is %s", got)
			}
		})
	}
}
