package mcpserver

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A client hears of changed lists when it is initialized, and not before.
func TestListsChangeAfterInitialization(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	ours, theirs := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	sent := 0
	send := step(initialized).around(func(context.Context, string, mcp.Request) (mcp.Result, error) { sent++; return nil, nil }) //nolint:nilnil // a notification has no result
	notify := func(p *mcp.ToolListChangedParams) {
		if _, err := send(t.Context(), "notifications/tools/list_changed", &mcp.ServerRequest[*mcp.ToolListChangedParams]{Session: session, Params: p}); err != nil {
			t.Fatal(err)
		}
	}
	if notify(&mcp.ToolListChangedParams{}); sent != 0 {
		t.Error("a session that is not initialized was notified")
	}
	if notify(&mcp.ToolListChangedParams{Meta: mcp.Meta{"io.modelcontextprotocol/subscriptionId": 1}}); sent != 1 {
		t.Error("a subscription was not notified")
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
	connected, err := client.Connect(t.Context(), theirs, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connected.Close() }()
	if notify(&mcp.ToolListChangedParams{}); sent != 2 {
		t.Error("an initialized session was not notified")
	}
}
