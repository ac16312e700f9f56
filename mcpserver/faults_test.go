package mcpserver

import (
	"fmt"
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

// Names as long as a document, and graphs of very many nodes, do not make long
// replies.
func TestLongNames(t *testing.T) {
	c := connect(t, options{})
	long := strings.Repeat("k", 200_000)
	var chain strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&chain, `{"id":"step%d","type":"transform","transform":{"expr":"1"},"next":"step%d"},`, i, i+1)
	}
	for name, graph := range map[string]string{
		"key":   `{"` + long + `":1,"nodes":[{"id":"entry","type":"entry","next":"exit","` + long + `":1},{"id":"exit","type":"exit"}]}`,
		"id":    `{"nodes":[{"id":"entry","type":"entry","next":"` + long + `"},{"id":"` + long + `","type":"transform","transform":{"expr":"1"},"next":"exit"},{"id":"exit","type":"exit"}]}`,
		"chain": `{"nodes":[{"id":"entry","type":"entry","next":"step0"},` + chain.String() + `{"id":"step5000","type":"exit"}]}`,
	} {
		r := c.call("validate_graph", `{"graph":`+graph+`}`)
		if len(r.Text) > 64<<10 {
			t.Errorf("%s: a reply of %d bytes", name, len(r.Text))
		}
		if name == "id" {
			r.want(t, map[string]string{"valid": "false", "errors/0/code": `"long-id"`})
			continue
		}
		r.want(t, map[string]string{"valid": "true"})
		if name == "chain" {
			r.says(t, `-> …`, `5002 nodes in all`)
		}
		if name == "key" && !strings.Contains(r.text("warnings", "0", "message"), "of 200") {
			t.Errorf("no size: %s", r.get("warnings", "0", "message"))
		}
	}
}
