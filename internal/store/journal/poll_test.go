package journal

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// While runs execute, the database is asked for cancelled ones only after somebody has
// said that there is one.
func TestPollAsksNothingByItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	j := open(t, path, nil)
	told := make(chan string, 100)
	j.OnCancel(func(id string) { told <- id })
	if err := j.Begin(&run.Record{ID: "run", Status: run.Running, Started: time.Now()}, true); err != nil {
		t.Fatal(err)
	}
	execFile(t, path, "UPDATE runs SET cancel = 1")
	for range 3 {
		j.poll()
	}
	select {
	case id := <-told:
		t.Fatalf("it has asked by itself, and found %s", id)
	default:
	}
	if err := j.owner.call(j.owner.id); err != nil {
		t.Fatal(err)
	}
	j.poll()
	if id := <-told; id != "run" {
		t.Errorf("it learns of %q", id)
	}
}
