package admission

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// entering starts a goroutine that enters a turn of a request, does its work and
// leaves. It returns when the goroutine waits or has ended.
func entering(t *testing.T, q *Queue, principal string, request uint64, work func()) {
	t.Helper()
	go func() {
		turn := q.Turn(principal, request)
		if err := turn.Enter(t.Context()); err != nil {
			t.Error(err)
			return
		}
		work()
		turn.End()
	}()
	synctest.Wait()
}

func TestPrincipalsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Turns: 1})
		holder := q.Turn("greedy", 1)
		if err := holder.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		var order []string
		for i := range 1000 {
			entering(t, q, "greedy", uint64(i+2), func() { order = append(order, "greedy") })
		}
		entering(t, q, "modest", 5000, func() { order = append(order, "modest") })
		holder.End()
		synctest.Wait()
		if len(order) != 1001 || order[1] != "modest" {
			t.Errorf("%d turns, the second is of %q, want modest", len(order), order[1])
		}
		if s := q.State(); s.Turns != 0 || s.Waiting != 0 {
			t.Errorf("state %+v, want nothing in use", s)
		}
	})
}

// TestHalfOfTheTurns: a principal may hold all turns, but gets none beyond half while
// another one waits.
func TestHalfOfTheTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Turns: 4, Strict: true})
		end := make(chan struct{})
		var a, b, other atomic.Int64
		held := map[string]*atomic.Int64{"a": &a, "b": &b, "gone": &other}
		enter := func(ctx context.Context, principal string) {
			turn := q.Turn(principal, NewRequest())
			go func() {
				if turn.Enter(ctx) == nil {
					held[principal].Add(1)
					<-end
					held[principal].Add(-1)
					turn.End()
				}
			}()
			synctest.Wait()
		}
		for range 8 {
			enter(t.Context(), "a")
		}
		if a.Load() != 4 {
			t.Fatalf("alone, it holds %d of 4 turns", a.Load())
		}
		ctx, cancel := context.WithCancel(t.Context())
		enter(ctx, "gone")
		cancel()
		for range 3 {
			enter(t.Context(), "b")
		}
		for i, want := range []int64{3, 2, 2, 2, 2, 3} { // b has 0, 1, 2, 2, 2, and its last
			end <- struct{}{}
			synctest.Wait()
			if i < 5 && a.Load() != want {
				t.Errorf("%d turns have ended: a holds %d and b %d, want %d for a", i+1, a.Load(), b.Load(), want)
			}
		}
		close(end)
		synctest.Wait()
		if s := q.State(); s.Turns != 0 || s.Waiting != 0 || len(q.held) != 0 {
			t.Errorf("state %+v, want nothing in use", s)
		}
	})
}

// TestReturningIsNotRefused: only new work is refused when too many wait.
func TestReturningIsNotRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Turns: 1, MaxWaiting: 1, Strict: true})
		holder, next, again, late := q.Turn("a", 1), q.Turn("a", 2), q.Turn("a", 3), q.Turn("a", 4)
		_ = holder.EnterBefore(t.Context(), nil)
		done := make(chan error, 2)
		go func() { done <- next.EnterBefore(t.Context(), nil); next.End() }()
		synctest.Wait()
		go func() { done <- again.Enter(t.Context()); again.End() }()
		synctest.Wait()
		if err := late.EnterBefore(t.Context(), nil); !errors.Is(err, ErrFull) {
			t.Errorf("got %v, want ErrFull for new work", err)
		}
		holder.End()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestRequestsOfAPrincipalTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Turns: 1})
		holder := q.Turn("p", 9)
		_ = holder.Enter(t.Context())
		var order []string
		for i := range 3 {
			entering(t, q, "p", 1, func() { order = append(order, "1."+strconv.Itoa(i)) })
		}
		entering(t, q, "p", 2, func() { order = append(order, "2.0") })
		holder.End()
		synctest.Wait()
		if got := strings.Join(order, " "); got != "1.0 2.0 1.1 1.2" {
			t.Errorf("turns in the order %s", got)
		}
	})
}

func TestYieldsOnlyAfterASliceAndWhenOthersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Turns: 1})
		turn := q.Turn("a", 1)
		_ = turn.Enter(t.Context())
		time.Sleep(10 * Slice)
		if _ = turn.Yield(t.Context()); !turn.held {
			t.Fatal("the turn was given away although nobody waits")
		}
		turn.Pause()
		_ = turn.Enter(t.Context())
		served := false
		entering(t, q, "b", 2, func() { served = true })
		if _ = turn.Yield(t.Context()); served {
			t.Fatal("the turn was given away before it lasted for a slice")
		}
		time.Sleep(Slice)
		if err := turn.Yield(t.Context()); err != nil || !served || !turn.held {
			t.Fatalf("error %v, other served %v, held again %v", err, served, turn.held)
		}
		turn.End()
	})
}

