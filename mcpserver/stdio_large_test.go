package mcpserver

import (
	"strings"
	"testing"
)

// A graph of 10 MB comes through the transport and is judged.
func TestStdioLargeGraph(t *testing.T) {
	c := connect(t, options{})
	r := c.call("validate_graph", `{"graph":{"nodes":[],"description":"`+strings.Repeat("x", 10<<20)+`"}}`)
	r.says(t, `"valid":false`, "more than the limit of 10485760")
	if len(r.Text) > 10_000 {
		t.Errorf("the reply has %d bytes", len(r.Text))
	}
}
