package servers

import (
	"bytes"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
)

const (
	// maxEdits and maxBriefEdits limit the edits that a diff of definitions searches for:
	// one for a person, and one in a fault.
	MaxEdits      = 2000
	maxBriefEdits = 200
	// maxDiff limits the characters of a diff in a fault.
	maxDiff = 2000
	// maxChanges limits the diffs that are cached.
	maxChanges = 200
)

// DefinitionDiff returns the change of a tool's definition as a unified diff.
func DefinitionDiff(tool string, from, to json.RawMessage, edits int) string {
	if from == nil || to == nil {
		return "the definitions are too large to be compared\n"
	}
	return graph.DiffWithin(tool, indented(from), indented(to), edits)
}

// indented is a definition for people: characters that they would not see are escaped.
func indented(definition json.RawMessage) string {
	var b bytes.Buffer
	_ = json.Indent(&b, definition, "", "  ") // a stored definition is valid JSON
	return diag.Visible(b.String()) + "\n"
}

// changes caches diffs of definitions for faults: a changed tool causes the same fault until
// a person approves the change.
type changes struct{ Kept *cache.Cache[string, string] }

func newChanges() changes {
	return changes{cache.Texts[string](maxChanges, maxChanges<<10)}
}

// Brief returns the beginning of the diff of a tool's definition.
func (c changes) Brief(tool, fromHash string, from json.RawMessage, toHash string, to json.RawMessage) string {
	key := tool + "\x00" + fromHash + "\x00" + toHash
	if text, ok := c.Kept.Get(key); ok {
		return text
	}
	text := diag.Cut(DefinitionDiff(tool, from, to, maxBriefEdits), maxDiff)
	c.Kept.Add(key, text)
	return text
}
