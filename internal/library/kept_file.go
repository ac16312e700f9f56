package library

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// A testsFile is the file of a saved graph's tests, while it is decided which of them
// are kept.
type testsFile struct {
	text    string
	cases   []*execution.TestCase
	removed []int // indexes of tests that the cases replace
	failing []int
}

func (f *testsFile) remove(i int) { f.removed = append(f.removed, i) }

// A freshTest is a test made of a case that has passed.
type freshTest struct {
	test   *execution.TestCase
	id     string
	stated bool
}

// fromCases makes tests of cases that have passed, each in the plainest form that has
// the same outcome when it is run again: without what was recorded, with the outcomes
// of calls, or with the times and the random numbers too.
func (k *keptCheck) fromCases(ctx context.Context, passed []execution.PassedCase) []*freshTest {
	var list []*freshTest
	for _, p := range passed {
		arguments, _, _ := strings.Cut(p.ID, "\n")
		label := "the case " + diag.Cut(arguments, 80)
		if p.Name != "" {
			label = fmt.Sprintf("the case %q", p.Name)
		}
		whole := &execution.TestCase{}
		if p.Test == nil || json.Unmarshal(p.Test, whole) != nil {
			k.report.Notes = append(k.report.Notes, fmt.Sprintf("%s is not kept: what it is given and returns has more than %s", label, diag.Bytes(execution.MaxPassedCase)))
			continue
		}
		test := k.plainest(ctx, whole, p.Pins)
		if test == nil {
			k.report.Notes = append(k.report.Notes, label+" is not kept: it has another outcome when it is run again")
			continue
		}
		list = append(list, &freshTest{test, p.ID, p.Stated})
	}
	return list
}

// plainest is the plainest form of a recorded case that has its outcome, or nil.
func (k *keptCheck) plainest(ctx context.Context, whole *execution.TestCase, pins map[string]json.RawMessage) *execution.TestCase {
	plain := &execution.TestCase{Name: whole.Name, Arguments: whole.Arguments, Pins: pins, Result: whole.Result, Error: whole.Error}
	given := &execution.TestCase{Name: whole.Name, Arguments: whole.Arguments, Given: whole.Given, Result: whole.Result, Error: whole.Error}
	forms := []*execution.TestCase{given, whole}
	if !slices.ContainsFunc(whole.Given, func(g execution.GivenStep) bool { return g.Simulated != "pin" }) {
		forms[0] = plain
	}
	for _, form := range forms {
		again, fault := k.replay(ctx, form)
		if fault == nil && form.Problem(again) == "" {
			return form
		}
	}
	return nil
}

// conclude writes the text of the file, and counts. Those that fail stay unless they
// are to be dropped.
func (k *keptCheck) conclude(file *testsFile, fresh []*freshTest, drop, restored bool) {
	k.report.Dropped = drop && len(file.failing) > 0
	gone := slices.Clone(file.removed)
	if k.report.Dropped {
		gone = append(gone, file.failing...)
	}
	left := len(file.cases) - len(gone)
	if room := max(0, plans.MaxCases-left); len(fresh) > room {
		k.report.Notes = append(k.report.Notes, fmt.Sprintf("%d cases are not kept: a graph has at most %d tests", len(fresh)-room, plans.MaxCases))
		fresh = fresh[:room]
	}
	k.report.Added, k.report.Kept = len(fresh), left+len(fresh)
	if k.report.Kept == 0 {
		k.report.File = ""
	}
	if len(gone)+len(fresh) == 0 && !restored {
		return
	}
	text := file.with(gone, fresh)
	k.text = &text
}

// with is the text of the file without some of its tests and with others. The rest stays
// as it was written, if that is a list that can be continued.
func (f *testsFile) with(gone []int, fresh []*freshTest) string {
	var added bytes.Buffer
	for _, n := range fresh {
		if text, fault := n.test.Yaml(); fault == nil {
			added.Write(text)
		}
	}
	var kept []*execution.TestCase
	for i, c := range f.cases {
		if !slices.Contains(gone, i) {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return added.String()
	}
	if text, ok := f.edited(gone, added.String()); ok && len(kept)+len(fresh) == countTests(text) {
		return text
	}
	var all bytes.Buffer
	for _, c := range kept {
		if text, fault := c.Yaml(); fault == nil {
			all.Write(text)
		}
	}
	return all.String() + added.String()
}

// edited is the text with the tests removed in place and others appended.
func (f *testsFile) edited(gone []int, added string) (string, bool) {
	doc, _ := graph.Parse("tests", f.text)
	if doc == nil || !doc.Root.Is(graph.Array) {
		return "", false
	}
	items := doc.Root.Items()
	fixes := lists.Each(gone, func(i int) diag.Fix { return items[i].Remove("") })
	text := f.text
	if len(fixes) > 0 {
		text = diag.ApplyEdits(text, graph.Join("", fixes...).Edits)
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + added, true
}

// countTests is how many tests a text has, 0 if it cannot be read.
func countTests(text string) int {
	cases, _ := execution.ReadTests("tests", text)
	return len(cases)
}
