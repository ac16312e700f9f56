package downstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
)

// Bounds on one server's list of tools.
const (
	maxPages     = 1000
	maxTools     = 20_000
	maxListBytes = 64 << 20 // of all pages together
	maxNotes     = 20
)

// list asks for all pages of the tools. The notes say what was left out.
func (s *session) list(ctx context.Context) ([]*tooldef.Tool, []string, error) {
	tools := []*tooldef.Tool{}
	var notes []string
	note := func(format string, args ...any) {
		if len(notes) < maxNotes {
			notes = append(notes, s.redact(fmt.Sprintf(format, args...)))
		}
	}
	read := tooldef.Read
	if s.Generated {
		read = tooldef.ReadGenerated
	}
	byName, cursors := map[string]bool{}, map[string]bool{}
	cursor, size := "", 0
	for pages := 0; ; pages++ {
		if pages == maxPages {
			note("it lists more than %d pages of tools; the rest is left out", maxPages)
			break
		}
		raws, next, err := s.page(ctx, cursor)
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Code == jsonrpc.CodeMethodNotFound && pages == 0 {
			return tools, []string{"it has no tools"}, nil
		}
		if err != nil {
			return nil, nil, err
		}
		for _, raw := range raws {
			if size += len(raw); size > s.hub.options.maxListBytes && !s.Generated { // what this program has made is in memory anyway
				note("its list of tools has more than %s; the rest is left out", diag.Bytes(int64(s.hub.options.maxListBytes)))
				return tools, notes, nil
			}
			tool, err := read(s.Name, s.clean(raw), s.Trusted)
			if err == nil && s.hub.options.Gateway {
				tool.Raw = s.clean(raw)
			}
			switch {
			case err != nil:
				note("%s is left out", err)
			case byName[tool.Name]:
				note("a second tool %q is left out", tool.Name)
			case len(tools) == maxTools:
				note("it lists more than %d tools; the rest is left out", maxTools)
				return tools, notes, nil
			default:
				byName[tool.Name] = true
				tools = append(tools, tool)
			}
		}
		if next == "" {
			break
		}
		if cursors[next] {
			note("its pages of tools lead back to one already read")
			break
		}
		cursors[next] = true
		cursor = next
	}
	return tools, notes, nil
}

// page asks for one page of tools, as the server's own bytes.
func (s *session) page(ctx context.Context, cursor string) ([]json.RawMessage, string, error) {
	ctx, taken := transport.WithCapture(ctx)
	decoded, err := s.client.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
	raw, _, _ := taken.Take()
	if raw == nil {
		if err != nil {
			return nil, "", err
		}
		if raw, err = json.Marshal(decoded); err != nil {
			return nil, "", err
		}
	}
	return readPage(raw)
}

// readPage returns the definitions in the result of tools/list, and the next cursor.
func readPage(raw json.RawMessage) ([]json.RawMessage, string, error) {
	var page struct {
		Tools json.RawMessage `json:"tools"`
		Next  any             `json:"nextCursor"`
	}
	var tools []json.RawMessage
	if json.Unmarshal(raw, &page) != nil || page.Tools != nil && json.Unmarshal(page.Tools, &tools) != nil {
		return nil, "", errors.New("its answer to tools/list is not a list of tools")
	}
	next, _ := page.Next.(string)
	return tools, next, nil
}

// clean hides secrets in a definition, which some servers quote in their
// descriptions; it is otherwise the same bytes.
func (s *session) clean(raw json.RawMessage) json.RawMessage {
	if text := s.redact(string(raw)); text != string(raw) && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}
