package app

import (
	"bytes"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/textcache"
)

const (
	// allEdits and briefEdits are how many edits are looked for in a change of a
	// definition: for a person, and for a fault.
	allEdits   = 2000
	briefEdits = 200
	// maxDiff is how many characters of a change a fault shows.
	maxDiff = 2000
	// maxChanges is how many changes are kept as faults show them.
	maxChanges = 200
)

// definitionDiff shows a change of a tool's definition line by line.
func definitionDiff(tool string, from, to json.RawMessage, edits int) string {
	if from == nil || to == nil {
		return "the definitions are too large to be compared\n"
	}
	return graph.DiffWithin(tool, indented(from), indented(to), edits)
}

func indented(definition json.RawMessage) string {
	var b bytes.Buffer
	_ = json.Indent(&b, definition, "", "  ") // what is stored is JSON
	return b.String() + "\n"
}

// changes keeps how faults show the changes of definitions, as the same ones are asked for
// again and again until a person has looked at them.
type changes struct{ kept *textcache.Cache[string] }

func newChanges() changes {
	return changes{textcache.New[string](maxChanges, maxChanges<<10)}
}

// brief is the beginning of the change of a tool's definition.
func (c changes) brief(tool, fromHash string, from json.RawMessage, toHash string, to json.RawMessage) string {
	key := tool + "\x00" + fromHash + "\x00" + toHash
	if text, ok := c.kept.Get(key); ok {
		return text
	}
	text := diag.Cut(definitionDiff(tool, from, to, briefEdits), maxDiff)
	c.kept.Add(key, text)
	return text
}
