package policy

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

// SetFilter makes f change the tools that clients see; nil changes nothing.
func (pol *Policy) SetFilter(f *ToolFilter) { pol.filter.Store(f) }

// Filter returns what changes the tools that clients see, or nil.
func (pol *Policy) Filter() ToolFilter {
	if f := pol.filter.Load(); f != nil {
		return *f
	}
	return nil
}
