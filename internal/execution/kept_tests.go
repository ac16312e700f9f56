package execution

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

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

// Id tells the call of a test from others, as [caseID] does.
func (c *TestCase) Id() string {
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
