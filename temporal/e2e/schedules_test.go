package e2e_test

import (
	"testing"
	"time"
)

// tick notes that it was started.
const tick = `name: tick
nodes:
  - {id: entry, type: entry, next: note}
  - {id: note, type: mcp, server: counter, tool: note, args: {n: 1}, next: exit}
  - {id: exit, type: exit}
`

// Of two processes that have a schedule, one starts each run, and the other one starts all
// when the first is killed.
func TestKillOfAProcessWithASchedule(t *testing.T) {
	const period = 5 * time.Second
	s := newSite(t, tick)
	s.write("patchbay.yaml", s.text("patchbay.yaml")+"schedules: [{graph: tick, cron: \"@every 5s\"}]\n")
	s.work()
	var serving []int
	began := time.Now()
	for range 2 {
		serving = append(serving, s.start("serve", "--http", "127.0.0.1:0", "-g", "graph.yaml"))
	}
	s.until("4 runs", func() bool { return len(s.calls()) >= 4 })
	s.kill(serving[0])
	s.until("7 runs", func() bool { return len(s.calls()) >= 7 })
	n, passed := len(s.calls()), time.Since(began)
	if n > int(passed/period)+1 {
		t.Errorf("%d runs in %s", n, passed)
	}
}
