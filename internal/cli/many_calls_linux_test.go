package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var manyCalls = flag.Int("memory.calls", 0, "how many calls TestMemoryOfManyCalls makes; 0 skips it")

// TestMemoryOfManyCalls: the memory of a server that makes call after call through a graph
// does not grow: at the end it is at most a tenth more than after a fifth of the calls.
func TestMemoryOfManyCalls(t *testing.T) {
	if *manyCalls == 0 {
		t.Skip("it takes minutes: make calls")
	}
	binary := built(t)
	for name, settings := range map[string]string{"the default journal": "", "--store memory": "runs: {store: memory}\n"} {
		t.Run(name, func(t *testing.T) {
			s := &side{name: name, served: graphOver(t, binary, settings), tool: "say"}
			var all []float64
			for range 10 {
				s.calls(t, *manyCalls/10)
				all = append(all, resident(t, s.Process.Pid))
			}
			files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.Process.Pid))
			t.Logf("%d calls, MB resident after each tenth: %v; %d descriptors, %s", *manyCalls, all, len(files), threads(s.Process.Pid))
			if last := all[len(all)-1]; last > 1.1*all[1] {
				t.Errorf("%v MB after all calls, %v after a fifth", last, all[1])
			}
		})
	}
}

func threads(pid int) string {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if n, ok := strings.CutPrefix(line, "Threads:"); ok {
			return strings.TrimSpace(n) + " threads"
		}
	}
	return ""
}
