package cli

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

var (
	crashKills = flag.Int("crash.kills", 5, "how often TestCrash kills the process")
	crashSeed  = flag.Uint64("crash.seed", 1, "of the moments at which it does")
)

// A crashSite is where processes run and are killed, one after the other.
type crashSite struct {
	t       *testing.T
	journal string
	calls   string
	graph   string
}

func newCrashSite(t *testing.T, text string) *crashSite {
	t.Helper()
	dir := t.TempDir()
	s := &crashSite{t: t, journal: filepath.Join(dir, "runs.db"), calls: filepath.Join(dir, "calls"), graph: filepath.Join(dir, "graph.yaml")}
	if err := os.WriteFile(s.graph, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// start starts a process that resumes a run.
func (s *crashSite) start(args ...string) (*exec.Cmd, *bufio.Scanner) {
	s.t.Helper()
	return s.startCommand(s.command(args...))
}

func (s *crashSite) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), "crashing", append([]string{"-journal", s.journal, "-calls", s.calls, "-graph", s.graph}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

func (s *crashSite) startCommand(cmd *exec.Cmd) (*exec.Cmd, *bufio.Scanner) {
	s.t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// load reads what is known of a run, nil if nothing, while no process runs it.
func (s *crashSite) load(id string) *run.Record {
	s.t.Helper()
	j, err := journal.Open(s.journal, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	rec, err := j.Load(run.Actor{Operator: true}, id)
	if err != nil && !errors.Is(err, run.ErrNoRun) {
		s.t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		s.t.Fatal(err)
	}
	return rec
}

// made returns the calls that the server has got, by key.
func (s *crashSite) made() map[string][]crashCall {
	s.t.Helper()
	b, err := os.ReadFile(s.calls)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	out := map[string][]crashCall{}
	for line := range strings.Lines(string(b)) {
		var c crashCall
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			s.t.Fatal(err)
		}
		out[c.Idempotency] = append(out[c.Idempotency], c)
	}
	return out
}

func resultText(rec *run.Record) string {
	b, err := expr.Encode(rec.Result)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

const crashGraph = `
nodes:
  - {id: entry, type: entry, next: loop}
  - {id: loop, type: mcp, server: s, tool: write, args: {n: {expr: '$executionCount("loop") + 1'}}, next: again}
  - {id: again, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("loop")'}, 4]}, next: loop}], next: each}
  - {id: each, type: mcp, server: s, tool: read, args: {n: {expr: $item}}, foreach: {items: {expr: '[1..12]'}, concurrency: 4}, next: puts}
  - {id: puts, type: mcp, server: s, tool: write, args: {n: {expr: $item}, r: {expr: $random()}}, foreach: {items: {expr: '[1..6]'}, concurrency: 3}, next: fork}
  - {id: fork, type: parallel, branches: [left, pause, person], join: sum}
  - {id: left, type: mcp, server: s, tool: write, args: {n: 100}, next: twice}
  - {id: twice, type: transform, transform: {expr: '{"n": $.left.n * 2}'}, next: sum}
  - {id: pause, type: wait, ms: 15, next: after}
  - {id: after, type: mcp, server: s, tool: read, args: {n: 1000}, next: sum}
  - {id: person, type: ask, message: Go on?, next: sum}
  - id: sum
    type: transform
    transform:
      expr: |
        {"loops": $executionCount("loop"), "each": $sum($.each.n), "puts": $sum($.puts.n), "left": $.twice.n, "after": $.after.n, "said": $.person.action}
    next: exit
  - {id: exit, type: exit}
`

const crashResult = `{"loops":4,"each":78,"puts":21,"left":200,"after":1000,"said":"accept"}`

// TestCrash kills the process of runs with a loop, foreach, parallel branches, a
// wait and a question, at moments that a seed chooses, and resumes them
// until they are done. A step that was acknowledged is there and is not done again;
// a call that changes something is made once; one that reads may be made again.
func TestCrash(t *testing.T) {
	s := newCrashSite(t, crashGraph)
	moments := rand.New(rand.NewPCG(*crashSeed, 0)) //nolint:gosec // to be repeated
	c := &crashes{crashSite: s, moments: moments, left: *crashKills}
	for runs := 0; c.left > 0 || runs == 0; runs++ {
		c.run("run_" + strconv.Itoa(runs))
	}
	t.Logf("seed %d: %d kills, %d unknown outcomes, %d steps acknowledged", *crashSeed, c.kills, c.unknown, c.acknowledged)
}

// crashes are kills of the process of one run after the other.
type crashes struct {
	*crashSite
	moments                      *rand.Rand
	left                         int // kills still to come
	kills, unknown, acknowledged int

	fresh func()                                  // is called before a run starts; may be nil
	came  func(id, step string) []json.RawMessage // what the calls of a step came to that its server has got; nil: as the file says
}

func (c *crashes) run(id string) {
	safe := map[string]int{} // position in which a step that was acknowledged ended
	calls := map[string]int{}
	for attempts := 0; ; attempts++ {
		if attempts > 20+2*c.kills+200 {
			c.t.Fatalf("%s does not end", id)
		}
		rec := c.load(id)
		if rec != nil {
			c.check(rec, safe, calls)
			if rec.Status == run.Succeeded {
				break
			}
		}
		c.attempt(id, c.decision(rec), safe)
	}
	rec := c.load(id)
	if got := resultText(rec); got != crashResult {
		c.t.Errorf("%s: %s, want %s", id, got, crashResult)
	}
	for key, made := range c.made() {
		if made[0].Tool == "write" && len(made) != 1 {
			c.t.Errorf("%s: a call that changes something (%s) was made %d times", id, key, len(made))
		}
	}
	c.acknowledged += len(safe)
}

// decision is how a run is resumed: what a person decides who has asked the server.
func (c *crashes) decision(rec *run.Record) []string {
	if rec == nil || rec.Fault != nil && rec.Fault.Code == "crashed" {
		return nil
	}
	if rec.Status != run.Interrupted {
		c.t.Fatalf("%s: %s: %v", rec.ID, rec.Status, rec.Fault)
	}
	if rec.Fault.Code == run.NeedsAnswer {
		return []string{"-do", "answer"}
	}
	if rec.Fault.Code != run.OutcomeUnknown {
		c.t.Fatalf("%s: %v", rec.ID, rec.Fault)
	}
	c.unknown++
	step := stepOf(c.t, rec)
	came := c.came
	if came == nil {
		came = c.recorded
	}
	if results := came(rec.ID, step); len(results) > 0 {
		return []string{"-do", "pin", "-step", step, "-pin", string(results[0])}
	}
	return []string{"-do", "retry", "-step", step}
}

// recorded are the results of the calls of a step that the server has got.
func (s *crashSite) recorded(id, step string) (results []json.RawMessage) {
	for _, call := range s.made()[idempotencyOf(id, step)] {
		results = append(results, call.Args)
	}
	return results
}

// idempotencyOf is the key that goes with the call of a step.
func idempotencyOf(id, step string) string {
	sum := sha256.Sum256([]byte(id + "\x00" + step))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// check sees that every acknowledged step of a run is there as it was, and that
// nothing of it was done since.
func (c *crashes) check(rec *run.Record, safe, calls map[string]int) {
	steps := map[string]*run.StepRecord{}
	for i := range rec.Steps {
		steps[rec.Steps[i].Key] = rec.Steps[i]
	}
	made := c.made()
	for key, ended := range safe {
		step := steps[key]
		if step == nil || !step.Done() {
			c.t.Fatalf("%s: the step %s was acknowledged, and is %+v", rec.ID, key, step)
		}
		if ended != 0 && step.Ended != ended {
			c.t.Errorf("%s: the step %s has been done again", rec.ID, key)
		}
		safe[key] = step.Ended
		n := len(made[idempotencyOf(rec.ID, key)])
		if before, known := calls[key]; known && before != n {
			c.t.Errorf("%s: the step %s was done, and has been called again", rec.ID, key)
		}
		calls[key] = n
	}
}

// attempt lets a process resume the run, and kills it at some moment if there
// are kills to come: after a step was acknowledged, or during a call that has had its
// effect.
func (c *crashes) attempt(id string, how []string, safe map[string]int) {
	before := map[string]bool{}
	for key := range safe {
		before[key] = true
	}
	cmd := c.command(append([]string{"-held", "-id", id}, how...)...)
	goOn, err := cmd.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	_, lines := c.startCommand(cmd)
	after := -1
	if c.left > 0 {
		after = c.moments.IntN(28)
	}
	killed := after == 0
	if killed {
		_ = cmd.Process.Kill()
	}
	for n := 1; lines.Scan(); n++ {
		key, ok := strings.CutPrefix(lines.Text(), "safe: ")
		if n == after {
			killed = true
			_ = cmd.Process.Kill()
		}
		switch {
		case lines.Text() == "called":
			_, _ = io.WriteString(goOn, "\n") // nobody reads it after the kill
		case !ok && !strings.HasPrefix(lines.Text(), "stopped: interrupted"):
			c.t.Fatalf("%s: %s", id, lines.Text())
		case ok && before[key]:
			c.t.Errorf("%s: the step %s was done twice", id, key)
		case ok:
			safe[key] = 0
		}
	}
	err = cmd.Wait()
	if killed && err != nil {
		c.left--
		c.kills++
	} else if err != nil {
		c.t.Fatalf("%s: %v", id, err)
	}
}

// stepOf is the step that a run asks about, as its hint names it.
func stepOf(t *testing.T, rec *run.Record) string {
	t.Helper()
	_, after, _ := strings.Cut(rec.Fault.Hint, `"step": "`)
	step, _, ok := strings.Cut(after, `"`)
	if !ok {
		t.Fatalf("the hint names no step: %s", rec.Fault.Hint)
	}
	return step
}
