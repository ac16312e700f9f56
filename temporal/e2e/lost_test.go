package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// puts is a loop of calls that must not be repeated.
var puts = strings.NewReplacer("name: loop", "name: puts", "tool: note", "tool: put").Replace(loop)

// slow makes one call that takes seconds.
const slow = `name: slow_note
nodes:
  - {id: entry, type: entry, next: note}
  - {id: note, type: mcp, server: counter, tool: slow_note, args: {n: 5000}, next: exit}
  - {id: exit, type: exit, result: {n: 1}}
`

const slowNumber = 5000 // of the slow calls

// lostGraphs are the graphs of the runs that are all in progress when something is lost:
// two loops, two calls that end meanwhile, a wait and a question.
var lostGraphs = map[string]string{
	"loop": loop, "puts": puts, "slow_note": slow, "slow_put": strings.ReplaceAll(slow, "slow_note", "slow_put"),
	"timer": strings.Replace(timer, "12000", "30000", 1), "asking": asking,
}

const callsOfLoop = 300

// begin starts runs with two workers, and returns their ids by their graphs when all of
// them are in progress.
func (s *site) begin() map[string]string {
	s.t.Helper()
	for name, text := range lostGraphs {
		text = strings.Replace(text, "\nexecutionLimits: {", "\nexecutionLimits: {maxExecutionTimeMs: 3600000, ", 1)
		if !strings.Contains(text, "executionLimits") {
			text = strings.Replace(text, "\n", "\nexecutionLimits: {maxExecutionTimeMs: 3600000}\n", 1)
		}
		s.write(name+".yaml", text) // an outage counts towards the time limit of a run
	}
	s.work()
	s.work()
	if o := <-s.runFile("asking.yaml"); o.Status != "interrupted" {
		s.t.Fatalf("%s %s", o.Status, o.Error)
	}
	n := fmt.Sprintf("n=%d", callsOfLoop)
	s.runFile("loop.yaml", n)
	s.runFile("puts.yaml", n)
	s.runFile("timer.yaml")
	s.until("60 calls", func() bool { return len(s.calls()) >= 60 })
	s.until("the wait", func() bool { return strings.Contains(s.output("runs", "logs", s.ids()["timer"]), `"wait#0"`) })
	s.runFile("slow_note.yaml")
	s.runFile("slow_put.yaml")
	s.until("the slow calls", func() bool { return len(s.numbers(slowNumber)) == 2 })
	return s.ids()
}

// numbers are the calls with a number.
func (s *site) numbers(n int) (list []call) {
	for _, c := range s.calls() {
		if c.n == n {
			list = append(list, c)
		}
	}
	return list
}

// ids are the runs of the site by their graphs.
func (s *site) ids() map[string]string {
	ids := map[string]string{}
	var list struct {
		Runs []struct {
			RunID string `json:"run_id"`
			Graph string `json:"graph"`
		} `json:"runs"`
	}
	s.read(&list, "runs", "list")
	for _, r := range list.Runs {
		ids[r.Graph] = r.RunID
	}
	return ids
}

// end answers the question, waits until the runs have ended, and counts their calls. It
// decides about calls that must not be repeated where the run does not know whether they
// were made.
func (s *site) end(ids map[string]string) (c counts, decisions int) {
	t := s.t
	t.Helper()
	if o := s.do("runs", "answer", ids["asking"], "accept"); o.Status != "succeeded" {
		t.Errorf("asking was answered and is %s: %s", o.Status, o.Error)
	}
	var all []string
	for name := range lostGraphs {
		all = append(all, ids[name])
		o := s.ended(ids[name])
		if name == "puts" || name == "slow_put" {
			for tries := 0; o.Status == "interrupted" && tries < 2; tries++ {
				o = s.decide(ids[name])
				decisions++
			}
		}
		if o.Status != "succeeded" {
			t.Errorf("%s is %s: %s", name, o.Status, o.Error)
		}
	}
	c = s.audit(all...)
	if want := 2*callsOfLoop + 6; c.made != want || c.again > 2 {
		t.Errorf("%d calls were made, not %d, and %d again: two in flight may be repeated", c.made, want, c.again)
	}
	return c, decisions
}

// decide makes the decision about a call of which a run does not know whether it was made:
// the downstream server knows.
func (s *site) decide(id string) outcome {
	s.t.Helper()
	var r struct {
		Unknown []struct {
			Arguments struct{ N int } `json:"arguments"`
			Key       string          `json:"idempotencyKey"`
		} `json:"unknown_calls"`
	}
	s.read(&r, "runs", "show", id)
	if len(r.Unknown) != 1 {
		s.t.Fatalf("%d calls of unknown outcome", len(r.Unknown))
	}
	unknown := r.Unknown[0]
	if slices.ContainsFunc(s.calls(), func(c call) bool { return c.key == unknown.Key }) {
		return s.do("runs", "resume", id, "--pin", fmt.Sprintf(`{"n":%d}`, unknown.Arguments.N))
	}
	return s.do("runs", "resume", id)
}

// ended is the outcome of a run when it has stopped.
func (s *site) ended(id string) (o outcome) {
	s.t.Helper()
	s.until("the end of "+id, func() bool {
		o = s.do("runs", "show", id)
		return o.Status != "" && o.Status != "running"
	})
	return o
}

func TestServerRestart(t *testing.T) {
	server := ownServer(t)
	s := siteAt(t, server, server.address(), loop)
	p := s.begin()
	server.kill()
	before := len(s.calls())
	if err := server.start(); err != nil {
		t.Fatal(err)
	}
	up := time.Now()
	s.until("a call after the restart", func() bool { return len(s.calls()) > before+2 })
	took := s.calls()[before+1].at.Sub(up)
	c, decisions := s.end(p)
	s.record("killed and started again: the server, while six runs are in two loops, two slow calls and a wait, and ask a person", c,
		fmt.Sprintf("6 of 6 succeeded%s; the next call came %.1f s after the start", decided(decisions), max(0, took.Seconds())))
}

func decided(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", with a decision about a call that must not be repeated"
	}
	return fmt.Sprintf(", with %d decisions about calls that must not be repeated", n)
}

func TestLostConnection(t *testing.T) {
	network := newProxy(t, server.address())
	s := siteAt(t, server, network.address(), loop)
	p := s.begin()
	network.cut()
	back := time.After(*outage)
	commands := [][]string{{"runs", "list"}, {"runs", "show", p["loop"]}, {"runs", "answer", p["asking"], "accept"}, {"run", "timer.yaml"}, {"doctor"}}
	said := make([]string, len(commands))
	took := make([]time.Duration, len(commands))
	done := make(chan bool)
	for i, args := range commands {
		go func() {
			began := time.Now()
			said[i], took[i] = s.output(args...), time.Since(began)
			done <- true
		}()
	}
	for range commands {
		<-done
	}
	for i, args := range commands {
		if !strings.Contains(said[i], "Temporal at "+network.address()+" does not answer") || took[i] > time.Minute {
			t.Errorf("%s says after %s: %s", strings.Join(args, " "), took[i], said[i])
		}
	}
	<-back
	before := len(s.calls())
	network.restore()
	restored := time.Now()
	s.until("calls after the outage", func() bool { return len(s.calls()) > before+2 })
	again := s.calls()[before].at.Sub(restored)
	c, decisions := s.end(p)
	s.record(fmt.Sprintf("lost: the connection of clients and workers to the server for %s, with six such runs in progress", *outage), c,
		fmt.Sprintf("6 of 6 succeeded%s; the next call came %.1f s after the connection was back", decided(decisions), again.Seconds()))
}
