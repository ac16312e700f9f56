package app_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// A keeping App has a folder of saved graphs.
type keeping struct {
	*app.App
	t     *testing.T
	dir   string
	calls int // of the tool shop/order
}

// keeper is an App that saves graphs, over a shop whose tool is not read-only.
func keeper(t *testing.T) *keeping {
	t.Helper()
	k := &keeping{t: t, dir: t.TempDir()}
	graphs, err := graphfiles.OpenGraphs(k.dir)
	if err != nil {
		t.Fatal(err)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "order", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		k.calls++
		return &mcp.CallToolResult{StructuredContent: map[string]any{"number": k.calls}}, nil
	})
	k.App = started(t, app.Options{Graphs: graphs, Servers: []downstream.Server{{Name: "shop", InProcess: s}}})
	return k
}

// tool is a saved graph called double with these nodes between entry and exit.
func tool(nodes string) string {
	return "name: double\ndescription: Doubles\ninputSchema: {type: object}\noutputSchema: {}\nnodes:\n  - {id: entry, type: entry, next: a}\n" + nodes
}

// doubler computes n * factor.
func doubler(factor string) string {
	return tool("  - {id: a, type: transform, transform: {expr: '{\"n\": $.entry.n * " + factor + "}'}, next: exit}\n  - {id: exit, type: exit}\n")
}

// ordering calls the shop and answers with the number of the order.
func ordering(id string) string {
	return strings.ReplaceAll(tool("  - {id: a, type: mcp, server: shop, tool: order, args: {}, next: exit}\n  - {id: exit, type: exit, result: {expr: '{\"order\": $.a.number}'}}\n"), "next: a", "next: "+id)
}

// pass runs cases that are kept, and fails if one does not pass.
func (k *keeping) pass(src, list string) {
	k.t.Helper()
	in := execution.RunInput{GraphInput: plans.FromText("g", src, ""), Cases: cases(k.t, list)}
	for i := range in.Cases {
		in.Cases[i].Keep = true
	}
	if r, fault := k.Run(k.t.Context(), in); fault != nil || r.Failed() {
		k.t.Fatalf("%v %+v", fault, r)
	}
}

func (k *keeping) save(src string, in library.SaveInput) *library.SaveResult {
	k.t.Helper()
	if in.Restore == "" {
		in.GraphInput = plans.FromText("g", src, "")
	}
	r, fault := k.Save(k.t.Context(), in)
	if fault != nil {
		k.t.Fatal(fault)
	}
	return r
}

// file is the text of the tests.
func (k *keeping) file() string {
	b, err := os.ReadFile(filepath.Join(k.dir, "double.test.yaml"))
	if err != nil {
		return ""
	}
	return string(b)
}

// passes runs the tests as patchbay test does.
func (k *keeping) passes() {
	k.t.Helper()
	for _, r := range k.Tests.Run(k.t.Context(), execution.TestInput{Name: filepath.Join(k.dir, "double.test.yaml"), Text: k.file(), Read: func(path string) (string, error) {
		b, err := os.ReadFile(path)
		return string(b), err
	}}) {
		if !r.Passed {
			k.t.Errorf("%s: %v %+v", r.Name, r.Error, r.Differences)
		}
	}
}

// A case that is run to look, and one that is saved with the graph and expects nothing,
// becomes no test; keep makes it one, and so does an expectation that is saved.
func TestOnlyChosenCasesAreKept(t *testing.T) {
	k := keeper(t)
	if r := runCases(t, k.App, doubler("2"), "[{arguments: {n: 1}}, {arguments: {n: 2}, expect: {n: 4}}, {arguments: {n: 3}, keep: true}]"); r.Failed() {
		t.Fatal(r.Cases.Lines)
	}
	r := k.save(doubler("2"), library.SaveInput{Cases: cases(t, "[{arguments: {n: 4}}, {arguments: {n: 5}, expect: {n: 10}}, {arguments: {n: x}, error: expression-failed}, {arguments: {n: 6}, keep: true}]")})
	if r.Failed() {
		t.Fatal(r.Error)
	}
	if want := "- {arguments: {n: 3}, result: {n: 6}}\n- {arguments: {n: 5}, result: {n: 10}}\n- {arguments: {n: x}, error: expression-failed}\n- {arguments: {n: 6}, result: {n: 12}}\n"; k.file() != want {
		t.Errorf("the tests are\n%s", k.file())
	}
}

