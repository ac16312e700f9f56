package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// A flight is a graph that is being run when the server ends: in its place are the
// nodes after entry, HELD(name) is a call that the test answers.
type flight struct {
	nodes  string
	result string
}

// flights are of every kind of step that can be in progress. Server w is as d, but its
// tools are not trusted to be repeatable. Server s counts its calls.
var flights = map[string]flight{
	"loop": {`
  - {id: entry, type: entry, next: step}
  - {id: step, type: transform, transform: {expr: '$executionCount("step")'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("step")'}, 20000]}, next: step}], next: exit}
  - {id: exit, type: exit, result: {expr: '{"steps": $executionCount("step")}'}}`, `{"steps":20000}`},
	"read": {`
  - {id: entry, type: entry, next: read}
  - {id: read, HELD(read), next: exit}
  - {id: exit, type: exit}`, `{"said":"go"}`},
	"write": {`
  - {id: entry, type: entry, next: write}
  - {id: write, type: mcp, server: w, tool: ask, args: {addr: ADDR, name: write}, next: exit}
  - {id: exit, type: exit}`, `{"said":"go"}`},
	"caught": {`
  - {id: entry, type: entry, next: read}
  - {id: read, HELD(caught), onError: caught, next: exit}
  - {id: caught, type: transform, transform: {expr: '{"said": "caught"}'}, next: exit}
  - {id: exit, type: exit}`, `{"said":"go"}`},
	"counted": {`
  - {id: entry, type: entry, next: write}
  - {id: write, type: mcp, server: s, tool: write, args: {n: 1}, next: read}
  - {id: read, HELD(counted), next: sum}
  - {id: sum, type: transform, transform: {expr: '{"n": $.write.n, "said": $.read.said}'}, next: exit}
  - {id: exit, type: exit}`, `{"n":1,"said":"go"}`},
	"looped": {`
  - {id: entry, type: entry, next: write}
  - {id: write, type: mcp, server: s, tool: write, args: {n: {expr: '$executionCount("write") + 1'}}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("write")'}, 3]}, next: write}], next: read}
  - {id: read, HELD(looped), next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $.write.n}'}}`, `{"n":3}`},
	"foreach": {`
  - {id: entry, type: entry, next: writes}
  - {id: writes, type: mcp, server: s, tool: write, args: {n: {expr: $item}}, foreach: {items: {expr: '[1..4]'}, concurrency: 2}, next: reads}
  - {id: reads, type: mcp, server: d, tool: ask, args: {addr: ADDR, name: {expr: '"each" & $item'}}, foreach: {items: {expr: '[1..2]'}, concurrency: 2}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $sum($.writes.n), "said": $join($.reads.said)}'}}`, `{"n":10,"said":"gogo"}`},
	"parallel": {`
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: exit}
  - {id: left, type: mcp, server: s, tool: write, args: {n: 7}, next: exit}
  - {id: right, HELD(parallel), next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $.left.n, "said": $.right.said}'}}`, `{"n":7,"said":"go"}`},
	"ask": {`
  - {id: entry, type: entry, next: write}
  - {id: write, type: mcp, server: s, tool: write, args: {n: 8}, next: ask}
  - {id: ask, type: ask, message: Well?, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $.write.n, "said": $.ask.action}'}}`, `{"n":8,"said":"accept"}`},
	"wait": {`
  - {id: entry, type: entry, next: write}
  - {id: write, type: mcp, server: s, tool: write, args: {n: 9}, next: wait}
  - {id: wait, type: wait, ms: 1100, next: exit}
  - {id: exit, type: exit, result: {expr: '{"n": $.write.n}'}}`, `{"n":9}`},
}

const (
	heldCalls    = 8  // of all flights
	countedCalls = 11 // of the server s
)

