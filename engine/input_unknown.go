package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/schema"
)

// UnknownArguments returns the fault invalid-arguments of a call with arguments that the
// input schema does not declare: which they are, which were meant, and what else is wrong.
// It is nil if all are declared, or if the schema says that there may be others, as with
// additionalProperties: true.
func (p *Plan) UnknownArguments(arguments json.RawMessage) *diag.Fault {
	var given map[string]json.RawMessage
	if p.input == nil || json.Unmarshal(arguments, &given) != nil {
		return nil // what is not an object is refused by [Plan.Input]
	}
	input := p.input.Root()
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(given)), func(name string) bool { return input.Property(name) != nil })
	if len(unknown) == 0 || !input.Closed() && (input.Get("properties").Len() == 0 || saysOthers(func(key string) bool { return input.Get(key) != nil })) {
		return nil
	}
	found := []schema.Mismatch{{Message: "unknown " + schema.QuoteAll(unknown)}}
	_, filled, _ := p.filled(arguments)
	for _, m := range p.input.Check(filled) {
		if m.Keyword != "additionalProperties" || len(m.Path) > 0 {
			found = append(found, m)
		}
	}
	f := schema.Fault("invalid-arguments", "the arguments do not satisfy the input schema", "/arguments", found)
	names := input.PropertyNames()
	free := newFreeArgs(names, func(name string) bool { return given[name] != nil }, input)
	var hints []string
	for _, name := range unknown[:min(len(unknown), 5)] {
		if near := free.meant(name, true); near != "" {
			hints = append(hints, fmt.Sprintf("did you mean %q instead of %q?", near, name))
			f.Suggestions = append(f.Suggestions, near)
		}
	}
	if f.Hint = strings.Join(hints, " "); f.Hint == "" {
		f.Hint = "its arguments are " + diag.OneOf(names, 12)
	}
	return f
}