// The cases that have passed become the tests of the graph when it is saved; saving over
// it is refused if it breaks one, and nothing changes.
func TestPassedCasesAreKept(t *testing.T) {
	k := keeper(t)
	k.pass(doubler("2"), "[{arguments: {n: 2}, expect: {n: 4}}, {name: zero, arguments: {n: 0}}, {arguments: {n: x}, error: expression-failed}]")
	if r := runCases(t, k.App, doubler("2"), "[{arguments: {n: 5}, expect: {n: 11}}]"); !r.Failed() {
		t.Fatal("a wrong case passes")
	}
	r := k.save(doubler("2"), library.SaveInput{})
	if r.Failed() || r.Tests.Added != 3 || r.Tests.Kept != 3 || r.Tests.File != filepath.Join(k.dir, "double.test.yaml") {
		t.Fatalf("%+v %+v", r, r.Tests)
	}
	if want := "- {arguments: {n: 2}, result: {n: 4}}\n- {name: zero, arguments: {n: 0}, result: {n: 0}}\n- {arguments: {n: x}, error: expression-failed}\n"; k.file() != want {
		t.Errorf("the tests are\n%s", k.file())
	}
	k.passes()

	before := k.file()
	r = k.save(doubler("3"), library.SaveInput{Overwrite: true})
	if !r.Failed() || r.Error.Code != "breaks-tests" || strings.Join(r.Tests.Failing, "\n") != "case 1 differs at /n: want 4, got 6" {
		t.Fatalf("%+v %v %+v", r, r.Error, r.Tests)
	}
	if g, fault := k.GetGraph(t.Context(), library.GetGraphInput{Name: "double"}); fault != nil || g.Graph != doubler("2") || k.file() != before {
		t.Errorf("a refused save has changed something: %v\n%s", fault, k.file())
	}
	// Another text with the same results is not refused.
	if r = k.save(doubler("4 / 2"), library.SaveInput{Overwrite: true}); r.Failed() || r.Tests.Kept != 3 || len(r.Tests.Failing) > 0 {
		t.Errorf("%+v %+v", r.Error, r.Tests)
	}
	// Told to, it drops what fails, and only that.
	r = k.save(doubler("3"), library.SaveInput{Overwrite: true, Drop: true})
	if r.Failed() || !r.Tests.Dropped || len(r.Tests.Failing) != 1 || r.Tests.Kept != 2 || !strings.HasPrefix(k.file(), "- {name: zero,") {
		t.Errorf("%+v %+v\n%s", r.Error, r.Tests, k.file())
	}
	k.passes()
}

// An edit of a saved graph saves over it, too.
func TestAnEditThatBreaksTests(t *testing.T) {
	k := keeper(t)
	k.pass(doubler("2"), "[{arguments: {n: 2}}]")
	k.save(doubler("2"), library.SaveInput{})
	in := library.EditInput{Saved: "double", Ops: []edit.Op{{Op: "update_node", ID: "a", Set: map[string]json.RawMessage{"transform": json.RawMessage(`{"expr": "{\"n\": 1}"}`)}}}, DryRun: true}
	for _, in.DryRun = range []bool{true, false} {
		r, fault := k.Edit(t.Context(), in)
		if fault != nil {
			t.Fatal(fault)
		}
		if !r.Failed() || !r.Valid || r.Saved || r.Draft == "" || r.Error.Code != "breaks-tests" || r.Tests.Failing[0] != "case 1 differs at /n: want 4, got 1" {
			t.Errorf("dry run %t: %+v %v", in.DryRun, r, r.Error)
		}
	}
	in.Drop = true
	if r, fault := k.Edit(t.Context(), in); fault != nil || !r.Saved || !r.Tests.Dropped || k.file() != "" {
		t.Errorf("%v %+v\n%s", fault, r, k.file())
	}
}

