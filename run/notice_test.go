package run_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// TestNoticeLog: an event that comes both ways is new once, and a step that is repeated
// again.
func TestNoticeLog(t *testing.T) {
	at := time.Unix(100, 0)
	step := func(what run.NoticeType, index, second int) run.Notice {
		return run.Notice{Type: what, Index: index, At: at.Add(time.Duration(second) * time.Second)}
	}
	var l run.NoticeLog
	first := []run.Notice{step(run.NodeStarted, 0, 0), step(run.NodeCompleted, 0, 1), step(run.NodeStarted, 1, 2), step(run.NodeFailed, 1, 3), step(run.RunEnded, 0, 4)}
	if got := l.New(first); len(got) != 5 {
		t.Errorf("%d of 5", len(got))
	}
	again := slices.Concat(first, []run.Notice{step(run.RunResumed, 0, 5), step(run.NodeStarted, 1, 6), step(run.NodeCompleted, 1, 7), step(run.RunEnded, 0, 8)})
	if got := l.New(again); len(got) != 4 {
		t.Errorf("%d of 4: %v", len(got), got)
	}
}

// Where the clock stands still between calls, what happened at the same time is still told in
// its order: a foreach ends after its items.
func TestMomentsOfOneTime(t *testing.T) {
	at := time.Unix(100, 0)
	step := func(index, ended int, key string, d time.Duration) *run.StepRecord {
		return &run.StepRecord{Index: index, Key: key, Started: at, Duration: d, Ended: ended}
	}
	var got strings.Builder
	for _, m := range run.Moments([]*run.StepRecord{
		step(0, 1, "entry#0", 0), step(1, 4, "each#0", 0), step(2, 2, "each#0[0]", 0), step(3, 3, "each#0[1]", 0),
		step(4, 6, "fork#0", time.Second), step(5, 5, "fork#0/left/a#0", time.Second), step(6, 0, "fork#0/right/a#0", 0),
	}) {
		if m.Ended {
			got.WriteByte('-')
		}
		got.WriteString(m.Step.Key + " ")
	}
	if want := "entry#0 -entry#0 each#0 each#0[0] -each#0[0] each#0[1] -each#0[1] -each#0 fork#0 fork#0/left/a#0 fork#0/right/a#0 -fork#0/left/a#0 -fork#0 "; got.String() != want {
		t.Errorf("%s\nwant %s", got.String(), want)
	}
}
