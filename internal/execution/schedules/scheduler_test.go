package schedules

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/store/journal"
)

// A record is what the processes of a test have started.
type record struct {
	mu   sync.Mutex
	list []string
}

// process is a scheduler in a bubble whose clock begins on 2000-01-01 00:00 UTC.
type process struct {
	*Scheduler
	stop    context.CancelFunc
	started *record
	fail    error // of each start, guarded by started.mu
}

// failWith sets how the starts from now on end.
func (p *process) failWith(err error) {
	p.started.mu.Lock()
	defer p.started.mu.Unlock()
	p.fail = err
}

func startProcess(t *testing.T, store *journal.Memory, started *record, list ...Schedule) *process {
	t.Helper()
	p := &process{started: started}
	ids := 0
	p.Scheduler = New(Options{
		Project: "p", Store: store, Log: slog.New(slog.DiscardHandler),
		NewID: func() string { ids++; return fmt.Sprintf("run_%p_%d", p, ids) },
		Start: func(_ context.Context, s Schedule, _ string) error {
			started.mu.Lock()
			defer started.mu.Unlock()
			started.list = append(started.list, time.Now().UTC().Format("02 15:04 ")+s.Name)
			return p.fail
		},
	})
	p.Set(list)
	ctx, cancel := context.WithCancel(t.Context())
	p.stop = cancel
	go p.Run(ctx)
	synctest.Wait()
	return p
}

func schedule(t *testing.T, name, cron, zone string) Schedule {
	t.Helper()
	s, err := Parse(cron, zone)
	if err != nil {
		t.Fatal(err)
	}
	s.Name, s.Graph = name, name
	return s
}

// after lets time pass and compares what has been started until then.
func after(t *testing.T, started *record, wait time.Duration, want ...string) {
	t.Helper()
	time.Sleep(wait)
	synctest.Wait()
	started.mu.Lock()
	defer started.mu.Unlock()
	if diff := cmp.Diff(want, started.list); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
	started.list = nil
}

// Each occurrence is started once by two processes of a project, also when the graph cannot
// be started.
func TestEachOccurrenceIsStartedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var started record
		store := journal.NewMemory(nil)
		six := schedule(t, "six", "0 6 * * *", "UTC")
		a := startProcess(t, store, &started, six)
		b := startProcess(t, store, &started, six)
		a.failWith(errors.New("it cannot be compiled"))
		b.failWith(errors.New("it cannot be compiled"))
		after(t, &started, 5*time.Hour)
		after(t, &started, 24*time.Hour, "01 06:00 six")
		after(t, &started, 48*time.Hour, "02 06:00 six", "03 06:00 six")
		a.stop()
		b.stop()
		synctest.Wait()
	})
}

// What was missed while no process was there is started once, and then at its times. A
// schedule that is new has missed nothing, and neither has one that was changed.
func TestMissedOccurrences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var started record
		store := journal.NewMemory(nil)
		hourly := schedule(t, "hourly", "@hourly", "UTC")
		first := startProcess(t, store, &started, hourly)
		after(t, &started, time.Hour+time.Minute, "01 01:00 hourly")
		first.stop()
		after(t, &started, 10*time.Hour)
		second := startProcess(t, store, &started, hourly, schedule(t, "new", "30 * * * *", "UTC"))
		after(t, &started, time.Hour, "01 11:01 hourly", "01 11:30 new", "01 12:00 hourly")
		second.stop()
		after(t, &started, 10*time.Hour)
		third := startProcess(t, store, &started, schedule(t, "hourly", "15 * * * *", "UTC"))
		after(t, &started, 15*time.Minute, "01 22:15 hourly")
		third.stop()
		synctest.Wait()
	})
}

// Schedules are added, changed and removed while the scheduler runs.
func TestSchedulesChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var started record
		p := startProcess(t, journal.NewMemory(nil), &started, schedule(t, "a", "@hourly", "UTC"))
		after(t, &started, 90*time.Minute, "01 01:00 a")
		p.Set([]Schedule{schedule(t, "a", "45 * * * *", "UTC"), schedule(t, "b", "50 * * * *", "UTC")})
		after(t, &started, time.Hour, "01 01:45 a", "01 01:50 b")
		p.Set(nil)
		after(t, &started, 24*time.Hour)
		p.stop()
		synctest.Wait()
	})
}

func TestTimesOfSchedules(t *testing.T) {
	from := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct{ cron, zone, want string }{
		{"0 9 * * MON-FRI", "Europe/Berlin", "2026-03-30T07:00:00Z"}, // summer time began on the 29th
		{"30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z"},      // the clock skips 02:30 on the 29th
		{"*/20 * * * *", "UTC", "2026-03-28T12:20:00Z"},
		{"@daily", "UTC", "2026-03-29T00:00:00Z"},
	} {
		s := schedule(t, "s", test.cron, test.zone)
		if got := s.Next(from).UTC().Format(time.RFC3339); got != test.want {
			t.Errorf("%s in %s: %s, want %s", test.cron, test.zone, got, test.want)
		}
	}
	for _, test := range []struct{ cron, zone, want string }{
		{"every day", "", "cannot be read"},
		{"0 6 * *", "", "cannot be read"},
		{"0 6 * * *", "Mars/Olympus", "unknown time zone"},
		{"0 0 30 2 *", "", "never due"},
		{"CRON_TZ=UTC 0 6 * * *", "", "write it as timezone"},
	} {
		if _, err := Parse(test.cron, test.zone); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s in %s: %v, want %s", test.cron, test.zone, err, test.want)
		}
	}
}

// A start that is refused for too many runs is tried again until it succeeds, in the place
// of its occurrence, and not once the schedule is gone or due again.
func TestRefusedStartsAreTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var started record
		store := journal.NewMemory(nil)
		hourly := schedule(t, "hourly", "@hourly", "UTC")
		p := startProcess(t, store, &started, hourly)
		p.failWith(fmt.Errorf("%w: 16", ErrBusy))
		after(t, &started, time.Hour+90*time.Second, "01 01:00 hourly", "01 01:01 hourly")
		p.failWith(nil)
		after(t, &started, time.Minute, "01 01:02 hourly")
		after(t, &started, 57*time.Minute)
		p.failWith(ErrBusy)
		after(t, &started, time.Minute, "01 02:00 hourly")
		p.stop() // with the start still to be done
		synctest.Wait()
		next := startProcess(t, store, &started, hourly)
		mark, err := store.ScheduleMark("p", "hourly")
		if err != nil || mark.Run == "" {
			t.Fatalf("the mark is %+v, %v", mark, err)
		}
		next.Set(nil)
		after(t, &started, 24*time.Hour)
		next.stop()
		synctest.Wait()
	})
}
