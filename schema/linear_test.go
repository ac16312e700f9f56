package schema

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/linear"
)

// TestDoublingReferences puts schemas whose references double from level to level through
// all that reads schemas.
func TestDoublingReferences(t *testing.T) {
	uses := map[string]func(json.RawMessage){
		"compile": func(raw json.RawMessage) { _ = Verify(raw) },
		"usable":  func(raw json.RawMessage) { _, _, _ = Usable(raw) },
		"check": func(raw json.RawMessage) {
			(&Schema{Raw: raw}).Check([]byte(`{"p":{"a":{"a":{"b":{"a":1}}},"b":[[[]]]}}`))
		},
		"types":      func(raw json.RawMessage) { Read(raw).Types(); Read(raw).Property("p").Types() },
		"type":       func(raw json.RawMessage) { TypeOf(raw) },
		"connect":    func(raw json.RawMessage) { dataFault(raw, raw) },
		"sample":     func(raw json.RawMessage) { Sample(Read(raw)) },
		"arguments":  func(raw json.RawMessage) { Arguments(Read(raw)) },
		"parameters": func(raw json.RawMessage) { Parameters(Read(raw)) },
	}
	for form := range linear.Schemas("", 0) {
		for use, do := range uses {
			t.Run(form+"/"+use, func(t *testing.T) {
				first := 4
				switch use {
				case "arguments":
					first = 8 // fewer levels are not checked against the schema
				case "type", "connect":
					first = 16 // there are as many subschemas as are read of one
				}
				linear.Work(t, first, func(levels int) func() {
					defs := linear.Schemas("#/$defs/", levels)[form]
					raw := json.RawMessage(`{"type":"object","required":["p"],"properties":{"p":{"$ref":"#/$defs/l0"}},"$defs":{` + defs + `}}`)
					return func() { do(raw) }
				})
			})
		}
	}
}
