package execution

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

// A TestCase is one call of a graph and what must come of it: its result, or the code
// of its error. A recorded case has the outcomes of calls, waits and answers, too.
// Running it touches nothing outside.
type TestCase struct {
	Name      string          `json:"name,omitempty" jsonschema:"what the case is about"`
	Graph     string          `json:"graph,omitempty" jsonschema:"a file, relative to that of the tests, or a saved graph; without it, the file next to the tests"`
	Tool      string          `json:"tool,omitempty" jsonschema:"which tool of a document with several"`
	Arguments json.RawMessage `json:"arguments,omitempty" jsonschema:"arguments of the call"`

	// Of a case that runs the graph.
	Calls  string                     `json:"calls,omitempty" jsonschema:"any: call tools too that are not known to be read-only"`
	Pins   map[string]json.RawMessage `json:"pins,omitempty" jsonschema:"outputs that nodes are given, by their IDs"`
	Until  string                     `json:"until,omitempty" jsonschema:"ID of the node before which the run ends"`
	Answer *TestAnswer                `json:"answer,omitempty" jsonschema:"the answer to the question that the run asks"`
	Resume *TestDecision              `json:"resume,omitempty" jsonschema:"how the run continues that has failed"`

	// Of a recorded case.
	Run   string           `json:"run,omitempty" jsonschema:"ID of the recorded run, from which follows what $random draws"`
	At    time.Time        `json:"at,omitzero" jsonschema:"what $now answers"`
	Clock map[string]int64 `json:"clock,omitempty" jsonschema:"milliseconds from at to a step, by its key, in a graph that asks for the time"`
	Given []GivenStep      `json:"given,omitempty" jsonschema:"outcomes of what came from outside of the run"`
	Path  []string         `json:"path,omitempty" jsonschema:"keys of the steps, in the order in which they began"`

	Result json.RawMessage `json:"result,omitempty" jsonschema:"the result that is expected"`
	Error  string          `json:"error,omitempty" jsonschema:"the code of the error that is expected"`

	Document string `json:"document,omitempty" jsonschema:"the text of the graph, instead of graph"`
}

// A GivenStep is the outcome of a step that called a tool, waited or asked.
type GivenStep struct {
	Step      string          `json:"step" jsonschema:"its key, or the ID of a node that is executed once"`
	Output    json.RawMessage `json:"output,omitempty" jsonschema:"its output"`
	Error     *diag.Fault     `json:"error,omitempty" jsonschema:"why it failed"`
	Caught    bool            `json:"caught,omitempty" jsonschema:"whether the run continued after the error, with the output"`
	Simulated string          `json:"simulated,omitempty" jsonschema:"pin, skip, schema or dry_run, where the output was not computed"`
}

// A TestAnswer is a person's answer to the question that the run asks.
type TestAnswer struct {
	Action  string          `json:"action"`
	Content json.RawMessage `json:"content,omitempty"`
}

// A TestDecision is how a run continues that has failed, as in [ResumeRunInput].
type TestDecision struct {
	Decision string          `json:"decision"`
	Pin      json.RawMessage `json:"pin,omitempty"`
}

// Recorded reports whether the outcomes of what is outside of the run are given.
func (c *TestCase) Recorded() bool { return c.Run != "" || len(c.Given) > 0 || len(c.Path) > 0 }

// GraphsTested lists the paths at which the graphs may be that a file of tests is about;
// executed are those that it runs, for which servers are needed.
func GraphsTested(name, text string) (all, executed []string) {
	cases, _ := ReadTests(name, text)
	for _, c := range cases {
		if c.Document != "" {
			continue
		}
		paths := c.graphPaths(name)
		all = append(all, paths...)
		if !c.Recorded() {
			executed = append(executed, paths...)
		}
	}
	return all, executed
}

// graphPaths are the paths at which the graph of a case may be: that of name.test.yaml is
// name.yaml. There are none for a saved graph.
func (c *TestCase) graphPaths(tests string) []string {
	if c.Graph != "" {
		if !strings.ContainsAny(c.Graph, `./\\`) {
			return nil
		}
		return []string{filepath.Join(filepath.Dir(tests), filepath.FromSlash(c.Graph))}
	}
	base, ok := strings.CutSuffix(strings.TrimSuffix(tests, filepath.Ext(tests)), ".test")
	if !ok {
		return nil
	}
	return []string{base + ".yaml", base + ".yml", base + ".json"}
}

