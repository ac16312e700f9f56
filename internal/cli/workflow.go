package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/around"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

var workflowListPresenter = command.Presenter{
	Long:    "List the workflows around calls. One runs around a call: the first that matches, by priority and then by name. The column others names those that may match the same calls.",
	Example: "  patchbay workflow list",
	Start:   command.Offline,
	Print: func(i *command.Invocation, w *term.Page) {
		t := term.NewTable("name", "on", "enabled", "priority", "match", "others", "description")
		for _, f := range i.Out.(*around.WorkflowsResult).Workflows {
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
			t.Add(f.Name, f.On, enabled, f.Priority, strings.Join(match, ", "), strings.Join(f.Others, ", "), f.Description)
		}
		t.WriteOr(w, "no workflows")
		for _, f := range i.Out.(*around.WorkflowsResult).Workflows {
			if f.Error != nil {
				command.PrintFault(i.Cmd.ErrOrStderr(), f.Error)
			}
		}
	},
	Names: func(i *command.Invocation) []string {
		return lists.Each(i.Out.(*around.WorkflowsResult).Workflows, func(f around.WorkflowInfo) string { return f.Name })
	},
}

var workflowShowPresenter = command.Presenter{
	Example: "  patchbay workflow show redact_mail",
	Start:   command.Offline,
	Print: func(i *command.Invocation, w *term.Page) {
		r := i.Out.(*around.WorkflowText)
		fmt.Fprint(w, r.Workflow)
		if r.Error != nil {
			command.PrintFault(i.Cmd.ErrOrStderr(), r.Error)
		}
	},
}

// workflowSwitchPresenter is that of enable and disable.
func workflowSwitchPresenter(what string) command.Presenter {
	verb := map[string]string{"on": "enable", "off": "disable"}[what]
	return command.Presenter{
		Long:    "Turn a workflow " + what + " in its file. A server that runs takes it over.",
		Example: "  patchbay workflow " + verb + " redact_mail",
		Start:   command.Offline,
		Print: func(i *command.Invocation, w *term.Page) {
			r := i.Out.(*around.WorkflowSwitched)
			fmt.Fprintf(w, "%s is %s (%s)\n", r.Name, what, r.Path)
		},
		Names: func(i *command.Invocation) []string { return []string{i.Out.(*around.WorkflowSwitched).Name} },
	}
}

var workflowImportPresenter = command.Presenter{
	Long:    "Read a WorkflowDefinition, the JSON of a visual editor of workflows, and save it in the folder workflows next to patchbay.yaml. Positions, labels and ids are kept for workflow export.",
	Example: "  patchbay workflow import check.json",
	Start:   command.Offline,
	Print: func(i *command.Invocation, w *term.Page) {
		r := i.Out.(*around.ImportResult)
		if r.Failed() {
			w.Diagnostics(r.Rendered)
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
	Names: func(i *command.Invocation) []string { return []string{i.Out.(*around.ImportResult).Name} },
}

var workflowExportPresenter = command.Presenter{
	Example: "  patchbay workflow export check --file check.json",
	Start:   command.Offline,
	Print:   command.Printing(func(w *term.Page, r *around.ExportedWorkflow) { fmt.Fprint(w, string(r.Definition)) }),
}

var workflowTestPresenter = command.Presenter{
	Long:    "Run the tests that are kept with workflows, name.test.yaml next to name.yaml in the folder workflows; without NAME those of all. They have the form of the tests of graphs: arguments is the context, {request, metadata}, and pins gives the response as the output of the mcp-call.",
	Example: "  patchbay workflow test\n  patchbay workflow test redact_mail",
	Start: func(i *command.Invocation) (*app.App, error) {
		i.Store = cmp.Or(i.Store, "memory")
		return command.Offline(i)
	},
	Failed: func(i *command.Invocation) bool { return i.Out.(*around.TestWorkflowsResult).Failed > 0 },
	Print: command.Printing(func(w *term.Page, r *around.TestWorkflowsResult) {
		for _, file := range byFile(r.Tests) {
			printTests(w, file)
		}
		fmt.Fprintf(w, "%d passed, %d failed\n", r.Passed, r.Failed)
	}),
	Names: func(i *command.Invocation) (failed []string) {
		for _, t := range i.Out.(*around.TestWorkflowsResult).Tests {
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
