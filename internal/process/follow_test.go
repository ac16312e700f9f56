package process_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/process"
)

// Changes that come together are followed once; while they are held, not before the release,
// even when the time of those before it is up.
func TestFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		w := process.Follower{F: func() { calls++ }}
		after := func(what string, want int) {
			t.Helper()
			<-time.After(time.Second)
			synctest.Wait()
			if w.Flush(); calls != want {
				t.Errorf("%s: %d calls, want %d", what, calls, want)
			}
		}
		w.Changed()
		w.Changed()
		after("two changes", 1)
		w.Changed()
		release := w.Hold()
		<-time.After(time.Second)
		synctest.Wait()
		if calls != 1 {
			t.Error("held changes are followed")
		}
		release()
		after("after the release", 2)
		w.Close()
		w.Changed()
		after("after the end", 2)
	})
}
