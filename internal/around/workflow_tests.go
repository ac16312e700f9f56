package around

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// TestWorkflowsInput names workflows whose tests run.
type TestWorkflowsInput struct {
	Names []string `json:"names,omitempty" arg:"[NAME…]" jsonschema:"workflows; without it, all that have tests"`
	Text  string   `json:"text,omitempty" flag:"-" jsonschema:"a text of the one workflow that is named, in place of that in its file"`
}

// TestWorkflowsResult has the outcome of each test.
type TestWorkflowsResult struct {
	Tests  []*execution.TestResult `json:"tests"`
	Passed int                     `json:"passed"`
	Failed int                     `json:"failed"`
}

var codeNoWorkflowsFolder = diag.DefineFault("no-workflows-folder", diag.RefusesRequest, "workflows need a trusted `patchbay.yaml` to be next to; the message says whether there is none, or it is not trusted", "`patchbay init`, or `patchbay trust`")

// TestWorkflows runs the tests that are kept with workflows, NAME.test.yaml.
func (ar *Around) TestWorkflows(ctx context.Context, in TestWorkflowsInput) (*TestWorkflowsResult, *diag.Fault) {
	if ar.workflowFiles == nil {
		return nil, ar.noWorkflowsFolder()
	}
	if in.Text != "" && len(in.Names) != 1 {
		return nil, diag.BadArgument("/text", "name the workflow that it is the text of", "a text is of one workflow, and %d are named", len(in.Names))
	}
	names := in.Names
	if len(names) == 0 {
		for _, w := range ar.workflows.Load().all {
			names = append(names, w.name)
		}
	}
	r := &TestWorkflowsResult{Tests: []*execution.TestResult{}}
	for _, name := range names {
		path := ar.workflowFiles.TestsPath(name)
		tests, fault := ar.workflowTests(name, path)
		switch {
		case fault != nil:
			return nil, fault
		case tests == "" && len(in.Names) == 0:
			continue
		case tests == "":
			if _, fault := ar.workflow(name); fault != nil {
				return nil, fault
			}
			return nil, diag.Faultf(execution.CodeNoTests, "the workflow %q has no tests", diag.Excerpt(name)).WithHint("write them to " + path)
		}
		r.add(ar.execution.Tests.Run(ctx, execution.TestInput{Name: path, Text: tests, Read: readWith(path, in.Text), Trusted: true}))
	}
	if len(r.Tests) == 0 {
		return nil, diag.Faultf(execution.CodeNoTests, "no workflow has tests").WithHint("name.test.yaml in the folder workflows has the tests of name.yaml")
	}
	return r, nil
}

// workflowTests is the text of the tests of a workflow, "" if it has none.
func (ar *Around) workflowTests(name, path string) (string, *diag.Fault) {
	if name == "" || filepath.Base(name) != name {
		return "", nil
	}
	text, err := files.ReadText(path, graph.MaxBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", execution.BadTest("the tests of the workflow %q cannot be read: %v", name, err)
	}
	if err == nil && !ar.beside.Has(path, text) {
		f := execution.BadTest("the tests of the workflow %q are new or have changed, and are not trusted", name)
		f.Hint = "look at " + path + ", then run patchbay trust in the folder of patchbay.yaml"
		return "", f
	}
	return text, nil
}

// readWith reads the graphs of a file of tests; a text that is given is that of the graph
// next to it.
func readWith(tests, text string) func(string) (string, error) {
	own := strings.TrimSuffix(tests, ".test.yaml")
	return func(path string) (string, error) {
		if text != "" && strings.TrimSuffix(path, filepath.Ext(path)) == own {
			return text, nil
		}
		return files.ReadText(path, graph.MaxBytes)
	}
}

// add counts the outcomes of a file.
func (r *TestWorkflowsResult) add(list []*execution.TestResult) {
	for _, t := range list {
		r.Tests = append(r.Tests, t)
		if t.Passed {
			r.Passed++
		} else {
			r.Failed++
		}
	}
}

// noWorkflowsFolder says why no folder of workflows is used.
func (ar *Around) noWorkflowsFolder() *diag.Fault {
	if cfg := ar.process.Config(); cfg != nil && cfg.File != "" {
		return diag.Faultf(codeNoWorkflowsFolder, "%s is not trusted, so its workflows are not used", cfg.File).WithHint("look at the file, then run patchbay trust in its folder")
	}
	return diag.Faultf(codeNoWorkflowsFolder, "there is no patchbay.yaml, and workflows are kept in the folder next to it").WithHint("patchbay init writes one")
}
