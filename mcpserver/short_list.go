package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// unlisted are the tools that are left out of tools/list, in the order of the reference.
// A model reads the whole list before its first call; these tools are needed after
// certain replies only, which give their call.
var unlisted = func() (names []string) {
	for _, o := range app.Operations() {
		if o.Unlisted {
			names = append(names, o.Tool)
		}
	}
	return names
}()

// unlistedTools tells a client of them: some refuse to call a tool that is not listed.
var unlistedTools = fmt.Sprintf("The tools %s are not listed, but can be called: replies give their calls. If your client refuses them, it needs patchbay serve --all-tools.", strings.Join(unlisted, ", "))

// shortList leaves the unlisted tools out of the list. They can be called all the same.
func shortList(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			short := *list
			short.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *mcp.Tool) bool { return slices.Contains(unlisted, t.Name) })
			return &short, nil
		}
		return res, err
	}
}
