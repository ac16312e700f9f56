package execution

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Storage is what the store has, as its operator sees it: runs, and the state of graphs.
type Storage struct{ execution *Execution }

// PruneInput says which runs are kept.
type PruneInput struct {
	Older       time.Duration `json:"older,omitempty" default:"720h" jsonschema:"delete runs of this project that stopped longer ago than this"`
	MaxMB       int64         `json:"max_mb,omitempty" default:"1024" jsonschema:"delete the oldest runs of any project until all runs take at most this many MiB; 0 for no limit"`
	AllProjects bool          `json:"all_projects,omitempty" jsonschema:"delete old runs of every project"`
}

// PruneResult is how many runs were deleted.
type PruneResult struct {
	Deleted int `json:"deleted"`
}

// PruneRuns deletes the runs that stopped longer ago than Older, those of its own
// project unless AllProjects is set, and then the oldest of all until they take at most
// MaxMB.
func (st *Storage) PruneRuns(_ context.Context, in PruneInput) (*PruneResult, *diag.Fault) {
	if in.MaxMB < 0 {
		return nil, diag.BadArgument("/max_mb", "0 is without a limit", "max_mb is %d, expected 0 or more", in.MaxMB)
	}
	n, fault := st.execution.Runner.Prune(st.execution.projects(in.AllProjects), time.Now().Add(-in.Older), in.MaxMB<<20)
	if fault != nil {
		return nil, fault
	}
	return &PruneResult{Deleted: n}, nil
}

// AdoptRunsInput says whose runs become those of this project.
type AdoptRunsInput struct {
	From string `json:"from" jsonschema:"the folder or patchbay.yaml as it was before it was moved, a project as runs list --all-projects shows it, or none for runs without a project"`
}

// AdoptRunsResult says how many runs were moved, and to which project.
type AdoptRunsResult struct {
	Project string `json:"project"`
	Adopted int    `json:"adopted"`
}

var (
	codeNoProject = diag.DefineFault("no-project", diag.RefusesRequest, "the runs of this process belong to no project", "name one under `project`")
	codeNoRuns    = diag.DefineFault("no-runs", diag.RefusesRequest, "the folder or project has no runs to adopt", "`patchbay runs list --all-projects` shows where they are")
)

// AdoptRuns makes the runs of another project those of this one: of a folder that was
// moved or renamed, of a project whose name has changed, or of none.
func (st *Storage) AdoptRuns(ctx context.Context, in AdoptRunsInput) (*AdoptRunsResult, *diag.Fault) {
	switch {
	case in.From == "":
		return nil, diag.BadArgument("/from", "name the folder as it was, or a project that patchbay runs list --all-projects shows", "the command does not say whose runs to adopt")
	case st.execution.process.Project == "":
		return nil, diag.Faultf(codeNoProject, "the runs of this process belong to no project").WithHint("write project: <name> in patchbay.yaml")
	case in.From == st.execution.process.Project:
		return nil, diag.BadArgument("/from", "patchbay runs list shows its runs", "%s is this project", in.From)
	}
	for _, from := range st.meant(in.From) {
		n, fault := st.execution.Runner.Adopt(from, st.execution.process.Project)
		if fault != nil {
			return nil, fault
		}
		if n > 0 {
			return &AdoptRunsResult{Project: st.execution.process.Project, Adopted: n}, nil
		}
	}
	return nil, st.nothingToAdopt(ctx, in.From)
}

// meant returns what a text can mean, the likelier first: a project, or those that a
// configuration in a folder can have.
func (st *Storage) meant(from string) [][]string {
	if from == config.NoProject {
		return [][]string{{""}}
	}
	meant := [][]string{{from}}
	path, err := filepath.Abs(from)
	if err != nil {
		return meant
	}
	others := slices.DeleteFunc(st.execution.process.Config().ProjectsOf(path), func(id string) bool { return id == st.execution.process.Project })
	return append(meant, others)
}

// nothingToAdopt says that a project has no runs, and which projects have.
func (st *Storage) nothingToAdopt(ctx context.Context, from string) *diag.Fault {
	f := diag.Faultf(codeNoRuns, "there are no runs to adopt from %q: it is neither a project with runs nor the earlier place of one", from)
	f.Path, f.Got = "/from", from
	list, fault := st.execution.Runner.List(run.Filter{Actor: request.ActorFrom(ctx)})
	if fault != nil {
		return fault
	}
	var others []string
	for _, r := range list {
		if name := projectName(r.Project); r.Project != st.execution.process.Project && !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	f.Hint = "there are no runs of other projects"
	if len(others) > 0 {
		f.Hint = "there are runs of " + diag.OneOf(others, 12)
	}
	return f
}
