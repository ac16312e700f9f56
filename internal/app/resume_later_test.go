package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
)

// recovering is a runner that notes when runs are recovered.
type recovering struct {
	runs.Runner
	at []time.Time
}

func (r *recovering) Recover() { r.at = append(r.at, time.Now()) }

func (r *recovering) Prune(string, time.Time, int64) (int, *diag.Fault) { return 0, nil }

// A server resumes runs three seconds after its first use, and none if it has ended by
// then: it was started only to look.
func TestResumeRunsLater(t *testing.T) {
	for lives, want := range map[time.Duration]int{execution.RecoverDelay - 1: 0, execution.RecoverDelay + 1: 1} {
		synctest.Test(t, func(t *testing.T) {
			pb := New(Options{})
			r := &recovering{Runner: pb.Runner}
			pb.Runner = r
			pb.SetConfig(&config.Config{})
			began := time.Now()
			pb.Start(t.Context())
			pb.ResumeRunsLater()
			time.Sleep(lives)
			pb.Shutdown(context.Background())
			if len(r.at) != want || want > 0 && r.at[0].Sub(began) != execution.RecoverDelay {
				t.Errorf("a server that lives for %s recovers after %v", lives, r.at)
			}
		})
	}
}
