package app

import (
	"cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/run"
)

// projects is whose runs a command is about: its own project's, or every project's.
func (pb *App) projects(all bool) string {
	if all {
		return ""
	}
	return pb.project
}

// ownRun refuses to resume a run of another project: its calls would reach this
// project's servers, which may only have the same names. A run without a project may
// be resumed, and is of this project then.
func (pb *App) ownRun(rec *run.Record) *diag.Fault {
	if pb.project == "" || rec.Project == "" || rec.Project == pb.project {
		return nil
	}
	f := diag.Faultf("other-project", "the run %s belongs to the project %s; this is %s", rec.ID, rec.Project, pb.project)
	f.Path = "/run_id"
	f.Hint = "start patchbay in the folder or with the configuration of that project; if its folder was moved here, patchbay runs adopt --from " + rec.Project
	return f
}

// projectName is how people read a project.
func projectName(project string) string { return cmp.Or(project, config.NoProject) }
