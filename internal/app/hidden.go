package app

import "context"

// Hidden reports whether the client that an operation is done for does not see a
// downstream tool.
func (pb *App) Hidden(ctx context.Context, server, tool string) bool {
	return false
}
