package journal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/run"
)

// A run of which anything was changed is not moved to another project.
func TestAChangedRunIsNotAdopted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	written(t, path)
	if err := tryFile(path, "UPDATE runs SET result = '\"forged\"' WHERE id = 'a'"); err != nil {
		t.Fatal(err)
	}
	j := open(t, path, &Options{Key: key})
	if n, err := j.Adopt([]string{"p"}, "q"); n != 1 || err != nil {
		t.Errorf("adopted %d, %v", n, err)
	}
	if list, err := j.List(run.Filter{Actor: operator, Project: "p"}); err != nil || len(list) != 1 || list[0].ID != "a" {
		t.Errorf("%+v, %v", list, err)
	}
}

// A journal in which SQLite would execute what somebody else has written is not opened.
func TestAJournalHasNothingToExecute(t *testing.T) {
	source := filepath.Join(t.TempDir(), "runs.db")
	written(t, source)
	for what, text := range map[string]string{
		"trigger evil": "CREATE TRIGGER evil AFTER UPDATE ON runs BEGIN DELETE FROM steps; END",
		"view evil":    "CREATE VIEW evil AS SELECT 1",
		"table evil":   "CREATE VIRTUAL TABLE evil USING fts5(x)",
	} {
		path := copied(t, source)
		if err := tryFile(path, text); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, &Options{Key: key})
		checkFault(t, err, what, "move this one away")
		if err != nil && !strings.Contains(err.Error(), "not a journal") {
			t.Error(err)
		}
	}
}
