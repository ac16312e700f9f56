package mcpserver

import (
	"strings"
	"testing"
)

// The text of an error can be as long as what an expression makes. Replies have its
// beginning and its size.
func TestLongErrors(t *testing.T) {
	c := connect(t, options{})
	const most = 32 << 10
	for _, tt := range []struct{ name, graph, code string }{
		{"error", `{"nodes":[{"id":"entry","type":"entry","next":"t"},{"id":"t","type":"transform","transform":{"expr":"$error($string([1..100000]))"},"next":"exit"},{"id":"exit","type":"exit"}]}`, `"expression-failed"`},
		{"assert", `{"nodes":[{"id":"entry","type":"entry","next":"t"},{"id":"t","type":"transform","transform":{"expr":"$assert(false, $string([1..100000]))"},"next":"exit"},{"id":"exit","type":"exit"}]}`, `"expression-failed"`},
		{"key", `{"outputSchema":{"type":"object","additionalProperties":false},"nodes":[{"id":"entry","type":"entry","next":"t"},{"id":"t","type":"transform","transform":{"expr":"{$string([1..100000]): 1}"},"next":"exit"},{"id":"exit","type":"exit"}]}`, `"invalid-result"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := c.call("run_graph", `{"graph":`+tt.graph+`}`)
			if r.get("error", "code") != tt.code || !strings.Contains(r.text("error", "message"), "of 58") {
				t.Errorf("got %.300s … %.300s", r.Text, r.Text[max(0, len(r.Text)-300):])
			}
			for tool, reply := range map[string]*answer{
				"run_graph": r,
				"get_run":   c.call("get_run", `{"run_id":"`+r.text("run_id")+`"}`),
			} {
				if len(reply.Text) > most {
					t.Errorf("%s replies with %d bytes", tool, len(reply.Text))
				}
			}
		})
	}
	if r := c.call("evaluate", `{"expression":"$error($string([1..100000]))"}`); len(r.Text) > most {
		t.Errorf("evaluate replies with %d bytes", len(r.Text))
	}
}
