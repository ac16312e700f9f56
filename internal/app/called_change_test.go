package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// A person's answer holds for the graphs that the run called when it was asked.
func TestAnswersHoldForTheCalledGraphs(t *testing.T) {
	const (
		call   = "  - {id: call, type: mcp, server: files, tool: delete, args: {path: %s}, next: %s}\n"
		fails  = "  - {id: stop, type: transform, transform: {expr: $error('no')}, next: exit}\n"
		worse  = "  - {id: stop, type: mcp, server: files, tool: delete, args: {path: everything}, next: exit}\n"
		asks   = "  - {id: q, type: ask, message: Pay 5?, next: pay}\n"
		pays   = "  - {id: pay, type: mcp, server: files, tool: write, args: {path: %s}, next: exit}\n"
		graphs = "name: %s\ndescription: A graph\ninputSchema: {type: object}\noutputSchema: {type: object}\nnodes:\n  - {id: entry, type: entry, next: %s}\n%s  - {id: exit, type: exit}\n"
	)
	calls := func(name, callee string) string {
		return fmt.Sprintf(graphs, name, "g", "  - {id: g, type: graph, graph: "+callee+", args: {}, next: exit}\n")
	}
	for what, c := range map[string]struct {
		first, then      string // nodes of the graph that is called
		begins           string // with this node
		answered         bool   // a person accepts the first, and the run fails later
		tool             string
		before, after    int64
		shown, shownThen string
	}{
		"other arguments of the call that is asked about": {
			fmt.Sprintf(call, "harmless", "exit"), fmt.Sprintf(call, "everything", "exit"), "call",
			false, "delete", 0, 1, "harmless", "everything",
		},
		"a second call of a tool that was permitted": {
			fmt.Sprintf(call, "harmless", "stop") + fails, fmt.Sprintf(call, "harmless", "stop") + worse, "call",
			true, "delete", 1, 2, "harmless", "everything",
		},
		"what follows a question of a graph": {
			asks + fmt.Sprintf(pays, "five"), asks + fmt.Sprintf(pays, "thousands"), "q",
			false, "write", 0, 1, "Pay 5?", "Pay 5?",
		},
	} {
		t.Run(what, func(t *testing.T) {
			h := newHinted()
			file := t.TempDir() + "/runs.db"
			pb, _ := savingOver(t, app.Options{Store: func() (runs.RunStore, error) { return journal.Open(file, nil) }, Project: "p"}, h.server)
			save := func(src string) {
				t.Helper()
				if r, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.GraphInput{Graph: text(src)}, Overwrite: true}); fault != nil || r.Status != "saved" {
					t.Fatalf("%+v, %v", r, fault)
				}
			}
			waits := func(shown string) func(*execution.RunResult, *diag.Fault) *execution.RunResult {
				return func(r *execution.RunResult, fault *diag.Fault) *execution.RunResult {
					t.Helper()
					if doubtCode(r, fault) != run.NeedsAnswer || len(r.Asks) != 1 || !strings.Contains(r.Asks[0].Message, shown) {
						t.Fatalf("%+v, %v; want a question with %q", r, fault, shown)
					}
					return r
				}
			}
			save(fmt.Sprintf(graphs, "inner", c.begins, c.first))
			save(calls("middle", "inner"))
			save(calls("outer", "middle"))
			r := waits(c.shown)(pb.Run(t.Context(), execution.RunInput{Saved: "outer", Arguments: json.RawMessage(`{}`)}))
			answer := execution.AnswerInput{RunID: r.RunID, Action: "accept"}
			if c.answered {
				if failed, fault := pb.Answer(operator(t), answer); doubtCode(failed, fault) != "expression-failed" {
					t.Fatalf("%+v, %v", failed, fault)
				}
			}
			save(fmt.Sprintf(graphs, "inner", c.begins, c.then))
			retry := execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"}
			if !c.answered { // nobody has seen another question
				waits(c.shown)(pb.ResumeRun(t.Context(), retry))
				r = waits(c.shownThen)(pb.Answer(operator(t), answer))
			} else {
				r = waits(c.shownThen)(pb.ResumeRun(t.Context(), retry))
			}
			if !strings.Contains(r.Asks[0].Message, "changed since the last answer: inner. ") {
				t.Errorf("it does not say what has changed: %q", r.Asks[0].Message)
			}
			if made := h.calls[c.tool].Load(); made != c.before {
				t.Fatalf("%d calls were made before the person has seen what is called", made)
			}
			if done, fault := pb.Answer(operator(t), answer); fault != nil || done.Status != string(run.Succeeded) {
				t.Fatalf("%+v, %v", done, fault)
			}
			if made := h.calls[c.tool].Load(); made != c.after {
				t.Errorf("%d calls were made", made)
			}
		})
	}
}

// A question that waits is not exchanged for one that nobody has seen: the run fails.
func TestAQuestionStaysWithItsStep(t *testing.T) {
	h := newHinted()
	pb, _ := savingOver(t, app.Options{}, h.server)
	save := func(src string) {
		t.Helper()
		if r, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.GraphInput{Graph: text(src)}, Overwrite: true}); fault != nil || r.Status != "saved" {
			t.Fatalf("%+v, %v", r, fault)
		}
	}
	save(calling("delete"))
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text("nodes:\n  - {id: entry, type: entry, next: g}\n  - {id: g, type: graph, graph: calling, args: {path: a}, next: exit}\n  - {id: exit, type: exit}\n")}})
	if doubtCode(r, fault) != run.NeedsAnswer {
		t.Fatalf("%+v, %v", r, fault)
	}
	other := strings.Replace(calling("delete"), "id: call", "id: other", 1)
	save(strings.Replace(other, "  - {id: other", "  - {id: call, type: transform, transform: {expr: '1'}, next: other}\n  - {id: other", 1))
	for range 2 {
		again, fault := pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"})
		if doubtCode(again, fault) != "graph-changed" || !strings.Contains(again.Error.Message, ": calling") {
			t.Fatalf("%+v, %v", again, fault)
		}
		if _, fault := pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "accept"}); fault == nil || fault.Code != "not-asked" {
			t.Errorf("the answer to the earlier question: %v", fault)
		}
	}
	if made := h.calls["delete"].Load(); made != 0 {
		t.Errorf("%d calls were made", made)
	}
}
