package mcpserver

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What reads the catalog waits until it is loaded, also to complete the name of a node.
func TestRequestsWaitForTheCatalog(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	for method, waits := range map[string]bool{
		"initialize": false, "server/discover": false, "ping": false, "logging/setLevel": false, "notifications/initialized": false, "subscriptions/listen": false,
		"tools/list": true, "tools/call": true, "resources/read": true, "prompts/list": true, "prompts/get": true, "completion/complete": true, "tasks/get": true,
	} {
		served := false
		serve := after(make(chan struct{})).around(func(context.Context, string, mcp.Request) (mcp.Result, error) {
			served = true
			return nil, nil
		})
		if _, err := serve(ctx, method, nil); served == waits || waits != (err != nil) {
			t.Errorf("%s: served %t before the catalog is loaded, %v", method, served, err)
		}
	}
}
