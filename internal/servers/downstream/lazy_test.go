package downstream

import (
	"bytes"
	"log/slog"
	"testing"
	"time"
)

// said is a log that tells of each line with a text.
type said struct {
	text  string
	heard chan struct{}
}

func (s said) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(s.text)) {
		s.heard <- struct{}{}
	}
	return len(line), nil
}

func logOf(text string) (said, *slog.Logger) {
	s := said{text, make(chan struct{}, 100)}
	return s, slog.New(slog.NewTextHandler(s, nil))
}

func (s said) wait(t *testing.T) {
	t.Helper()
	select {
	case <-s.heard:
	case <-t.Context().Done():
		t.Fatalf("%q is not logged", s.text)
	}
}

// A server whose tools are cached is started by the first call, unless its entry, or the
// gateway, wants it at once. One whose tools are not known is started at once.
func TestServersAreStartedWhenTheyAreNeeded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := fakeServer("ok")
	first := startHub(t, &Options{CacheDir: dir, Lazy: true}, server)
	if f := first.Ready(t.Context(), "fake"); f != nil {
		t.Fatal(f)
	}
	if s := first.Status()[0].Sessions; s != 1 {
		t.Fatalf("%d sessions of a server that is not cached", s)
	}
	first.Close()

	for name, c := range map[string]struct {
		start string
		o     Options
		idle  bool
	}{
		"lazy hub":                    {"", Options{Lazy: true}, true},
		"eager entry":                 {StartEager, Options{Lazy: true}, false},
		"lazy entry":                  {StartLazy, Options{}, true},
		"neither":                     {"", Options{}, false},
		"gateway":                     {"", Options{Lazy: true, Gateway: true}, false},
		"lazy entry behind a gateway": {StartLazy, Options{Gateway: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			server.Start, c.o.CacheDir = c.start, dir
			ready, log := logOf("server is ready")
			c.o.Logger = log
			h := startHub(t, &c.o, server)
			if !c.idle {
				ready.wait(t)
				return
			}
			if st := h.Status()[0]; st.State != "idle" || st.Tools != 1 || st.Sessions != 0 {
				t.Fatalf("%+v", st)
			}
			if _, fault := call(t, h, `{}`); fault != nil {
				t.Fatal(fault)
			}
			if st := h.Status()[0]; st.State != "ready" || st.Sessions != 1 {
				t.Errorf("%+v", st)
			}
		})
	}
}

// Of a server that was not called for long, the process ends, and the next call starts it
// again.
func TestIdleServersAreEnded(t *testing.T) {
	t.Parallel()
	server := fakeServer("ok")
	server.Idle = 50 * time.Millisecond
	idle, log := logOf("server is idle")
	h := startHub(t, &Options{Logger: log}, server)
	for n := 1; n <= 3; n++ {
		if _, fault := call(t, h, `{}`); fault != nil {
			t.Fatal(fault)
		}
		idle.wait(t)
		if st := h.Status()[0]; st.State != "idle" || st.Sessions < n || st.Failures > 0 {
			t.Errorf("%+v", st)
		}
	}
}
