package mcpserver

import "github.com/patchbay-mcp/patchbay/internal/app"

// LeftOut says what a gateway would leave out of what the servers offer now, and why.
func LeftOut(pb *app.App, expose app.Expose) []string {
	g := &gateway{pb: pb, expose: expose}
	return g.route().left
}