// Ten runs are in flight when the server ends, however it ends. After the next start
// each ends with its result; a call that is not repeatable is made once, and where its
// outcome is not known somebody decides.
func TestRunsSurviveTheEnd(t *testing.T) {
	for name, end := range map[string]func(e *endings){
		"end of input": func(e *endings) { e.r.leave(e.s) },
		"SIGTERM": func(e *endings) {
			if err := e.s.Process.Signal(syscall.SIGTERM); err != nil {
				e.t.Fatal(err)
			}
			if err := e.s.Wait(); err != nil {
				e.t.Error(err)
			}
		},
		"kill -9": func(e *endings) { e.r.kill(e.s) },
		"disk full": func(e *endings) {
			fillDisk(e.t, e.s.Process)
			for _, name := range []string{"read", "looped"} { // these go on, and nothing of it can be stored
				e.r.answer(e.held[name])
				reply := e.reply(e.ids[name])
				if failed := strings.Contains(reply, "journal-failed"); failed != (name == "looped") { // which has made calls
					e.t.Errorf("%s: %s", name, reply)
				}
			}
			e.r.leave(e.s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "end of input" && name != "kill -9" {
				t.Skip("two endings are enough with -short")
			}
			t.Parallel()
			e := newEndings(t)
			e.takeOff()
			end(e)
			e.restart()
			e.decide()
			e.check()
		})
	}
}

// endings are one server and the next, in which runs are in flight.
type endings struct {
	t     *testing.T
	r     *recovery
	dir   string
	calls string // file with the calls of the server s
	s     *visited
	ids   map[string]int      // of the requests, by name of the run
	held  map[string]net.Conn // calls that the test answers

	mu   sync.Mutex
	made map[string]int // how often each of these calls was made
}

func newEndings(t *testing.T) *endings {
	e := &endings{t: t, r: newRecovery(t), ids: map[string]int{}, held: map[string]net.Conn{}, made: map[string]int{}}
	e.dir = t.TempDir()
	e.calls = filepath.Join(t.TempDir(), "calls")
	text := "servers:\n  d: {command: dialer}\n  w: {command: dialer}\n  s: {command: recorder, args: [-calls, " + strconv.Quote(e.calls) + "]}\ntrust: [d, s]\nshutdown: {graceMs: 0}\n"
	if err := os.WriteFile(filepath.Join(e.dir, "patchbay.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e.s = e.r.serve(e.dir)
	return e
}

// takeOff starts the runs, and returns when each is where the end finds it and what is
// told of it is on disk.
func (e *endings) takeOff() {
	for name, f := range flights {
		e.ids[name] = 100 + len(e.ids)
		for before, after, ok := strings.Cut(f.nodes, "HELD("); ok; before, after, ok = strings.Cut(f.nodes, "HELD(") {
			held, rest, _ := strings.Cut(after, ")")
			f.nodes = before + "type: mcp, server: d, tool: ask, args: {addr: ADDR, name: " + held + "}" + rest
		}
		graph := "name: " + name + "\nexecutionLimits: {maxNodeExecutions: 100000}\nnodes:" + strings.ReplaceAll(f.nodes, "ADDR", strconv.Quote(e.r.l.Addr().String())) + "\n"
		e.send(e.ids[name], "run_graph", map[string]any{"graph": graph})
	}
	for range heldCalls {
		conn, name := e.accept()
		e.held[name] = conn
	}
	e.reply(e.ids["ask"])
	e.sync()
}

func (e *endings) send(id int, tool string, args any) {
	e.t.Helper()
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := e.s.in.Write(append(request, '\n')); err != nil {
		e.t.Fatal(err)
	}
}

// reply reads up to the reply to a request.
func (e *endings) reply(id int) string {
	e.t.Helper()
	for {
		line, err := e.s.out.ReadString('\n')
		if err != nil {
			e.t.Fatalf("no reply to %d: %v", id, err)
		}
		if strings.Contains(line, fmt.Sprintf(`"id":%d,`, id)) {
			return line
		}
	}
}

// sync returns when what was told of the runs is on disk.
func (e *endings) sync() {
	e.t.Helper()
	e.send(8, "get_run", map[string]any{"run_id": "none"})
	e.reply(8)
}

// accept takes one of the calls that the test answers.
func (e *endings) accept() (net.Conn, string) {
	e.t.Helper()
	conn, err := e.r.l.Accept()
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = conn.Close() })
	name, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		e.t.Fatal(err)
	}
	name = strings.TrimSpace(name)
	e.mu.Lock()
	e.made[name]++
	e.mu.Unlock()
	return conn, name
}

