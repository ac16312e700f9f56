package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// takeover is within what another worker takes over the work of one that was killed: the
// time after which a silent call is given up, and five seconds.
const takeover = 15 * time.Second

const loop = `name: loop
executionLimits: {maxNodeExecutions: 5000}
inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: note}
  - {id: note, type: mcp, server: counter, tool: note, args: {n: {expr: '$executionCount("note") + 1'}}, next: more}
  - id: more
    type: switch
    conditions:
      - {rule: {"<": [{var: $.note.n}, {var: $.entry.n}]}, next: note}
    next: exit
  - {id: exit, type: exit, result: {expr: '{"n": $.note.n}'}}
`

const each = `name: each
inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: note}
  - {id: note, type: mcp, server: counter, tool: note, args: {n: {expr: $item}}, foreach: {items: {expr: '[1..$.entry.n]'}, as: item, concurrency: 4}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $count($.note)}'}}
`

const timer = `name: timer
nodes:
  - {id: entry, type: entry, next: before}
  - {id: before, type: mcp, server: counter, tool: note, args: {n: 1}, next: wait}
  - {id: wait, type: wait, ms: 12000, next: after}
  - {id: after, type: mcp, server: counter, tool: note, args: {n: 2}, next: exit}
  - {id: exit, type: exit, result: {n: 2}}
`

const asking = `name: asking
nodes:
  - {id: entry, type: entry, next: before}
  - {id: before, type: mcp, server: counter, tool: note, args: {n: 1}, next: ask}
  - {id: ask, type: ask, message: Continue?, next: after}
  - {id: after, type: mcp, server: counter, tool: note, args: {n: 2}, next: exit}
  - {id: exit, type: exit, result: {n: 2}}
`

// keys takes the branch of the last key of an object, call after call.
const keys = `name: keys
nodes:
  - {id: entry, type: entry, next: choose}
  - {id: choose, type: transform, transform: {expr: '{"key": $keys({"c": 1, "a": 2, "b": 3})[-1], "n": $executionCount("choose")}'}, next: which}
  - id: which
    type: switch
    conditions:
      - {rule: {"==": [{var: $.choose.key}, a]}, next: one}
      - {rule: {"==": [{var: $.choose.key}, b]}, next: two}
    next: three
  - {id: one, type: mcp, server: counter, tool: note, args: {n: {expr: '1000 + $.choose.n'}}, next: more}
  - {id: two, type: mcp, server: counter, tool: note, args: {n: {expr: '2000 + $.choose.n'}}, next: more}
  - {id: three, type: mcp, server: counter, tool: note, args: {n: {expr: '3000 + $.choose.n'}}, next: more}
  - id: more
    type: switch
    conditions:
      - {rule: {"<": [{var: $.choose.n}, 20]}, next: choose}
    next: exit
  - {id: exit, type: exit, result: {expr: '{"n": $.choose.n}'}}
`

func TestKillInALoop(t *testing.T) {
	s := newSite(t, loop)
	s.killed("one of two workers, in a loop of 1,000 calls", 1000, 1, s.run("n=1000"), 250)
}

func TestKillInForeach(t *testing.T) {
	s := newSite(t, each)
	s.killed("one of two workers, in a `foreach` of 200 items, 4 at a time", 200, 4, s.run("n=200"), 50)
}

// killed starts two workers, kills the first after some calls, and looks at the outcome:
// every number was noted, none whose call was completed was noted again, and the other
// worker took over in time.
func (s *site) killed(what string, total, concurrency int, done <-chan outcome, after int) {
	t := s.t
	t.Helper()
	first := s.work()
	s.until(fmt.Sprintf("%d calls", after/2), func() bool { return len(s.calls()) >= after/2 })
	s.work()
	s.until(fmt.Sprintf("%d calls", after), func() bool { return len(s.calls()) >= after })
	s.kill(first)
	at := time.Now()
	o := <-done
	if o.Status != "succeeded" || o.Result.N != total {
		t.Fatalf("%s %+v %s", o.Status, o.Result, o.Error)
	}
	took := longestPause(s.calls(), at)
	c := s.audit(o.RunID)
	if c.made != total || c.again > concurrency {
		t.Errorf("%d calls, and %d made again: %d were in flight at most", c.made, c.again, concurrency)
	}
	if took > takeover {
		t.Errorf("the takeover took %s", took)
	}
	s.record("killed: "+what, c, fmt.Sprintf("succeeded; the longest pause between calls after the kill was %.1f s", took.Seconds()))
}

// longestPause is the longest time without a call from a time on.
func longestPause(calls []call, from time.Time) (longest time.Duration) {
	for _, c := range calls {
		if c.at.After(from) {
			longest, from = max(longest, c.at.Sub(from)), c.at
		}
	}
	return longest
}

// record keeps what became of runs for the report.
func (s *site) record(what string, c counts, came string) {
	if !s.t.Failed() {
		faults.record(append(append([]string{what}, c.cells()...), came)...)
	}
}

func TestKillInATimer(t *testing.T) {
	s := newSite(t, timer)
	done := s.run()
	first := s.work()
	s.until("the timer", func() bool { return strings.Contains(s.output("runs", "logs", "latest"), `"wait#0"`) })
	s.kill(first)
	s.work()
	o := <-done
	calls := s.calls()
	if o.Status != "succeeded" || len(calls) != 2 {
		t.Fatalf("%s %s, calls %v", o.Status, o.Error, calls)
	}
	s.record("killed: the only worker, during a wait of 12 s; then another one starts", s.audit(o.RunID),
		fmt.Sprintf("succeeded; %.1f s passed between the calls", calls[1].at.Sub(calls[0].at).Seconds()))
}

func TestKillWhileAPersonIsAsked(t *testing.T) {
	s := newSite(t, asking)
	first := s.work()
	o := <-s.run()
	if o.Status != "interrupted" {
		t.Fatalf("%s %s", o.Status, o.Error)
	}
	s.kill(first)
	s.work()
	if o = s.do("runs", "answer", o.RunID, "accept"); o.Status != "succeeded" || len(s.calls()) != 2 {
		t.Fatalf("%s %s, calls %v", o.Status, o.Error, s.calls())
	}
	s.record("killed: the only worker, while a person is asked; then another one starts", s.audit(o.RunID), "succeeded with the answer")
}

func TestKillOfRunsThatDependOnKeys(t *testing.T) {
	const runs, callsOfRun = 10, 21
	s := newSite(t, keys)
	first := s.work()
	var all []<-chan outcome
	for range runs {
		all = append(all, s.run())
	}
	s.until("30 calls", func() bool { return len(s.calls()) >= 30 })
	s.kill(first)
	s.work()
	var ids []string
	for _, done := range all {
		if o := <-done; o.Status == "succeeded" {
			ids = append(ids, o.RunID)
		} else {
			t.Errorf("%s %s", o.Status, o.Error)
		}
	}
	c := s.audit(ids...)
	if c.made != runs*callsOfRun || c.again > runs {
		t.Errorf("%d calls, and %d made again: %d were in flight at most", c.made, c.again, runs)
	}
	s.record("killed: the only worker, while 10 runs take branches that depend on `$keys`; then another one starts", c, fmt.Sprintf("%d of %d succeeded", len(ids), runs))
}
