package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A run that continues after its reply is finished by the next start, whether the
// process is killed or the client leaves: the end of the input is the end of the server.
func TestServeFinishesRunsWithoutACall(t *testing.T) {
	for how, end := range map[string]func(*recovery, *visited){"interrupted crashed": (*recovery).kill, "interrupted shutting-down": (*recovery).leave} {
		t.Run(how, func(t *testing.T) {
			r := newRecovery(t)
			dir := r.project()
			s := r.serve(dir)
			graph := fmt.Sprintf(`
nodes:
  - {id: entry, type: entry, next: ask}
  - {id: ask, type: mcp, server: d, tool: ask, args: {addr: %q, name: x}, next: exit}
  - {id: exit, type: exit}
`, r.l.Addr())
			call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": map[string]any{
				"name": "run_graph", "arguments": map[string]any{"graph": graph, "background": true},
			}})
			if err != nil {
				t.Fatal(err)
			}
			if reply := s.ask(t, string(call)); !strings.Contains(reply, `"status":"running"`) {
				t.Fatal(reply)
			}
			r.called("x")
			end(r, s)
			if got, rec := r.stands(0); got != how {
				t.Errorf("the run is %s: %v", got, rec.Fault)
			}
			s = r.serve(dir)
			s.ask(t, searchTicket)
			r.answer(r.called("x"))
			r.logged(s, "status=succeeded")
			r.leave(s)
			if got, rec := r.stands(0); got != "succeeded" || resultText(rec) != `{"said":"go"}` {
				t.Errorf("the run is %s: %s", got, resultText(rec))
			}
		})
	}
}
