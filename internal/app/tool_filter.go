package app

import (
	"context"
	"encoding/json"
)

// A ListedTool is a tool of tools/list.
type ListedTool struct {
	Server, Tool string          // of a downstream server; "" of a tool of Patchbay or a saved graph
	Definition   json.RawMessage // as the client gets it; its name and anything else may be changed
}

// A ToolFilter changes what one client sees: it returns the tools that the client gets,
// changed or not. It may be called by several at the same time, and must not change the
// bytes that it gets. What it returns without a valid name or with an inputSchema that is
// not of an object is left out of tools/list, and logged. A downstream tool that it leaves
// out is hidden: the client does not find it, and cannot call or use it in graphs. An
// error is the answer to tools/list; then all downstream tools are hidden.
type ToolFilter func(ctx context.Context, client string, tools []ListedTool) ([]ListedTool, error)

// FilterTools makes f change what clients see; nil changes nothing.
func (a *App) FilterTools(f ToolFilter) {
	if f == nil {
		a.policy.filter.Store(nil)
	} else {
		a.policy.filter.Store(&f)
	}
	a.policy.views.clear()
	a.announceOffer()
}

// Filter returns what changes the tools that clients see, or nil.
func (a *App) Filter() ToolFilter {
	if f := a.policy.filter.Load(); f != nil {
		return *f
	}
	return nil
}

type clientIDKey struct{}

// WithClientID says which client operations are done for: its authenticated principal, or
// the name that it gives itself. Hidden tools are hidden from clients only.
func WithClientID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, clientIDKey{}, id)
}

// ClientID is the client that an operation is done for; ok is false if it is done for
// the operator.
func ClientID(ctx context.Context) (id string, ok bool) {
	id, ok = ctx.Value(clientIDKey{}).(string)
	return id, ok
}
