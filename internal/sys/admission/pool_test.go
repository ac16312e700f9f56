package admission

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const mib = 1 << 20

func keep(t *testing.T, s *Share, bytes int64) {
	t.Helper()
	if err := s.Keep(t.Context(), bytes); err != nil {
		t.Fatal(err)
	}
}

// keeping starts a goroutine that keeps so much, and returns where its error comes.
func keeping(ctx context.Context, s *Share, bytes int64) <-chan error {
	done := make(chan error, 1)
	go func() { done <- s.Keep(ctx, bytes) }()
	synctest.Wait()
	return done
}

// TestSmallSharesNeverWait: they are counted, though, so that the large ones wait for
// them.
func TestSmallSharesNeverWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(4 * mib)
		large := p.Share("a", 1)
		var small [6]Share
		for i := range small {
			small[i] = p.Share("b", uint64(i+2))
			keep(t, &small[i], mib/2)
		}
		if got := p.State(); got.Kept != 3*mib {
			t.Errorf("state %+v, want 3 MiB", got)
		}
		grows := keeping(t.Context(), &large, 2*mib)
		if len(grows) > 0 {
			t.Fatal("a large share did not wait for the small ones")
		}
		for i := range small {
			keep(t, &small[i], mib-1)
		}
		for i := range small {
			small[i].Close()
		}
		if err := <-grows; err != nil {
			t.Error(err)
		}
		large.Close()
		if got := p.State(); got.Kept != 0 {
			t.Errorf("state %+v at the end", got)
		}
	})
}

func TestSharesGrowInSteps(t *testing.T) {
	p := NewPool(2 * mib)
	s := p.Share("a", 1)
	keep(t, &s, 50_000)
	if got := p.State(); got.Kept != 0 {
		t.Errorf("state %+v", got)
	}
	keep(t, &s, mib-1)
	keep(t, &s, mib+1)
	if got := p.State(); got.Kept != 2*mib {
		t.Errorf("state %+v, want 2 MiB", got)
	}
	if err := s.Keep(t.Context(), 2*mib+1); !errors.As(err, new(*TooLarge)) {
		t.Errorf("error %v, want TooLarge", err)
	}
	s.Close()
	if got := p.State(); got.Kept != 0 {
		t.Errorf("state %+v at the end", got)
	}
	unbounded := (*Pool)(nil).Share("a", 1)
	keep(t, &unbounded, 1<<40)
	unbounded.Close()
}

// TestSharesGrowOneAfterTheOther: 64 that need eight times their part at the same time
// all get it.
func TestSharesGrowOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(64 * mib)
		var peak atomic.Int64
		errs := make(chan error, 64)
		for i := range 64 {
			go func() {
				s := p.Share([]string{"a", "b", "c"}[i%3], uint64(i+1))
				defer s.Close()
				for n := int64(1); n <= 8; n++ {
					if err := s.Keep(t.Context(), n*mib); err != nil {
						errs <- err
						return
					}
					if kept := p.State().Kept; kept > peak.Load() {
						peak.Store(kept)
					}
					time.Sleep(time.Second)
				}
				errs <- nil
			}()
		}
		for range 64 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if peak := peak.Load() / mib; peak > 64 || peak < 32 {
			t.Errorf("peak of %d MiB", peak)
		}
		synctest.Wait()
		if got := p.State(); got.Kept != 0 || got.Waiting != 0 || p.leader != nil || len(p.shares) != 0 {
			t.Errorf("state %+v at the end", got)
		}
	})
}

func TestWhoHasMostEndsWhenAllWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(64 * mib)
		small, large, idle := p.Share("a", 1), p.Share("a", 2), p.Share("b", 3)
		keep(t, &idle, mib)
		keep(t, &small, 20*mib)
		keep(t, &large, 40*mib)
		larger := keeping(t.Context(), &large, 50*mib)
		smaller := keeping(t.Context(), &small, 30*mib)
		if len(larger)+len(smaller) != 0 {
			t.Fatal("somebody ended although one does not wait")
		}
		idle.Close()
		synctest.Wait()
		if len(larger) != 1 || len(smaller) != 0 {
			t.Fatalf("%d, %d have returned, want the one that has most", len(larger), len(smaller))
		}
		if err := <-larger; !errors.Is(err, ErrMost) {
			t.Errorf("error %v, want ErrMost", err)
		}
		if err := large.Keep(t.Context(), 45*mib); !errors.Is(err, ErrMost) {
			t.Errorf("another branch: error %v, want ErrMost", err)
		}
		large.Close()
		if err := <-smaller; err != nil {
			t.Error(err)
		}
		small.Close()
		if got := p.State(); got.Kept != 0 {
			t.Errorf("state %+v at the end", got)
		}
	})
}

// TestSomebodyContinuesIfItCan: before one ends because all wait, one that needs little
// gets it out of turn.
func TestSomebodyContinuesIfItCan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(64 * mib)
		small, large := p.Share("a", 1), p.Share("a", 2)
		keep(t, &small, 20*mib)
		keep(t, &large, 40*mib)
		larger := keeping(t.Context(), &large, 60*mib)
		keep(t, &small, 22*mib)
		small.Close()
		if err := <-larger; err != nil {
			t.Error(err)
		}
	})
}

// TestADetachedBranchThatWaits does not keep its run from ending.
func TestADetachedBranchThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(4 * mib)
		first, second := p.Share("a", 1), p.Share("a", 2)
		keep(t, &first, 2*mib)
		keep(t, &second, 2*mib)
		turn := New(Options{}).Turn("a", 1)
		ctx, cancel := context.WithCancel(t.Context())
		branch := keeping(&Work{Context: ctx, Turn: turn.Detach()}, &first, 3*mib)
		other := keeping(t.Context(), &second, 3*mib)
		if len(branch)+len(other) != 0 {
			t.Fatal("somebody ended although the run of the branch does not wait")
		}
		cancel()
		if err := <-branch; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		first.Close()
		if err := <-other; err != nil {
			t.Error(err)
		}
	})
}

// TestBranchesWaitTogether: one that leaves does not end the wait of the others.
func TestBranchesWaitTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(4 * mib)
		holder, s := p.Share("a", 1), p.Share("a", 2)
		keep(t, &holder, 3*mib)
		ctx, cancel := context.WithCancel(t.Context())
		left, stays := keeping(ctx, &s, 2*mib), keeping(t.Context(), &s, 3*mib)
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) || len(stays) != 0 {
			t.Fatalf("error %v, the other has returned: %v", err, len(stays) != 0)
		}
		holder.Close()
		if err := <-stays; err != nil || s.has.Load() != 3*mib {
			t.Errorf("error %v, %d bytes", err, s.has.Load())
		}
		s.Close()
		if got := p.State(); got.Kept != 0 || got.Waiting != 0 {
			t.Errorf("state %+v at the end", got)
		}
	})
}
