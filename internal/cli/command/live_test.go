package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

var liveStart = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

func after(ms int) time.Time { return liveStart.Add(time.Duration(ms) * time.Millisecond) }

// TestLiveFrames: a line for each node, with a spinner while it executes, how often it did,
// what its items have done, and the time.
func TestLiveFrames(t *testing.T) {
	r := &LiveRun{}
	start := func(key string, ms int, part bool) { r.Event(run.Event{Key: key, At: after(ms), Part: part}) }
	end := func(key string, ms, took int, part bool, err error) {
		r.Event(run.Event{Key: key, At: after(ms), Part: part, Ended: true, Duration: time.Duration(took) * time.Millisecond, Err: err})
	}
	see := func(ms, lines int, want ...string) {
		t.Helper()
		if diff := gocmp.Diff(want, r.Frame(&term.Page{Width: 60}, after(ms), lines)); diff != "" {
			t.Errorf("after %d ms: %s", ms, diff)
		}
	}
	see(0, 9)
	start("entry#0", 0, false)
	end("entry#0", 1, 1, false, nil)
	start("list#0", 1, false)
	see(120, 9,
		"ok   entry       1 ms",
		"/    list      119 ms")
	end("list#0", 300, 299, false, nil)
	start("send#0", 300, false)
	for _, item := range []string{"send#0/0", "send#0/1", "send#0/2"} {
		start(item, 310, true)
	}
	end("send#0/0", 350, 40, true, nil)
	see(400, 9,
		"ok   entry       1 ms",
		"ok   list      299 ms",
		"|    send      100 ms  1 step done, 2 running")
	end("send#0/1", 500, 190, true, nil)
	end("send#0/2", 500, 190, true, errors.New("no"))
	end("send#0", 500, 200, false, errors.New("no"))
	start("list#1", 500, false)
	see(510, 9,
		"ok   entry       1 ms",
		`/    list      309 ms  2 times`,
		"FAIL send      200 ms  3 steps done")
	see(510, 2,
		"     … 2 nodes before these",
		"FAIL send      200 ms  3 steps done")
}

