package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// crashing is a process that starts or resumes a run, until it is killed,
// also by itself at a point that it is told. It prints each step that the journal
// has acknowledged.
func crashing() {
	var (
		path   = flag.String("journal", "", "file")
		log    = flag.String("calls", "", "file to which each call is appended")
		source = flag.String("graph", "", "file")
		id     = flag.String("id", "run", "of the run")
		at     = flag.String("at", "", "where to end")
		do     = flag.String("do", "", "decision")
		step   = flag.String("step", "", "what the decision is about")
		pin    = flag.String("pin", "null", "output to pin")
		held   = flag.Bool("held", false, "announce each call, and return from it after a line of the input")
	)
	flag.Parse()
	caller := &crashCaller{log: *log, at: *at}
	if *held {
		caller.held = bufio.NewScanner(os.Stdin)
	}
	if err := crashRun(*path, *source, *id, caller, run.Decision{Do: *do, Step: *step}, *pin); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func crashRun(path, source, id string, caller *crashCaller, d run.Decision, pin string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	plan, err := crashPlan(string(text))
	if err != nil {
		return err
	}
	j, err := journal.Open(path, &journal.Options{MaxTraced: -1})
	if err != nil {
		return err
	}
	if _, err := j.ClaimOrphans(""); err != nil {
		return err
	}
	o := local.Options{Options: run.Options{ID: id}, Journal: &doomed{Journal: j, at: caller.at}}
	rec, err := j.Load(run.Actor{Operator: true}, id)
	switch {
	case errors.Is(err, run.ErrNoRun):
		rec = local.Run(context.Background(), plan, caller, nil, o)
	case err != nil:
		return err
	default:
		if d.Do == "answer" {
			_, fault := rec.Reply("", run.Answer{Action: "accept"}, time.Now())
			err = faulty(fault)
		} else if d.Do != "" {
			d.Pin, _ = expr.Decode([]byte(pin))
			err = faulty(rec.Decide(d, time.Now()))
		}
		if err != nil {
			return err
		}
		rec = local.Resume(context.Background(), plan, caller, rec, o)
	}
	if rec.Fault != nil {
		fmt.Println("stopped:", rec.Status, rec.Fault.Code, rec.Fault.Message)
	}
	return j.Close()
}

func faulty(f *diag.Fault) error {
	if f == nil {
		return nil
	}
	return f
}

func crashPlan(text string) (*engine.Plan, error) {
	doc, found := graph.Parse("crash.yaml", text)
	plan, more := engine.Compile(doc, "", engine.Env{Tools: crashTools{}})
	if found = append(found, more...); found.HasErrors() {
		return nil, errors.New(diag.Format("crash.yaml", text, found))
	}
	return plan, nil
}

// crashTools are a tool that changes something and one that reads.
type crashTools struct{}

func (crashTools) Tool(_, tool string) (*engine.Tool, *diag.Fault) {
	readOnly := tool == "read"
	return &engine.Tool{
		Spec:  &specs.Spec{Annotations: &specs.Annotations{ReadOnly: &readOnly, Trusted: true}},
		Input: schema.New(json.RawMessage(`{"type":"object"}`)),
	}, nil
}

func (crashTools) Names() []string { return []string{"s/read", "s/write"} }

func (crashTools) Resolve(string) (_, _ string, _ bool) { return "", "", false }

// A crashCall is a line about a call that the server has got.
type crashCall struct {
	Tool, Idempotency string
	Args              json.RawMessage
}

// crashCaller replaces the server: what it appends to the file is the call's
// effect, and outlives this process.
type crashCaller struct {
	log, at string

	mu   sync.Mutex
	held *bufio.Scanner // nil for calls that return at once
}

func (c *crashCaller) CallTool(_ context.Context, call run.Call) (*run.Result, error) {
	if err := recordCall(c.log, crashCall{call.Tool, call.Idempotency, call.Args}); err != nil {
		return nil, err
	}
	if c.at == "call" {
		end()
	}
	c.hold()
	return &run.Result{Structured: call.Args}, nil
}

// hold keeps a call, whose effect has happened, until the parent lets it return.
func (c *crashCaller) hold() {
	if c.held == nil {
		return
	}
	fmt.Println("called")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held.Scan()
}

// recordCall appends a call to a file.
func recordCall(path string, c crashCall) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// doomed is a journal whose process ends at a point.
type doomed struct {
	*journal.Journal
	at string

	mu   sync.Mutex
	told []string // keys of the steps that ended and may not be on disk
}

// end is the end of the process, as by kill -9.
func end() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// around ends the process before or after a write.
func (d *doomed) around(before, after string, write func() error) error {
	if before != "" && d.at == before {
		end()
	}
	err := write()
	if after != "" && d.at == after && err == nil {
		end()
	}
	return err
}

func (d *doomed) Begin(r *run.Record, safe bool) error {
	after := "begun"
	if len(r.Resumed) > 0 {
		after = "answered"
	}
	return d.around("begin", after, func() error { return d.Journal.Begin(r, safe) })
}

func (d *doomed) Step(id string, s run.StepRecord) error {
	before, after := "", ""
	if s.Node == "call" && s.Ended > 0 {
		before, after = "replied", "kept"
	}
	return d.around(before, after, func() error {
		err := d.Journal.Step(id, s)
		if after == d.at {
			_, err = d.Status(run.Actor{Operator: true}, id) // it has been written by then
		}
		if s.Ended > 0 && s.Fault == nil {
			d.mu.Lock()
			d.told = append(d.told, s.Key)
			d.mu.Unlock()
		}
		return err
	})
}

func (d *doomed) Intend(id string, in run.Intent, safe bool) error {
	before, after := "intend", "intended"
	switch in.Kind {
	case run.IntentSleep:
		before, after = "", "sleep"
		safe = safe || d.at == "sleep" // as a wait of some length is stored during it
	case run.IntentAsk:
		before, after = "", "asked"
	}
	return d.around(before, after, func() error {
		d.mu.Lock()
		told := d.told
		if safe {
			d.told = nil
		}
		d.mu.Unlock()
		err := d.Journal.Intend(id, in, safe)
		if err == nil && safe {
			for _, key := range told {
				fmt.Println("safe:", key)
			}
		}
		return err
	})
}

func (d *doomed) End(r *run.Record, safe bool) error {
	before, after := "end", "ended"
	if r.Status == run.Interrupted {
		before, after = "park", "parked"
	}
	return d.around(before, after, func() error { return d.Journal.End(r, safe) })
}
