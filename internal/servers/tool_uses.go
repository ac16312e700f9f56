package servers

import (
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/graph"
)

// A toolUse is what a graph uses of a tool, as far as its document tells.
type ToolUse struct {
	Graph   string
	Doc     *graph.Document
	Args    map[string]json.RawMessage // the arguments that it passes, nil where they are computed
	AnyArgs bool                       // it computes which arguments it passes
	Reads   [][]string                 // places in the result that it reads; an empty one is the whole
}
