package cli

import (
	"bufio"
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/tests/graphqltest"
)

// TestTwoAPIsOverHTTP serves two GraphQL APIs from one address, with names of their fields.
func TestTwoAPIsOverHTTP(t *testing.T) {
	isolated(t)
	one, two := httptest.NewServer(&graphqltest.Shop{}), httptest.NewServer(&graphqltest.Shop{})
	defer one.Close()
	defer two.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- Execute(ctx, []string{"graphql", one.URL, two.URL, "--plain-names", "--include", "search", "--http", "127.0.0.1:0"}, nil, io.Discard, write)
		_ = write.Close()
	}()
	lines := bufio.NewScanner(read)
	at := ""
	for at == "" && lines.Scan() {
		at, _ = strings.CutPrefix(lines.Text(), "patchbay: serving ")
		if at == lines.Text() {
			at = ""
		}
	}
	go func() { _, _ = io.Copy(io.Discard, read) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: at}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 || list.Tools[0].Name != "search" || list.Tools[1].Name != "search_2" {
		t.Errorf("%v %v", list, err)
	}
	if r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search_2"}); err != nil || r.IsError {
		t.Errorf("%+v %v", r, err)
	}
	_ = session.Close()
	cancel()
	if code := <-ended; code != command.ExitOK {
		t.Errorf("it ended with %d", code)
	}
}