// TestLiveScreen: a frame takes the place of the one before, and no name steers the
// terminal.
func TestLiveScreen(t *testing.T) {
	f := &Flags{}
	var out bytes.Buffer
	s := &term.Screen{Page: &term.Page{Writer: &term.MaskedWriter{W: &out, Redactor: &f.Redactor, Visible: true}, Width: 60}, Raw: &out}
	r := &LiveRun{}
	r.Event(run.Event{Key: "evil\x1b[2J#0", At: liveStart})
	s.Show(r.Frame(s.Page, liveStart, 9))
	s.Show([]string{"a", "b"})
	s.Clear()
	s.Clear()
	want := "|    evil\\u001b[2J       0 ms\n" + "\x1b[1A\r\x1b[J" + "a\nb\n" + "\x1b[2A\r\x1b[J"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

// TestLiveForeach: the items of a foreach are a known number, and have a bar while they
// execute.
func TestLiveForeach(t *testing.T) {
	r := &LiveRun{}
	r.Event(run.Event{Key: "send#0", At: liveStart})
	item := func(key string, ended bool) {
		r.Event(run.Event{Key: key, At: after(10), Part: true, Items: 10, Ended: ended})
	}
	line := func(ms int) string { return r.Frame(&term.Page{}, after(ms), 9)[0] }
	item("send#0[0]", false)
	item("send#0[1]", false)
	item("send#0[1]", true)
	item("send#0[2]", false)
	r.Event(run.Event{Key: "send#0[2]/list#0", At: after(10), Part: true, Items: 99, Ended: true})
	if got, want := line(100), "/    send     100 ms  [==                  ] 1/10, 1 running"; got != want {
		t.Errorf("while it executes:\n%q, want\n%q", got, want)
	}
	r.Event(run.Event{Key: "send#0", At: after(200), Ended: true, Duration: 200 * time.Millisecond, Err: errors.New("no")})
	if got, want := line(300), "FAIL send     200 ms  1 of 10 items"; got != want {
		t.Errorf("failed:\n%q, want\n%q", got, want)
	}
	r.Event(run.Event{Key: "send#1", At: after(300)})
	for range 10 {
		item("send#1[0]", false)
		item("send#1[0]", true)
	}
	r.Event(run.Event{Key: "send#1", At: after(400), Ended: true, Duration: 100 * time.Millisecond})
	if got, want := line(500), "ok   send     300 ms  2 times  10 items"; got != want {
		t.Errorf("at the end:\n%q, want\n%q", got, want)
	}
}

// TestLivePlainLines: where no terminal is, a node has a line when it has executed, of many
// executions the first few and every power of ten, and a long foreach one for each quarter.
func TestLivePlainLines(t *testing.T) {
	r := &LiveRun{Plain: true}
	execute := func(key string) {
		r.Event(run.Event{Key: key, At: liveStart})
		r.Event(run.Event{Key: key, At: after(1), Ended: true, Duration: time.Millisecond})
	}
	for i := range 12 {
		execute(fmt.Sprint("loop#", i))
	}
	r.Event(run.Event{Key: "each#0", At: liveStart})
	for i := range 20 {
		r.Event(run.Event{Key: fmt.Sprintf("each#0[%d]", i), At: after(i), Part: true, Items: 20, Ended: true})
	}
	r.Event(run.Event{Key: "each#0", At: after(20), Ended: true, Duration: 20 * time.Millisecond, Err: errors.New("no")})
	want := []string{
		"ok   loop                                 1 ms",
		"ok   loop                                 2 ms  2 times",
		"ok   loop                                 3 ms  3 times",
		"ok   loop                                10 ms  10 times",
		"     each                                 4 ms  5 of 20 items",
		"     each                                 9 ms  10 of 20 items",
		"     each                                14 ms  15 of 20 items",
		"FAIL each                                20 ms  20 items",
	}
	if diff := gocmp.Diff(want, r.News(liveStart, false)); diff != "" {
		t.Error(diff)
	}
	if diff := gocmp.Diff([]string{"ok   loop                                12 ms  12 times"}, r.News(liveStart, true)); diff != "" {
		t.Errorf("at the end: %s", diff)
	}
}

func TestLiveParts(t *testing.T) {
	at := &PartsDone{Total: 4}
	see := func(want string) {
		t.Helper()
		if got := strings.Join(at.Frame(&term.Page{}, liveStart, 9), "\n"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	see("[                    ] 0/4")
	at.Next("a.test.yaml")
	at.Ended(false)
	at.Next("b.test.yaml")
	see("[=====               ] 1/4  1 failed  b.test.yaml")
	at.WaitsFor(&LiveServers{
		Waiting: NewWaiting(io.Discard, &atomic.Bool{}, nil), Shown: func(string) bool { return true }, Began: liveStart, Took: map[string]time.Duration{},
		Status: func() []downstream.Status { return []downstream.Status{{Name: "memory", State: "starting"}} },
	})
	see("[=====               ] 1/4  1 failed  b.test.yaml\n|    memory                  0.0s  starting")
}

// A fakeView counts its frames.
type fakeView struct{ frames, plain int }

func (v *fakeView) Frame(*term.Page, time.Time, int) []string {
	v.frames++
	return []string{fmt.Sprint("frame ", v.frames)}
}

func (v *fakeView) News(time.Time, bool) []string {
	v.plain++
	return []string{"line"}
}

// TestProgress: at a terminal frames replace one another and the last stays if it is to;
// elsewhere lines are written, unless nobody or a program reads them.
func TestProgress(t *testing.T) {
	show := func(o output, f *Flags, stays bool) string {
		var out bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetErr(&out)
		f.Quiet, f.Field, f.Format = o.Quiet, o.Field, cmp.Or(o.Format, AsTable)
		ticks := make(chan time.Time)
		if f.screenOf != nil {
			f.screenOf = &term.Terminal{Raw: &out, Height: 24, Ticks: ticks}
		}
		stop := f.ShowProgress(cmd, stays, &fakeView{})
		if f.screenOf != nil {
			ticks <- liveStart
			ticks <- liveStart
		}
		stop()
		return out.String()
	}
	const twice = "frame 1\n\x1b[1A\r\x1b[Jframe 2\n\x1b[1A\r\x1b[J"
	for _, c := range []struct {
		what  string
		o     output
		f     *Flags
		stays bool
		want  string
	}{
		{"at a terminal", output{}, &Flags{screenOf: &term.Terminal{}}, false, twice},
		{"at a terminal, to stay", output{}, &Flags{screenOf: &term.Terminal{}}, true, twice + "frame 3\n"},
		{"elsewhere", output{}, &Flags{}, true, "line\n"},
		{"--quiet", output{Quiet: true}, &Flags{}, true, ""},
		{"-o json", output{Format: AsJSON}, &Flags{}, true, ""},
		{"--field", output{Field: "runs"}, &Flags{}, true, ""},
	} {
		if got := show(c.o, c.f, c.stays); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// TestLiveServers: each server has a line with its state, its tools and the time, and in
// plain text one when a wait that was reported is over.
func TestLiveServers(t *testing.T) {
	now := []downstream.Status{{Name: "memory", State: "starting"}, {Name: "files", State: "cached", Tools: 14}, {Name: "other", State: "idle"}}
	w := NewWaiting(io.Discard, &atomic.Bool{}, []config.Server{{Name: "memory", Command: "/usr/bin/npx"}, {Name: "files", Command: "npx"}})
	l := &LiveServers{Waiting: w, Status: func() []downstream.Status { return now }, Shown: func(name string) bool { return name != "other" }, Began: liveStart, Took: map[string]time.Duration{}, Told: map[string]bool{}}
	w.Report("memory")
	see := func(ms int, want ...string) {
		t.Helper()
		if diff := gocmp.Diff(want, l.Frame(&term.Page{}, after(ms), 9)); diff != "" {
			t.Errorf("after %d ms: %s", ms, diff)
		}
	}
	see(1100,
		`\    memory                  1.1s  starting (installed by npx if needed)`,
		`\    files                   1.1s  starting, 14 tools known`)
	if got := l.News(after(1100), false); got != nil {
		t.Errorf("%q", got)
	}
	now[0], now[1].State, now[1].Reason = downstream.Status{Name: "memory", State: "ready", Tools: 9}, "failed", "no such\nprogram"
	see(2000,
		"ok   memory                  2.0s  9 tools",
		"FAIL files                   2.0s  no such program")
	see(5000,
		"ok   memory                  2.0s  9 tools",
		"FAIL files                   2.0s  no such program")
	if diff := gocmp.Diff([]string{"ok   memory                  2.0s  9 tools"}, l.News(after(6000), true)); diff != "" {
		t.Error(diff)
	}
	if got := l.News(after(6000), true); got != nil {
		t.Errorf("again: %q", got)
	}
}

// At 80 columns with colours, a frame shows the same as without: times, bars and states.
func TestColoursDoNotShortenFrames(t *testing.T) {
	r := &LiveRun{}
	r.Event(run.Event{Key: "send#0", At: liveStart})
	r.Event(run.Event{Key: "send#0[0]", At: after(10), Part: true, Items: 10, Ended: true})
	status := func() []downstream.Status {
		return []downstream.Status{{Name: "files", State: "failed", Reason: "it did not answer in a whole minute"}}
	}
	servers := &LiveServers{Waiting: NewWaiting(nil, nil, []config.Server{}), Status: status, Shown: func(string) bool { return true }, Began: liveStart, Took: map[string]time.Duration{}, Told: map[string]bool{}}
	parts := &PartsDone{done: 3, failed: 1, Total: 9, now: "a-file-of-tests.test.yaml"}
	for _, v := range []term.View{r, servers, parts} {
		plainLines := v.Frame(&term.Page{Width: 80}, after(100), 9)
		colourful := v.Frame(&term.Page{Width: 80, Color: true}, after(100), 9)
		if len(plainLines) != len(colourful) {
			t.Fatalf("%q, in colours %q", plainLines, colourful)
		}
		for i, line := range colourful {
			if got := withoutMarks(line); got != plainLines[i] || strings.Contains(got, "…") {
				t.Errorf("%q, in colours %q", plainLines[i], got)
			}
		}
	}
}

// withoutMarks is a text without its colours.
func withoutMarks(text string) string {
	var b strings.Builder
	fmt.Fprint(&term.MaskedWriter{W: &b, Redactor: &atomic.Pointer[secrets.Redactor]{}}, text)
	return regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(b.String(), "")
}
