package setup

import (
	"bytes"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// The reason of a server that failed is read to its end, on a narrow terminal too.
func TestReasonsOfServersAreWhole(t *testing.T) {
	reason := "its first line is not JSON-RPC: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"
	var out bytes.Buffer
	t.Chdir(t.TempDir())
	MCPListPresenter.Print(&command.Invocation{Flags: &command.Flags{}, Out: &discover.ServersResult{Servers: []downstream.Status{
		{Name: "docker", State: "failed", Transport: "stdio", Reason: reason},
		{Name: "files", State: "ready", Transport: "stdio", Tools: 14},
	}}}, &term.Page{Writer: &out, Width: 80})
	for line := range strings.Lines(out.String()) {
		if len(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("a line is wider than 80 columns: %q", line)
		}
	}
	if flat := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(flat, "docker: "+reason) {
		t.Errorf("the reason is not whole in:\n%s", out.String())
	}
}
