package library

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/run"
)

// SaveTestInput names the run that becomes a test.
type SaveTestInput struct {
	RunID string `json:"run_id" arg:"ID" jsonschema:"run ID"`
}

// SaveTestResult is a file with one test case, as YAML.
type SaveTestResult struct {
	Test string `json:"test"`
}

var codeNotTestable = diag.DefineFault("not-testable", diag.RefusesRequest, "the run has no final outcome to test", "use a run that has succeeded or failed")

// SaveTest turns a run into a recorded test case.
func (lib *Library) SaveTest(ctx context.Context, in SaveTestInput) (*SaveTestResult, *diag.Fault) {
	rec, fault := lib.execution.Verified(ctx, in.RunID)
	if fault != nil {
		return nil, fault
	}
	if rec.Status != run.Succeeded && rec.Status != run.Failed {
		return nil, diag.Faultf(codeNotTestable, "the run %s is %s, so it has no final outcome to test", rec.ID, rec.Status).
			At("/run_id").WithHint("take a run that succeeded or failed")
	}
	t := execution.RecordedCase(rec)
	t.Name, t.Tool = rec.Graph, rec.Source.Tool
	if lib.plans.Saved != nil {
		if g, fault := lib.plans.Saved.Get(rec.Graph); fault == nil && g.Src == rec.Source.Text {
			t.Graph, t.Tool = rec.Graph, ""
		}
	}
	if t.Graph == "" {
		t.Document = rec.Source.Text
	}
	text, fault := t.Yaml()
	if fault != nil {
		return nil, fault
	}
	return &SaveTestResult{Test: string(text)}, nil
}

// CountTests returns how many tests are kept with a saved graph, and where.
//
// Faults: those of a file of tests that cannot be read.
func (lib *Library) CountTests(name string) (n int, file string, fault *diag.Fault) {
	file = lib.plans.Saved.TestsPath(name)
	text, fault := lib.plans.Saved.Tests(name, false)
	if fault != nil || text == "" {
		return 0, file, fault
	}
	cases, fault := execution.ReadTests(file, text)
	return len(cases), file, fault
}
