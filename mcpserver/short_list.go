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

// shortList leaves the unlisted tools out of the list. They can be called all the same. A
// client that shows pages has them listed for the page, which may call no other tools; a
// model does not read them.
func shortList(pages bool) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			list, ok := res.(*mcp.ListToolsResult)
			if !ok || err != nil {
				return res, err
			}
			short := *list
			short.Tools = nil
			forPage := pages && showsPages(req)
			for _, t := range list.Tools {
				switch {
				case !slices.Contains(unlisted, t.Name):
					short.Tools = append(short.Tools, t)
				case forPage:
					hidden := *t
					hidden.Meta = mcp.Meta{"ui": map[string]any{"visibility": []string{"app"}}}
					short.Tools = append(short.Tools, &hidden)
				}
			}
			return &short, nil
		}
	}
}