func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Turns: 1, Bytes: 10})
		holder := q.Turn("a", 1)
		_ = holder.Enter(t.Context())
		if _, err := holder.Reserve(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		errs := make(chan error, 2)
		go func() {
			turn := q.Turn("b", 2)
			errs <- turn.Enter(ctx)
		}()
		go func() {
			turn := q.Turn("b", 3)
			_, err := turn.Reserve(ctx, 5)
			errs <- err
		}()
		synctest.Wait()
		cancel(gone)
		for range 2 {
			if err := <-errs; !errors.Is(err, gone) {
				t.Errorf("error %v, want the cause", err)
			}
		}
		served := false
		entering(t, q, "c", 4, func() { served = true })
		holder.End()
		synctest.Wait()
		if s := q.State(); !served || s.Turns != 0 || s.Reserved != 0 || s.Waiting != 0 || s.WaitingForMemory != 0 {
			t.Errorf("served %v, state %+v", served, s)
		}
	})
}

func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Turns: 1, Strict: true})
		holder := q.Turn("a", 1)
		_ = holder.Enter(t.Context())
		turn := q.Turn("a", 2)
		began := time.Now()
		if err := turn.EnterBefore(t.Context(), time.After(time.Hour)); !errors.Is(err, ErrLate) || time.Since(began) != time.Hour {
			t.Errorf("error %v after %s, want ErrLate after an hour", err, time.Since(began))
		}
	})
}

func TestReservationsWaitForMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Turns: 1, Bytes: 100})
		first, second := q.Turn("a", 1), q.Turn("a", 2)
		n, err := first.Reserve(t.Context(), 60)
		if n != 60 || err != nil {
			t.Fatal(n, err)
		}
		if n, err := first.Reserve(t.Context(), 60); n != 0 || err != nil {
			t.Fatalf("a nested reservation got %d, %v, want nothing more", n, err)
		}
		_ = second.Enter(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := second.Reserve(t.Context(), 50)
			done <- err
		}()
		synctest.Wait()
		if len(done) > 0 {
			t.Fatal("more memory is reserved than there is")
		}
		served := false
		entering(t, q, "b", 3, func() { served = true })
		if !served {
			t.Error("who waits for memory holds a turn")
		}
		first.Return(60)
		if err := <-done; err != nil || second.reserved != 50 || !second.held {
			t.Errorf("error %v, %d bytes reserved, held %v", err, second.reserved, second.held)
		}
		if _, err := first.Reserve(t.Context(), 101); !errors.As(err, new(*TooLarge)) {
			t.Errorf("error %v, want TooLarge", err)
		}
	})
}

// TestHoldersThatDoNotCompute shows that code that waits for something else while it
// holds a turn does not stop the others.
func TestHoldersThatDoNotCompute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Turns: 1})
		holder := q.Turn("a", 1)
		_ = holder.Enter(t.Context())
		turn := q.Turn("a", 2)
		if err := turn.Enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		turn.End()
		holder.End()
		if s := q.State(); s.Turns != 0 {
			t.Errorf("%d turns are in use at the end", s.Turns)
		}
	})
}

func TestShortWorkHoldsNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Turns: 1})
		turn := q.Turn("a", 1)
		_ = turn.Continue(t.Context(), time.Now())
		time.Sleep(grace - 1)
		if _ = turn.Continue(t.Context(), time.Now()); turn.held {
			t.Fatal("short work holds a turn")
		}
		time.Sleep(time.Nanosecond)
		if _ = turn.Continue(t.Context(), time.Now()); !turn.held {
			t.Fatal("long work holds no turn")
		}
		turn.Pause()
		if _ = turn.Continue(t.Context(), time.Now()); turn.held {
			t.Fatal("work that has waited holds a turn at once")
		}
	})
}

func TestNoTurn(t *testing.T) {
	turn := From(t.Context())
	if turn != nil {
		t.Fatal("a context without work has a turn")
	}
	turn.Pause()
	turn.Return(1)
	turn.End()
	if err := errors.Join(turn.Enter(t.Context()), turn.Yield(t.Context()), turn.Continue(t.Context(), time.Now())); err != nil {
		t.Error(err)
	}
	q := New(Options{})
	w := &Work{Context: t.Context(), Turn: q.Turn("a", NewRequest())}
	if From(w) != &w.Turn {
		t.Error("the context of work does not have its turn")
	}
}

func BenchmarkTurn(b *testing.B) {
	q := New(Options{})
	turn := q.Turn("a", 1)
	b.ReportAllocs()
	for b.Loop() {
		_ = turn.Enter(b.Context())
		turn.Pause()
	}
}