// What a graph has got from tools is kept with its test, which calls nothing. A test
// without a path may have other steps, and steps that are gone.
func TestKeptTestsCallNothing(t *testing.T) {
	k := keeper(t)
	k.pass(ordering("a"), "[{arguments: {}, expect: {order: 1}}]")
	k.save(ordering("a"), library.SaveInput{})
	if !strings.Contains(k.file(), "given:\n") || strings.Contains(k.file(), "path:") || strings.Contains(k.file(), "run:") {
		t.Errorf("the test is\n%s", k.file())
	}
	again := strings.Replace(ordering("a"), "Doubles", "Orders", 1)
	if r := k.save(again, library.SaveInput{Overwrite: true}); r.Failed() || r.Tests.Kept != 1 {
		t.Errorf("%v %+v", r.Error, r.Tests)
	}
	k.passes()
	constant := tool("  - {id: a, type: transform, transform: {expr: '{\"order\": 1}'}, next: exit}\n  - {id: exit, type: exit}\n")
	if r := k.save(constant, library.SaveInput{Overwrite: true}); r.Failed() {
		t.Errorf("a step that is gone fails a test whose result is the same: %v %+v", r.Error, r.Tests)
	}
	k.passes()
	renamed := strings.NewReplacer("id: a", "id: buy", "$.a.", "$.buy.").Replace(ordering("buy"))
	r := k.save(renamed, library.SaveInput{Overwrite: true})
	if !r.Failed() || r.Tests.Failing[0] != "case 1 failed: not-recorded, node buy" {
		t.Errorf("a call that is not recorded: %+v %+v", r, r.Tests)
	}
	if k.calls != 1 {
		t.Errorf("the tests have made %d calls", k.calls-1)
	}
	// A case that was run on the new text replaces a test with the same outcome.
	k.calls = 0
	k.pass(renamed, "[{arguments: {}}]")
	if r := k.save(renamed, library.SaveInput{Overwrite: true}); r.Failed() || r.Tests.Added != 1 || r.Tests.Kept != 1 {
		t.Errorf("%v %+v", r.Error, r.Tests)
	}
	k.passes()
}

// A test is replaced by a case of the same call only if the caller has said what is
// expected now: a result that was merely seen does not outweigh the test.
func TestOnlyAStatedExpectationReplacesATest(t *testing.T) {
	k := keeper(t)
	k.pass(doubler("2"), "[{arguments: {n: 2}}]")
	k.save(doubler("2"), library.SaveInput{})
	k.pass(doubler("3"), "[{arguments: {n: 2}}]")
	if r := k.save(doubler("3"), library.SaveInput{Overwrite: true}); !r.Failed() || r.Error.Code != "breaks-tests" {
		t.Errorf("%+v", r)
	}
	k.pass(doubler("3"), "[{arguments: {n: 2}, expect: {n: 6}}]")
	if r := k.save(doubler("3"), library.SaveInput{Overwrite: true}); r.Failed() || r.Tests.Kept != 1 {
		t.Errorf("%v %+v", r.Error, r.Tests)
	}
	if k.file() != "- {arguments: {n: 2}, result: {n: 6}}\n" {
		t.Errorf("the tests are\n%s", k.file())
	}
	k.passes()
}

// Results that depend on the time or on chance are kept with what they depend on.
func TestCasesThatDependOnTheTime(t *testing.T) {
	k := keeper(t)
	src := tool("  - {id: a, type: transform, transform: {expr: '{\"now\": $millis(), \"r\": $random()}'}, next: exit}\n  - {id: exit, type: exit}\n")
	k.pass(src, "[{arguments: {}}]")
	if r := k.save(src, library.SaveInput{}); r.Failed() || r.Tests.Added != 1 || !strings.Contains(k.file(), "run: run_") {
		t.Fatalf("%v %+v\n%s", r.Error, r.Tests, k.file())
	}
	k.passes()
	if r := k.save(src+"# the same\n", library.SaveInput{Overwrite: true}); r.Failed() {
		t.Errorf("%v %+v", r.Error, r.Tests)
	}
}

