package downstream

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// called makes a call that must fail, and returns what the error says came of it.
func called(ctx context.Context, t *testing.T, h *Hub, tool, args string) run.CallOutcome {
	t.Helper()
	_, err := h.CallTool(ctx, run.Call{Server: "fake", Tool: tool, Args: []byte(args)})
	if err == nil {
		t.Error("the call succeeded")
	}
	return run.OutcomeOf(err)
}

// TestOutcomes tells calls that did not reach the server or that it refused from those
// that may have taken effect.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name, mode, tool, args string
		want                   run.CallOutcome
	}{
		{"the server does not start", "dead", "echo", `{}`, run.CallNotSent},
		{"the arguments are not an object", "ok", "echo", `[1]`, run.CallNotSent},
		{"it answers with an error", "ok", "ecko", `{}`, run.CallRefused},
		{"its process ends", "crash", "crash", `{}`, run.CallUnknown},
		{"it does not answer in time", "hang", "echo", `{}`, run.CallUnknown},
		{"its answer cannot be read", "cutoff", "echo", `{}`, run.CallUnknown},
		{"its answer is not a result", "badresult", "echo", `{}`, run.CallCompleted},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fakeServer(c.mode)
			if c.mode == "hang" {
				s.CallTimeout = 50 * time.Millisecond
			}
			if got := called(t.Context(), t, startHub(t, nil, s), c.tool, c.args); got != c.want {
				t.Errorf("outcome %d, want %d", got, c.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := called(ctx, t, startHub(t, nil, fakeServer("mute")), "echo", `{}`); got != run.CallNotSent {
		t.Errorf("cancelled while the server starts: outcome %d", got)
	}
	n := takeNotes(t)
	ctx, cancel = context.WithCancel(t.Context())
	h := startHub(t, nil, fakeServer("hang", n.env()))
	if f := h.Ready(t.Context(), "fake"); f != nil {
		t.Fatal(f)
	}
	go func() {
		n.next("called")
		cancel()
	}()
	if got := called(ctx, t, h, "echo", `{}`); got != run.CallUnknown {
		t.Errorf("cancelled while the server executes it: outcome %d", got)
	}
}

// TestOutcomesOverHTTP fails calls with answers that are not those of MCP.
func TestOutcomesOverHTTP(t *testing.T) {
	for _, c := range []struct {
		name string
		fail http.HandlerFunc
		want run.CallOutcome
	}{
		{"forbidden", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }, run.CallRefused},
		{"a gateway's answer", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "bad gateway", http.StatusBadGateway) }, run.CallUnknown},
		{"the connection is lost", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, run.CallUnknown},
		{"the answer is cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"jsonrpc":`)
			panic(http.ErrAbortHandler)
		}, run.CallUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner := streamable(t, goServer("echo"), nil)
			var calls atomic.Int32
			url, stop := listen(t, "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if strings.Contains(string(body), `"tools/call"`) {
					calls.Add(1)
					c.fail(w, r)
					return
				}
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				inner.ServeHTTP(w, r)
			}))
			h := startHub(t, nil, Server{Name: "fake", URL: url, Transport: "http"})
			if f := h.Ready(t.Context(), "fake"); f != nil {
				t.Fatal(f)
			}
			if got := called(t.Context(), t, h, "echo", `{}`); got != c.want || calls.Load() != 1 {
				t.Errorf("outcome %d after %d calls, want %d", got, calls.Load(), c.want)
			}
			stop()
		})
	}
}
