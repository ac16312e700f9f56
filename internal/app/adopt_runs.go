package app

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/run"
)

// AdoptRunsInput says whose runs become those of this project.
type AdoptRunsInput struct {
	From string `json:"from" jsonschema:"the folder or patchbay.yaml as it was before it was moved, a project as runs list --all-projects shows it, or none for runs without a project"`
}

// AdoptRunsResult says how many runs were moved, and to which project.
type AdoptRunsResult struct {
	Project string `json:"project"`
	Adopted int    `json:"adopted"`
}

// AdoptRuns makes the runs of another project those of this one: of a folder that was
// moved or renamed, of a project that has got another name, or of none.
func (pb *App) AdoptRuns(ctx context.Context, in AdoptRunsInput) (*AdoptRunsResult, *diag.Fault) {
	switch {
	case in.From == "":
		return nil, diag.BadArgument("/from", "name the folder as it was, or a project that patchbay runs list --all-projects shows", "the command does not say whose runs to adopt")
	case pb.project == "":
		return nil, diag.Faultf("no-project", "the runs of this process belong to no project").WithHint("write project: <name> in patchbay.yaml")
	case in.From == pb.project:
		return nil, diag.BadArgument("/from", "patchbay runs list shows its runs", "%s is this project", in.From)
	}
	for _, from := range pb.meant(in.From) {
		n, fault := pb.runs.Adopt(from, pb.project)
		if fault != nil {
			return nil, fault
		}
		if n > 0 {
			return &AdoptRunsResult{Project: pb.project, Adopted: n}, nil
		}
	}
	return nil, pb.nothingToAdopt(ctx, in.From)
}

// meant returns what a text can mean, the likelier first: a project, or those that a
// configuration in a folder can have.
func (pb *App) meant(from string) [][]string {
	if from == config.NoProject {
		return [][]string{{""}}
	}
	meant := [][]string{{from}}
	path, err := filepath.Abs(from)
	if pb.Config() == nil || err != nil {
		return meant
	}
	others := slices.DeleteFunc(pb.Config().ProjectsOf(path), func(id string) bool { return id == pb.project })
	return append(meant, others)
}

// nothingToAdopt says that a project has no runs, and which projects have.
func (pb *App) nothingToAdopt(ctx context.Context, from string) *diag.Fault {
	f := diag.Faultf("no-runs", "there are no runs to adopt from %q: it is neither a project with runs nor the earlier place of one", from)
	f.Path, f.Got = "/from", from
	list, fault := pb.runs.List(run.Filter{Actor: actor(ctx)})
	if fault != nil {
		return fault
	}
	var others []string
	for _, r := range list {
		if name := projectName(r.Project); r.Project != pb.project && !slices.Contains(others, name) {
			others = append(others, name)
		}
	}
	f.Hint = "there are no runs of other projects"
	if len(others) > 0 {
		f.Hint = "there are runs of " + diag.OneOf(others, 12)
	}
	return f
}
