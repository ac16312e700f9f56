package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/around"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

var workflowListPresenter = presenter{
	long:    "List the workflows around calls. One runs around a call: the first that matches, by priority and then by name. The column others names those that may match the same calls.",
	example: "  patchbay workflow list",
	start:   offline,
	print: func(i *invocation, w *page) {
		t := newTable("name", "on", "enabled", "priority", "match", "others", "description")
		for _, f := range i.out.(*around.WorkflowsResult).Workflows {
			enabled := "no"
			if f.Enabled {
				enabled = "yes"
			}
			var match []string
			if m := f.Match; m != nil {
				for _, part := range [][2]string{{"server", m.Server}, {"tool", m.Tool}, {"client", m.Client}} {
					if part[1] != "" {
						match = append(match, part[0]+" "+part[1])
					}
				}
			}
			t.add(f.Name, f.On, enabled, f.Priority, strings.Join(match, ", "), strings.Join(f.Others, ", "), f.Description)
		}
		t.writeOr(w, "no workflows")
		for _, f := range i.out.(*around.WorkflowsResult).Workflows {
			if f.Error != nil {
				printFault(i.cmd.ErrOrStderr(), f.Error)
			}
		}
	},
	names: func(i *invocation) []string {
		return each(i.out.(*around.WorkflowsResult).Workflows, func(f around.WorkflowInfo) string { return f.Name })
	},
}

var workflowShowPresenter = presenter{
	example: "  patchbay workflow show redact_mail",
	start:   offline,
	print: func(i *invocation, w *page) {
		r := i.out.(*around.WorkflowText)
		fmt.Fprint(w, r.Workflow)
		if r.Error != nil {
			printFault(i.cmd.ErrOrStderr(), r.Error)
		}
	},
}

// workflowSwitchPresenter is that of enable and disable.
func workflowSwitchPresenter(what string) presenter {
	command := map[string]string{"on": "enable", "off": "disable"}[what]
	return presenter{
		long:    "Turn a workflow " + what + " in its file. A server that runs takes it over.",
		example: "  patchbay workflow " + command + " redact_mail",
		start:   offline,
		print: func(i *invocation, w *page) {
			r := i.out.(*around.WorkflowSwitched)
			fmt.Fprintf(w, "%s is %s (%s)\n", r.Name, what, r.Path)
		},
		names: func(i *invocation) []string { return []string{i.out.(*around.WorkflowSwitched).Name} },
	}
}

var workflowImportPresenter = presenter{
	long:    "Read a WorkflowDefinition, the JSON of a visual editor of workflows, and save it in the folder workflows next to patchbay.yaml. Positions, labels and ids are kept for workflow export.",
	example: "  patchbay workflow import check.json",
	start:   offline,
	print: func(i *invocation, w *page) {
		r := i.out.(*around.ImportResult)
		if r.Failed() {
			w.diagnostics(r.Rendered)
			return
		}
		state := "on"
		if !r.Enabled {
			state = "off"
		}
		fmt.Fprintf(w, "saved %s in %s; it is %s\n", r.Name, r.Path, state)
		if r.Renamed {
			fmt.Fprintf(w, "the definition is called %s; a name has 1 to 64 ASCII letters, digits, _ and -\n", diag.Quote(r.Title))
		}
	},
	names: func(i *invocation) []string { return []string{i.out.(*around.ImportResult).Name} },
}

var workflowExportPresenter = presenter{
	example: "  patchbay workflow export check --file check.json",
	start:   offline,
	print:   printing(func(w *page, r *around.ExportedWorkflow) { fmt.Fprint(w, string(r.Definition)) }),
}

var workflowTestPresenter = presenter{
	long:    "Run the tests that are kept with workflows, name.test.yaml next to name.yaml in the folder workflows; without NAME those of all. They have the form of the tests of graphs: arguments is the context, {request, metadata}, and pins gives the response as the output of the mcp-call.",
	example: "  patchbay workflow test\n  patchbay workflow test redact_mail",
	start: func(i *invocation) (*app.App, error) {
		i.store = cmp.Or(i.store, "memory")
		return offline(i)
	},
	failed: func(i *invocation) bool { return i.out.(*around.TestWorkflowsResult).Failed > 0 },
	print: printing(func(w *page, r *around.TestWorkflowsResult) {
		for _, file := range byFile(r.Tests) {
			printTests(w, file)
		}
		fmt.Fprintf(w, "%d passed, %d failed\n", r.Passed, r.Failed)
	}),
	names: func(i *invocation) (failed []string) {
		for _, t := range i.out.(*around.TestWorkflowsResult).Tests {
			if !t.Passed {
				failed = append(failed, testName(t))
			}
		}
		return failed
	},
}

// byFile groups the outcomes of tests by their files, which follow one another.
func byFile(list []*execution.TestResult) (files [][]*execution.TestResult) {
	for i, t := range list {
		if i == 0 || t.File != list[i-1].File {
			files = append(files, nil)
		}
		files[len(files)-1] = append(files[len(files)-1], t)
	}
	return files
}