// formerTest is a test as earlier versions wrote it: one of a file, and what it expects
// in a member of its own.
type formerTest struct {
	Expect struct {
		Error  string          `json:"error"`
		Result json.RawMessage `json:"result"`
		Path   []string        `json:"path"`
	} `json:"expect"`
}

// BadTest is the fault of a file of tests that cannot be used.
func BadTest(format string, args ...any) *diag.Fault {
	return diag.Faultf(graphfiles.CodeBadTest, format, args...).WithHint("a test file is a list of cases with arguments, and result or error; patchbay runs save-test ID writes one")
}

// ReadTests reads a file of tests: a list of cases, or one case.
func ReadTests(name, text string) ([]*TestCase, *diag.Fault) {
	doc, found := graph.Parse(name, text)
	if doc == nil {
		return nil, BadTest("the tests cannot be read: line %d: %s", found[0].Range.Start.Line, found[0].Message)
	}
	items := doc.Root.Items()
	if doc.Root.Is(graph.Object) {
		items = []graph.Value{doc.Root}
	}
	if len(items) == 0 {
		return nil, BadTest("the file has no test cases")
	}
	var cases []*TestCase
	for i, item := range items {
		c, fault := readTest(item)
		if fault != nil {
			fault.Message = fmt.Sprintf("case %d: %s", i+1, fault.Message)
			return nil, fault
		}
		if c.Name == "" {
			c.Name = fmt.Sprintf("case %d", i+1)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func readTest(v graph.Value) (*TestCase, *diag.Fault) {
	c := &TestCase{}
	former := v.Has("expect")
	for _, key := range v.Keys() {
		if names := testKeys(); !slices.Contains(names, key) && (!former || key != "expect") {
			f := BadTest("%q is not a key of a test case", key)
			f.Suggestions = diag.Closer(key, names, 1)
			return nil, f
		}
	}
	if err := json.Unmarshal(v.JSON(), c); err != nil {
		return nil, BadTest("the case cannot be read: %v", err)
	}
	if former {
		var t formerTest
		if err := json.Unmarshal(v.JSON(), &t); err != nil {
			return nil, BadTest("the case cannot be read: %v", err)
		}
		c.Error, c.Result, c.Path = t.Expect.Error, t.Expect.Result, t.Expect.Path
	}
	switch {
	case c.Error != "" && len(c.Result) > 0:
		return nil, BadTest("the case has both result and error")
	case c.Error == "" && len(c.Result) == 0 && len(c.Path) == 0:
		return nil, BadTest("the case has neither result nor error")
	case c.Recorded() && (len(c.Pins) > 0 || c.Answer != nil || c.Resume != nil || c.Until != "" || c.Calls != ""):
		return nil, BadTest("the case has given, path or run: its graph is replayed, which has no calls, pins, until, answer and resume")
	case c.Calls != "" && c.Calls != CallsAny && c.Calls != callsReadOnly:
		return nil, BadTest("unknown calls %q: use %s (the default) or %s", c.Calls, callsReadOnly, CallsAny)
	}
	return c, nil
}

// testKeys are the keys of a test case.
func testKeys() []string {
	var keys []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[TestCase]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, name)
	}
	return keys
}

// Problem says how a run differs from what a case wants, or nothing.
func (c *TestCase) Problem(rec *run.Record) string {
	r := runResult(rec, reply.TraceNone)
	switch {
	case r.Error != nil && r.Error.Code == c.Error:
		return ""
	case r.Error != nil && c.Error == "" && len(c.Result) > 0:
		return FailedLine(r.Error)
	case c.Error != "" && r.Error != nil:
		return "differs: want error " + c.Error + ", got " + errorLine(r.Error)
	case c.Error != "":
		return "differs: want error " + c.Error + ", got " + reply.InLine(r.Result)
	case len(c.Result) == 0: // a former test, which has only a path
		return ""
	}
	if d := reply.FirstDifference(c.Result, r.Result); d != nil {
		return d.String()
	}
	return ""
}

// ID tells the call of a test from others, as [caseID] does.
func (c *TestCase) ID() string {
	pins := map[string]json.RawMessage{}
	maps.Copy(pins, c.Pins)
	for _, g := range c.Given {
		if g.Simulated == "pin" {
			id, _, _ := strings.Cut(g.Step, "#")
			pins[id] = g.Output
		}
	}
	return caseID(c.Arguments, pins)
}

// SameOutcome reports whether two tests want the same.
func (c *TestCase) SameOutcome(other *TestCase) bool {
	return c.Error == other.Error && (c.Error != "" || reply.FirstDifference(c.Result, other.Result) == nil)
}
