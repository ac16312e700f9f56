package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// A run of another project is not resumed with the servers of this one; a run without
// a project is, and belongs to it then.
func TestResumeIsForOneProject(t *testing.T) {
	w := newWrecks(t)
	w.leave(wreck("mine", "p", sum), wreck("other", "q", sum), wreck("old", "", sum))
	pb := overWith(t, w.options(), nil)
	ctx := request.WithActor(t.Context(), run.Actor{Operator: true})
	if _, fault := pb.ResumeRun(ctx, execution.ResumeRunInput{RunID: "other", Decision: "retry"}); fault == nil || fault.Code != "other-project" || fault.Path != "/run_id" || !strings.Contains(fault.Hint, "adopt --from q") {
		t.Errorf("another project's run: %+v", fault)
	}
	if _, fault := pb.Answer(ctx, execution.AnswerInput{RunID: "other", Action: "accept"}); fault == nil || fault.Code != "other-project" {
		t.Errorf("an answer to another project's run: %+v", fault)
	}
	for _, id := range []string{"mine", "old"} {
		if r, fault := pb.ResumeRun(ctx, execution.ResumeRunInput{RunID: id, Decision: "retry"}); fault != nil || r.Failed() {
			t.Errorf("%s: %+v, %v", id, r, fault)
		}
	}
	if got := listed(ctx, t, pb, execution.RunsInput{}); got != "mine:p old:p" {
		t.Errorf("the project's runs are %q", got)
	}
	if got := listed(ctx, t, pb, execution.RunsInput{AllProjects: true}); got != "mine:p old:p other:q" {
		t.Errorf("all runs are %q", got)
	}
}

// listed lists runs with their projects, by id.
func listed(ctx context.Context, t *testing.T, pb *app.App, in execution.RunsInput) string {
	t.Helper()
	r, fault := pb.Runs(ctx, in)
	if fault != nil {
		t.Fatal(fault)
	}
	var list []string
	for _, s := range r.Runs {
		list = append(list, s.ID+":"+s.Project)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// Runs without a project are adopted as none.
func TestAdoptRunsWithoutAProject(t *testing.T) {
	w := newWrecks(t)
	w.leave(wreck("mine", "p", sum), wreck("other", "q", sum), wreck("old", "", sum))
	pb := overWith(t, w.options(), nil)
	ctx := request.WithActor(t.Context(), run.Actor{Operator: true})
	if _, fault := pb.AdoptRuns(ctx, execution.AdoptRunsInput{From: "x"}); fault == nil || fault.Code != "no-runs" || !strings.Contains(fault.Hint, "none") || !strings.Contains(fault.Hint, "q") {
		t.Errorf("adopted from nowhere: %+v", fault)
	}
	if r, fault := pb.AdoptRuns(ctx, execution.AdoptRunsInput{From: "none"}); fault != nil || r.Adopted != 1 || r.Project != "p" {
		t.Errorf("adopted from none: %+v, %v", r, fault)
	}
	if got := listed(ctx, t, pb, execution.RunsInput{}); got != "mine:p old:p" {
		t.Errorf("the project's runs are %q", got)
	}
	if _, fault := overWith(t, app.Options{}, nil).AdoptRuns(ctx, execution.AdoptRunsInput{From: "q"}); fault == nil || fault.Code != "no-project" {
		t.Errorf("adopted by no project: %+v", fault)
	}
}

// The runs that an earlier version kept for a configuration are its project's.
func TestRunsOfAnEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	cfg, found, err := config.Load(config.Options{Dir: dir, Standalone: true, RunsFile: "runs.db", RunsKey: strings.Repeat("k", 32)})
	if err != nil || len(found) > 0 {
		t.Fatal(err, found)
	}
	w := wrecks{t, cfg.Runs.File}
	for i, project := range cfg.FormerProjects {
		w.leave(wreck(fmt.Sprint("mine", i), project, sum))
	}
	w.leave(wreck("other", strings.Repeat("0", 32), sum))
	ctx := request.WithActor(t.Context(), run.Actor{Operator: true})
	for _, want := range []string{"", "mine0:" + cfg.Project + " mine1:" + cfg.Project} { // they are not verified at first
		pb, err := app.Open(t.Context(), cfg, app.Setup{})
		if err != nil {
			t.Fatal(err)
		}
		if got := listed(ctx, t, pb, execution.RunsInput{}); got != want {
			t.Errorf("the project's runs are %q, want %q", got, want)
		}
		if _, _, _, err := pb.TrustRuns(cfg.Runs.File, func([]run.Summary) (bool, error) { return true, nil }); err != nil {
			t.Error(err)
		}
		pb.Close()
	}
}