// restart serves again, answers the calls that are made, and returns when every run
// has ended that needs nobody.
func (e *endings) restart() {
	go func() {
		for {
			conn, err := e.r.l.Accept()
			if err != nil {
				return
			}
			name, _ := bufio.NewReader(conn).ReadString('\n')
			e.mu.Lock()
			e.made[strings.TrimSpace(name)]++
			e.mu.Unlock()
			_, _ = io.WriteString(conn, "go")
			_ = conn.Close()
		}
	}()
	e.s = e.r.serve(e.dir)
	e.s.ask(e.t, searchTicket)
	for !e.settled() {
		e.r.logged(e.s, `msg="run ended"`)
	}
}

// records returns the runs by name.
func (e *endings) records() map[string]*run.Record {
	e.t.Helper()
	j, err := journal.Open(filepath.Join(e.r.home, ".local", "state", "patchbay", "runs.db"), nil)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	operator := run.Actor{Operator: true}
	list, err := j.List(run.Filter{Actor: operator})
	if err != nil || len(list) != len(flights) {
		e.t.Fatalf("%d runs: %v", len(list), err)
	}
	all := map[string]*run.Record{}
	for _, s := range list {
		rec, err := j.Load(operator, s.ID)
		if err != nil {
			e.t.Fatal(err)
		}
		all[rec.Graph] = rec
	}
	return all
}

func (e *endings) settled() bool {
	for name, rec := range e.records() {
		switch {
		case rec.Status == run.Succeeded:
		case name == "ask" && rec.Fault != nil && rec.Fault.Code == run.NeedsAnswer:
		case unknown(rec):
		case rec.Status == run.Failed:
			e.t.Fatalf("the run %s failed: %v", name, rec.Fault)
		default:
			return false
		}
	}
	return true
}

func unknown(rec *run.Record) bool {
	return rec.Status == run.Interrupted && rec.Fault.Code == run.OutcomeUnknown
}

// decide does what people do: it says what came of calls whose outcome is not known,
// and answers the question.
func (e *endings) decide() {
	all := e.records()
	if !unknown(all["write"]) {
		e.t.Errorf("write is %s: %v", all["write"].Status, all["write"].Fault)
	}
	for name, rec := range all {
		for unknown(rec) {
			e.send(9, "resume_run", e.decision(rec))
			e.reply(9)
			rec = e.records()[name]
		}
	}
	e.r.leave(e.s)
	if out, err := e.r.command(e.dir, "runs", "answer", all["ask"].ID, "accept").CombinedOutput(); err != nil {
		e.t.Errorf("runs answer: %v\n%s", err, out)
	}
}

// decision asks the server whether the call was made.
func (e *endings) decision(rec *run.Record) map[string]any {
	step := stepOf(e.t, rec)
	d := map[string]any{"run_id": rec.ID, "step": step, "decision": "retry"}
	switch calls := e.counted()[idempotencyOf(rec.ID, step)]; {
	case rec.Graph == "write":
		d["decision"], d["pin"] = "pin", map[string]string{"said": "go"}
	case len(calls) > 0:
		d["decision"], d["pin"] = "pin", calls[0].Args
	}
	return d
}

// counted returns the calls that the server s has got, by key.
func (e *endings) counted() map[string][]crashCall {
	return (&crashSite{t: e.t, calls: e.calls}).made()
}

func (e *endings) check() {
	for name, rec := range e.records() {
		if rec.Status != run.Succeeded || resultText(rec) != flights[name].result {
			e.t.Errorf("%s is %s: %s %v, want %s", name, rec.Status, resultText(rec), rec.Fault, flights[name].result)
		}
	}
	e.mu.Lock()
	if e.made["write"] != 1 {
		e.t.Errorf("the call of write was made %d times", e.made["write"])
	}
	e.mu.Unlock()
	made := e.counted()
	if len(made) != countedCalls {
		e.t.Errorf("%d calls are counted, want %d", len(made), countedCalls)
	}
	for key, calls := range made {
		if len(calls) != 1 {
			e.t.Errorf("the call %s %s was made %d times", key, calls[0].Args, len(calls))
		}
	}
}
