package apis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/schema"
)

// CheckArguments returns the arguments of a call that fit the inputSchema of its tool, before
// anything is requested. An optional argument that is null, and may not be, is left out of
// them. The error is for who called.
func CheckArguments(inputSchema, arguments json.RawMessage) (json.RawMessage, error) {
	if arguments = bytes.TrimSpace(arguments); len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(arguments, &given) != nil {
		return nil, errors.New("the arguments are not a JSON object")
	}
	s := schema.New(inputSchema)
	names := s.Root().PropertyNames()
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			return nil, unknownArgument(name, names)
		}
	}
	for _, name := range s.Root().Required() {
		if _, ok := given[name]; !ok {
			return nil, fmt.Errorf("the argument %q is required", name)
		}
	}
	found := s.Check(arguments)
	for _, m := range found {
		if len(m.Path) == 1 && string(given[m.Path[0]]) == "null" && !s.Root().Requires(m.Path[0]) {
			delete(given, m.Path[0])
		}
	}
	if len(found) > 0 {
		arguments, _ = json.Marshal(given) //nolint:errchkjson // it was read
		found = s.Check(arguments)
	}
	// What takes too long to check, the API checks itself.
	found = slices.DeleteFunc(found, func(m schema.Mismatch) bool { return m.Keyword == "limit" })
	if len(found) > 0 {
		return nil, schema.Fault("", "the arguments do not fit", "", found)
	}
	return arguments, nil
}

// unknownArgument is the error of an argument that a tool does not have: APIs ignore those.
func unknownArgument(name string, names []string) error {
	if near := diag.Closest(name, names); near != "" {
		return fmt.Errorf("there is no argument %s: did you mean %q?", diag.Quote(name), near)
	}
	if len(names) == 0 {
		return fmt.Errorf("there is no argument %s: the operation has none", diag.Quote(name))
	}
	return fmt.Errorf("there is no argument %s: the operation has %s", diag.Quote(name), diag.OneOf(names, 20))
}
