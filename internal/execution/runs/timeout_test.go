package runs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

// askTwice asks two questions, each for an hour.
const askTwice = `
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: ask, message: First?, timeoutMs: 3600000, next: second}
  - {id: second, type: ask, message: Second?, timeoutMs: 3600000, next: exit}
  - {id: exit, type: exit, result: {expr: '[$.first.action, $.second.action]'}}
`

// answer files an answer to the open question of a run, and resumes it.
func answer(t *testing.T, l *runs.Local, id string) *run.Record {
	t.Helper()
	rec, fault := l.Load(operator, id)
	if fault != nil {
		t.Fatal(fault)
	}
	if _, fault := rec.Reply("", run.Answer{Action: "accept"}, time.Now()); fault != nil {
		t.Fatal(fault)
	}
	rec, fault = l.Resume(t.Context(), planOf(t, rec.Source.Text), rec, runs.Client{})
	if fault != nil {
		t.Fatal(fault)
	}
	return rec
}

// The time limit of a question belongs to that question: the limit of one that was
// answered does not end the next one.
func TestTimeoutOfTheOpenQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newRunner(t, nil)
		id := start(t, l, "ann", askTwice).ID
		time.Sleep(30 * time.Minute)
		answer(t, l, id)
		time.Sleep(45 * time.Minute) // the first question would be over
		synctest.Wait()
		rec, _ := l.Load(operator, id)
		if rec.Status != run.Interrupted || len(rec.Resumed) != 1 {
			t.Errorf("after the time of the first question the run is %s, resumed %+v", rec.Status, rec.Resumed)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		rec, _ = l.Load(operator, id)
		if rec.Status != run.Succeeded || len(rec.Resumed) != 2 || rec.Resumed[1].Decision != "timeout" {
			t.Errorf("after the time of the second question the run is %s, resumed %+v", rec.Status, rec.Resumed)
		}
		l.Close(stopped)
	})
}

// A run that is cancelled, and any after Close, is not resumed when the time for its
// question is up.
func TestTimeoutEndsWithItsRun(t *testing.T) {
	for what, end := range map[string]func(t *testing.T, l *runs.Local, id string){
		"cancelled": func(t *testing.T, l *runs.Local, id string) {
			if status, fault := l.Cancel(t.Context(), operator, id, runs.Cancelled("a test")); fault != nil || status != run.Cancelled {
				t.Errorf("%q %v", status, fault)
			}
		},
		"interrupted needs-answer": func(_ *testing.T, l *runs.Local, _ string) { l.Close(stopped) },
	} {
		synctest.Test(t, func(t *testing.T) {
			l, _ := newRunner(t, nil)
			id := start(t, l, "ann", askTwice).ID
			end(t, l, id)
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			rec, fault := l.Load(operator, id)
			if fault != nil || len(rec.Resumed) != 0 {
				t.Errorf("%s: resumed %+v, %v", what, rec, fault)
			}
			l.Close(stopped)
		})
	}
}