// Pins of a case are pins of its test. A dry run makes no tests.
func TestKeptPins(t *testing.T) {
	k := keeper(t)
	k.pass(ordering("a"), "[{pins: {a: {number: 7}}, expect: {order: 7}}]")
	if _, fault := k.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", ordering("a"), ""), Mode: "dry_run", Cases: make([]execution.RunCase, 1)}); fault != nil {
		t.Fatal(fault)
	}
	k.save(ordering("a"), library.SaveInput{})
	if k.file() != "- {pins: {a: {number: 7}}, result: {order: 7}}\n" {
		t.Errorf("the tests are\n%s", k.file())
	}
	k.passes()
}

// Tests that people write are tests of the graph as well, and what they have written
// stays as it is.
func TestKeptTestsBesideThoseOfPeople(t *testing.T) {
	k := keeper(t)
	const hand = "# by hand\n- {arguments: {n: 1}, result: {n: 2}} # one\n- {arguments: {n: 3}, result: {n: 6}}\n- {graph: other, result: 1}\n- {calls: any, result: 1}\n"
	if err := os.WriteFile(filepath.Join(k.dir, "double.test.yaml"), []byte(hand), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := k.save(doubler("3"), library.SaveInput{}); !r.Failed() || len(r.Tests.Failing) != 2 {
		t.Errorf("%+v", r)
	}
	k.pass(doubler("2"), "[{arguments: {n: 1}}, {arguments: {n: 9}}]")
	r := k.save(doubler("2"), library.SaveInput{})
	if r.Failed() || r.Tests.Added != 1 || len(r.Tests.Notes) != 1 || k.file() != hand+"- {arguments: {n: 9}, result: {n: 18}}\n" {
		t.Errorf("%v %+v\n%s", r.Error, r.Tests, k.file())
	}
	k.save(doubler("3"), library.SaveInput{Overwrite: true, Drop: true})
	if got := k.file(); !strings.HasPrefix(got, "# by hand\n") || strings.Contains(got, "result: {n: ") || !strings.Contains(got, "graph: other") {
		t.Errorf("the tests are\n%s", got)
	}
	if err := os.WriteFile(filepath.Join(k.dir, "double.test.yaml"), []byte("- {"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, fault := k.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText("g", doubler("2"), ""), Overwrite: true})
	if fault == nil || fault.Code != "bad-test" {
		t.Errorf("broken tests: %v", fault)
	}
}

// The tests of a deleted graph are not those of the next graph of its name, and come
// back with it.
func TestTestsOfADeletedGraph(t *testing.T) {
	k := keeper(t)
	k.pass(doubler("2"), "[{arguments: {n: 2}}]")
	saved := k.save(doubler("2"), library.SaveInput{})
	if _, fault := k.Delete(t.Context(), library.DeleteInput{Name: "double"}); fault != nil || k.file() != "" {
		t.Fatal(fault, k.file())
	}
	other := k.save(doubler("3"), library.SaveInput{})
	if other.Failed() || other.Tests != nil {
		t.Errorf("%v %+v", other.Error, other.Tests)
	}
	if _, fault := k.Delete(t.Context(), library.DeleteInput{Name: "double"}); fault != nil {
		t.Fatal(fault)
	}
	if r := k.save("", library.SaveInput{As: "double", Restore: saved.Revision}); r.Failed() || r.Tests.Kept != 1 {
		t.Errorf("%v %+v", r.Error, r.Tests)
	}
	k.passes()
}

// A graph has at most a hundred tests.
func TestAtMostAHundredTestsAreKept(t *testing.T) {
	k := keeper(t)
	for _, from := range []int{0, 60} {
		in := execution.RunInput{GraphInput: plans.FromText("g", doubler("2"), "")}
		for i := range 60 {
			b, _ := json.Marshal(map[string]int{"n": from + i})
			in.Cases = append(in.Cases, execution.RunCase{Arguments: b, Keep: true})
		}
		if r, fault := k.Run(t.Context(), in); fault != nil || r.Failed() {
			t.Fatal(fault, r)
		}
	}
	r := k.save(doubler("2"), library.SaveInput{})
	if r.Tests.Kept != 100 || len(r.Tests.Notes) != 1 || r.Tests.Notes[0] != "20 cases are not kept: a graph has at most 100 tests" {
		t.Errorf("%+v", r.Tests)
	}
}

// A later process of the same user keeps the cases that an earlier one has run, for an
// hour and together with its own.
func TestCasesOfAnEarlierProcess(t *testing.T) {
	shared := t.TempDir()
	process := func() *keeping {
		k := &keeping{t: t, dir: t.TempDir()}
		graphs, err := graphfiles.OpenGraphs(k.dir)
		if err != nil {
			t.Fatal(err)
		}
		k.App = started(t, app.Options{Graphs: graphs, CasesIn: shared})
		return k
	}
	process().pass(doubler("2"), "[{arguments: {n: 1}}, {arguments: {n: 2}}]")
	process().pass(doubler("2"), "[{arguments: {n: 2}}, {arguments: {n: 3}}]")
	files, err := os.ReadDir(shared)
	if err != nil || len(files) != 1 {
		t.Fatal(err, files)
	}
	k := process()
	if r := k.save(doubler("2"), library.SaveInput{}); r.Failed() || r.Tests.Added != 3 {
		t.Errorf("%v %+v", r.Error, r.Tests)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(shared, files[0].Name()), old, old); err != nil {
		t.Fatal(err)
	}
	if r := process().save(doubler("2"), library.SaveInput{}); r.Failed() || r.Tests != nil {
		t.Errorf("cases of two hours ago: %+v", r.Tests)
	}
	process().pass(doubler("3"), "[{arguments: {n: 1}}]")
	if left, err := os.ReadDir(shared); err != nil || len(left) != 1 || left[0].Name() == files[0].Name() {
		t.Errorf("old cases are not deleted: %v %v", err, left)
	}
	for _, f := range files {
		_ = os.WriteFile(filepath.Join(shared, f.Name()), []byte("cut off"), 0o600)
	}
	if r := process().save(doubler("2"), library.SaveInput{}); r.Failed() {
		t.Errorf("damaged cases: %v", r.Error)
	}
}

// Cases are those of the one who has run them.
func TestPassedCasesOfAnotherPrincipal(t *testing.T) {
	k := keeper(t)
	k.pass(doubler("2"), "[{arguments: {n: 2}}]")
	ctx := request.WithActor(t.Context(), run.Actor{Principal: "ann"})
	r, fault := k.Save(ctx, library.SaveInput{GraphInput: plans.FromText("g", doubler("2"), "")})
	if fault != nil || r.Failed() || r.Tests != nil {
		t.Errorf("%v %+v", fault, r)
	}
}

// The draft of a saved graph whose cases ran is trusted as little as the caller: it may
// not define servers. A document of the operator is not a draft at all.
func TestTheDraftOfCasesIsNotTrusted(t *testing.T) {
	k := keeper(t)
	k.save(doubler("2")+"mcpServers: {x: {command: x}}\n", library.SaveInput{})
	doc, _ := graph.Parse("operator", strings.Replace(doubler("2"), "name: double", "name: own", 1))
	pb := started(t, app.Options{Documents: []*graph.Document{doc}})
	one := cases(t, "[{arguments: {n: 1}}]")
	r, fault := k.Run(t.Context(), execution.RunInput{Saved: "double", Cases: one})
	if fault != nil || r.Failed() {
		t.Fatal(fault, r.Error)
	}
	v, fault := k.Validate(t.Context(), author.ValidateInput{GraphInput: plans.GraphInput{Graph: json.RawMessage(`"` + r.Draft + `"`)}})
	if fault != nil || !strings.Contains(string(mustJSON(t, v)), "defines-servers") {
		t.Errorf("%v %s", fault, mustJSON(t, v))
	}
	if r, fault := pb.Run(t.Context(), execution.RunInput{Saved: "own", Cases: one}); fault != nil || r.Failed() || r.Draft != "" {
		t.Errorf("%v %+v", fault, r)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
