package journal_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// A projectStore is what both stores of runs do for projects.
type projectStore interface {
	run.Journal
	List(run.Filter) ([]run.Summary, error)
	Prune(project string, before time.Time, maxBytes int64) (int, error)
	Adopt(from []string, to string) (int, error)
}

// file keeps a run of a project that has stopped, or that executes for the zero time.
func file(t *testing.T, s projectStore, id, project string, ended time.Time) {
	t.Helper()
	r := &run.Record{ID: id, Project: project, Status: run.Running, Started: now, Arguments: []byte("{}")}
	if err := s.Begin(r, true); err != nil {
		t.Fatal(err)
	}
	if ended.IsZero() {
		return
	}
	r.Status, r.Ended = run.Succeeded, ended
	if err := s.End(r, true); err != nil {
		t.Fatal(err)
	}
}

// whose lists the runs of a project with the project of each, the oldest first.
func whose(t *testing.T, s projectStore, project string) string {
	t.Helper()
	list, err := s.List(run.Filter{Actor: operator, Project: project})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, r := range list {
		text = r.ID + ":" + r.Project + " " + text
	}
	return strings.TrimSpace(text)
}

func eachStore(t *testing.T, test func(*testing.T, projectStore)) {
	t.Run("sqlite", func(t *testing.T) { test(t, openJournal(t, filepath.Join(t.TempDir(), "runs.db"), nil)) })
	t.Run("memory", func(t *testing.T) { test(t, journal.NewMemory(nil)) })
}

// Runs are listed, deleted by age and moved by project; the bound on their size is one
// for all projects.
func TestRunsOfProjects(t *testing.T) {
	eachStore(t, func(t *testing.T, s projectStore) {
		for i, project := range []string{"p", "q", "", "p"} {
			file(t, s, string(rune('a'+i)), project, now.Add(time.Duration(i)*time.Hour))
		}
		file(t, s, "e", "q", time.Time{})
		for project, want := range map[string]string{"p": "a:p d:p", "q": "b:q e:q", "": "a:p b:q c: d:p e:q", "r": ""} {
			if got := whose(t, s, project); got != want {
				t.Errorf("the runs of %q are %q, want %q", project, got, want)
			}
		}
		if n, err := s.Prune("p", now.Add(2*time.Hour), 0); n != 1 || err != nil || whose(t, s, "") != "b:q c: d:p e:q" {
			t.Errorf("pruned %d of p, left %q (%v)", n, whose(t, s, ""), err)
		}
		if n, err := s.Adopt([]string{"", "q", "x"}, "p"); n != 3 || err != nil || whose(t, s, "p") != "b:p c:p d:p e:p" {
			t.Errorf("adopted %d, now %q (%v)", n, whose(t, s, "p"), err)
		}
		if n, err := s.Adopt([]string{"q"}, "p"); n != 0 || err != nil {
			t.Errorf("adopted %d of none (%v)", n, err)
		}
		ended := &run.Record{ID: "e", Project: "q", Status: run.Succeeded, Started: now, Ended: now.Add(9 * time.Hour), Begun: 1, Arguments: []byte("{}")}
		if err := s.End(ended, true); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Prune("r", time.Time{}, 1); n != 4 || err != nil {
			t.Errorf("pruned %d to a byte (%v)", n, err)
		}
	})
}

// The runs of a project as earlier versions called it are its runs as soon as it opens
// the journal; those of others are not.
func TestJournalAdoptsFormerProjects(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	former, other := strings.Repeat("a", 32), strings.Repeat("b", 32)
	j := openJournal(t, path, nil)
	for id, project := range map[string]string{"former": former, "other": other, "named": "former", "none": ""} {
		file(t, j, id, project, now)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		j = openJournal(t, path, &journal.Options{Project: "shop", FormerProjects: []string{former, strings.Repeat("c", 32), "former"}})
		if got := whose(t, j, "shop"); got != "former:shop" {
			t.Errorf("the project's runs are %q", got)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
