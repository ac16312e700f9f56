//go:build linux

package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// A process is a command that does not end by itself.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *output
	ended chan struct{}
	id    int
}

// run runs a command, and returns what it prints.
func (c *clone) run(cmd command) string {
	c.t.Helper()
	p, out := c.command(cmd.args...)
	if cmd.until == nil {
		_ = p.Run() // most commands fail
		return out.String()
	}
	proc := &process{cmd: p, out: out, ended: make(chan struct{})}
	var err error
	if proc.stdin, err = p.StdinPipe(); err == nil {
		err = p.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	go func() {
		defer close(proc.ended)
		_ = p.Wait()
		out.end()
	}()
	cmd.until(c, proc)
	_ = proc.stdin.Close()
	_ = p.Process.Signal(os.Interrupt)
	<-proc.ended
	return out.String()
}

// ask sends a request of MCP over stdin, and returns the reply.
func (p *process) ask(c *clone, method string, params any) string {
	c.t.Helper()
	p.id++
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": p.id, "method": method, "params": params})
	if err == nil {
		_, err = p.stdin.Write(append(b, '\n'))
	}
	if err != nil {
		c.t.Errorf("%v\n%s", err, p.out)
		return ""
	}
	reply := p.out.find(regexp.MustCompile(fmt.Sprintf(`(?m)^\{.*"id":%d\b.*\n`, p.id)))
	if reply == "" {
		c.t.Errorf("no reply to %s %v\n%s", method, params, p.out)
	}
	return reply
}

func (p *process) call(c *clone, tool string, arguments map[string]any) string {
	c.t.Helper()
	return p.ask(c, "tools/call", map[string]any{"name": tool, "arguments": arguments})
}

// session is an agent's session over stdio: it looks at everything, and sends one call of
// a destructive tool, which a person must permit.
func session(c *clone, p *process) {
	if c.role.fault {
		<-p.ended
		return
	}
	p.ask(c, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "agent", "version": "1"}})
	if _, err := io.WriteString(p.stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		c.t.Error(err)
	}
	c.await()
	list := p.ask(c, "tools/list", nil)
	if strings.Contains(list, `"evil"`) {
		c.t.Errorf("the graph of the clone is a tool: %s", list)
	}
	if slices.Contains(p.cmd.Args, "--tools-only") {
		return
	}
	p.call(c, "search_nodes", map[string]any{"query": "look destroy", "include_details": true})
	p.call(c, "list_graphs", nil)
	p.call(c, "run_graph", map[string]any{"name": "evil"})
	p.call(c, "run_node", map[string]any{"id": "mcp:own/destroy", "arguments": map[string]any{"by": "calls.allow"}})
	p.call(c, "list_runs", nil)
	p.call(c, "run_node", map[string]any{"id": "mcp:own/look", "arguments": map[string]any{"by": "me"}})
}

// await waits until the user's server has listed its tools, if it is one in this clone.
func (c *clone) await() {
	c.t.Helper()
	if c.mode == own || c.role.fault {
		return
	}
	c.hear(c.ready, "listed its tools")
}

var address = regexp.MustCompile(`(?m)(^|: serving )http://127\.0\.0\.1:\d+/\S*\s`)

// overHTTP looks at what serves HTTP, and posts to the webhook of the clone.
func overHTTP(c *clone, p *process) {
	url := p.out.find(address)
	if url == "" && c.role.fault {
		return
	}
	if url == "" {
		c.t.Errorf("it serves nothing: %s", p.out)
		return
	}
	url = strings.TrimSpace(strings.TrimPrefix(url, ": serving "))
	c.await()
	for _, path := range []string{url, url[:strings.Index(url[7:], "/")+7] + "/hooks/evil?token=known"} {
		request, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, path, strings.NewReader("{}"))
		if err != nil {
			c.t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		r, err := http.DefaultClient.Do(request)
		if err != nil {
			c.t.Error(err)
			continue
		}
		_ = r.Body.Close()
		if strings.Contains(path, "/hooks/") && r.StatusCode < 400 {
			c.t.Errorf("the webhook of the clone answers %s", r.Status)
		}
	}
}
