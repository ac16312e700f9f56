package execution

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// A RunCase is one of several calls of a graph, and what must come of it: its result or
// the code of its error. Without either, it must succeed. One that passes and has Keep
// becomes a test when the graph is saved.
type RunCase struct {
	Name      string                     `json:"name,omitempty"`
	Arguments json.RawMessage            `json:"arguments,omitempty"`
	Pins      map[string]json.RawMessage `json:"pins,omitempty"`
	Expect    json.RawMessage            `json:"expect,omitempty"` // the result; tests call it result
	Error     string                     `json:"error,omitempty"`
	Keep      bool                       `json:"keep,omitempty"`
}

// caseKeys are the keys of a case as callers write it.
var caseKeys = []string{"name", "arguments", "pins", "expect", "result", "error", "keep"}

// UnmarshalJSON reads a case. What a test has as result is what a case expects;
// arguments may be an object written as text.
func (c *RunCase) UnmarshalJSON(b []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil || members == nil {
		return errors.New("a case is an object such as {arguments: {…}, expect: RESULT}")
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		switch {
		case slices.Contains(caseKeys, key):
		case slices.Contains(testKeys(), key):
			return fmt.Errorf("%q is a key of tests only, which patchbay test runs; a case has %s", key, diag.OneOf(caseKeys, len(caseKeys)))
		default:
			return fmt.Errorf("%q is not a key of a case: use %s", key, diag.OneOf(caseKeys, len(caseKeys)))
		}
	}
	type plain RunCase
	if err := json.Unmarshal(b, (*plain)(c)); err != nil {
		return err
	}
	var text string
	if json.Unmarshal(c.Arguments, &text) == nil && json.Valid([]byte(text)) {
		c.Arguments = json.RawMessage(text)
	}
	result, both := members["result"], len(c.Expect) > 0
	if len(result) > 0 {
		c.Expect = result
	}
	if len(result) > 0 && both || len(c.Expect) > 0 && c.Error != "" {
		return errors.New("a case has one of expect, result and error")
	}
	return nil
}

// ReadCases reads a file of cases, YAML or JSON: a list of cases, or one case. Tests
// that execute a graph can be read as cases.
func ReadCases(name, text string) ([]RunCase, *diag.Fault) {
	doc, found := graph.Parse(name, text)
	if doc == nil {
		return nil, badCase("the cases cannot be read: line %d: %s", found[0].Range.Start.Line, found[0].Message)
	}
	items := doc.Root.Items()
	if doc.Root.Is(graph.Object) {
		items = []graph.Value{doc.Root}
	}
	if len(items) == 0 {
		return nil, badCase("the file has no cases")
	}
	cases := make([]RunCase, len(items))
	for i, item := range items {
		if err := json.Unmarshal(item.JSON(), &cases[i]); err != nil {
			return nil, badCase("case %d: %v", i+1, err)
		}
	}
	return cases, nil
}

// badCase is the fault of cases that cannot be used.
func badCase(format string, args ...any) *diag.Fault {
	return diag.BadArgument("/cases", "cases are a list such as [{arguments: {…}, expect: RESULT}], with pins or error: CODE where needed", format, args...)
}

// Stated reports whether the caller has said what must come of the case.
func (c *RunCase) Stated() bool { return len(c.Expect) > 0 || c.Error != "" }

// label names the case at an index, counted from 0, in a reply.
func (c *RunCase) label(i int) string {
	if c.Name == "" {
		return strconv.Itoa(i + 1)
	}
	return fmt.Sprintf("%d %s", i+1, diag.Cut(c.Name, 60))
}
