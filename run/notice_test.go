package run_test

import (
	"slices"
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
