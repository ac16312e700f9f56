package downstream

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// TestConnects: a thousand connections to servers in this process, over HTTP and over
// stdio, of whose processes a third are killed, leave no goroutine, descriptor or process.
func TestConnects(t *testing.T) {
	url, stop := listen(t, "", streamable(t, goServer("echo"), nil))
	inProcess := Server{Name: "fake", InProcess: goServer("echo")}
	overHTTP := Server{Name: "fake", URL: url}
	all, stdio := 1000, 24
	if testing.Short() {
		all, stdio = 100, 8
	}
	connect := func(s Server, end func(*Hub, int)) {
		s.StartTimeout, s.CallTimeout = time.Hour, time.Hour
		h := New([]Server{s}, &Options{Wait: time.Hour})
		h.Start(t.Context())
		res, fault := call(t, h, `{"z":1}`)
		if fault != nil {
			t.Error(fault)
		} else if end != nil {
			var out struct{ Pid int }
			if err := json.Unmarshal(res.Structured, &out); err != nil {
				t.Error(err)
			}
			end(h, out.Pid)
		}
		h.Close()
	}
	connect(inProcess, nil) // what the first of each kind makes stays
	connect(overHTTP, nil)
	connect(fakeServer("ok"), nil)
	before := held(t)

	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for i := range all / 4 {
				switch {
				case i < stdio/4:
					connect(fakeServer("ok"), func(h *Hub, pid int) {
						if i%3 == 0 {
							return
						}
						_ = syscall.Kill(pid, syscall.SIGKILL)
						if i%3 == 1 { // its successor serves
							_, _ = h.CallTool(t.Context(), run.Call{Server: "fake", Tool: "echo", Args: json.RawMessage(`{"z":2}`)})
						}
					})
				case i%4 == 0:
					connect(overHTTP, nil)
				default:
					connect(inProcess, nil)
				}
			}
		})
	}
	work.Wait()
	// The ends of connections and goroutines that have been told to end follow soon.
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i := 0; held(t).exceeds(before); i++ {
		if i == 6000 {
			stacks := make([]byte, 1<<20)
			t.Fatalf("held: %+v, before: %+v\n%s", held(t), before, stacks[:runtime.Stack(stacks, true)])
		}
		<-tick.C
	}
	stop()
}

// holdings are what a process holds of the system.
type holdings struct{ goroutines, descriptors, processes int }

func (h holdings) exceeds(other holdings) bool {
	return h.goroutines > other.goroutines || h.descriptors > other.descriptors || h.processes > other.processes
}

func held(t *testing.T) holdings {
	t.Helper()
	descriptors, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	processes := 0
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may have ended
		processes += len(strings.Fields(string(text)))
	}
	return holdings{runtime.NumGoroutine(), len(descriptors), processes}
}
