package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/run"
)

var liveStart = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

func after(ms int) time.Time { return liveStart.Add(time.Duration(ms) * time.Millisecond) }

// TestLiveFrames: a line for each node, with a spinner while it executes, how often it did,
// what its items have done, and the time.
func TestLiveFrames(t *testing.T) {
	r := &liveRun{}
	start := func(key string, ms int, part bool) { r.event(run.Event{Key: key, At: after(ms), Part: part}) }
	end := func(key string, ms, took int, part bool, err error) {
		r.event(run.Event{Key: key, At: after(ms), Part: part, Ended: true, Duration: time.Duration(took) * time.Millisecond, Err: err})
	}
	see := func(ms, lines int, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, r.frame(&page{width: 60}, after(ms), lines)); diff != "" {
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
	f := &flags{}
	var out bytes.Buffer
	s := &screen{page: &page{Writer: &maskedWriter{&out, &f.redactor, true}, width: 60}, raw: &out}
	r := &liveRun{}
	r.event(run.Event{Key: "evil\x1b[2J#0", At: liveStart})
	s.show(r.frame(s.page, liveStart, 9))
	s.show([]string{"a", "b"})
	s.clear()
	s.clear()
	want := "|    evil\\u001b[2J       0 ms\n" + "\x1b[1A\r\x1b[J" + "a\nb\n" + "\x1b[2A\r\x1b[J"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

func TestLiveTests(t *testing.T) {
	at := &testsAt{total: 4}
	if got := at.frame(&page{}, liveStart, 9); got != nil {
		t.Errorf("%q", got)
	}
	at.next("a.test.yaml")
	at.next("b.test.yaml")
	if got := strings.Join(at.frame(&page{}, liveStart, 9), "\n"); got != "[=====               ] 1/4 b.test.yaml" {
		t.Errorf("%q", got)
	}
}

// What is not a terminal gets no frames.
func TestLiveIsForTerminals(t *testing.T) {
	f := &flags{}
	cmd := rootCommand(f)
	var out bytes.Buffer
	cmd.SetErr(&out)
	stop := f.watchLive(cmd, true, func(*page, time.Time, int) []string {
		t.Error("a frame is drawn")
		return nil
	})
	stop()
	if out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
}
