package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

// world answers the calls of one run: with values of the tool's output type, the
// same in every run of the same seed.
type world struct {
	s     *sketch
	tools shelf
	seed  uint64
	calls int
}

func (w *world) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	tool, fault := w.tools.Tool(c.Server, c.Tool)
	if fault != nil {
		return nil, fault
	}
	if found := tool.Input.Check(c.Args); len(found) > 0 {
		return nil, diag.Faultf("refused-arguments", "%s: %s", found[0].Pointer(), found[0].Message)
	}
	w.calls++
	h := fnv.New64()
	h.Write([]byte(c.Server + "/" + c.Tool))
	r := rand.New(rand.NewPCG(w.seed, h.Sum64()+uint64(w.calls)))
	for _, t := range w.s.tools {
		if t.server == c.Server && t.name == c.Tool && t.output != nil {
			return &run.Result{Structured: json.RawMessage(asJSON(t.output.value(r)))}, nil
		}
	}
	text := asJSON(map[string]any{"type": "text", "text": asJSON(anything.value(r))})
	return &run.Result{Content: []json.RawMessage{json.RawMessage(text)}}, nil
}

// outcome is the outcome of a run.
type outcome struct {
	fault  *diag.Fault
	result string
	ran    map[string]bool // nodes
	edges  map[[2]string]bool
}

// trials is how many runs of a graph are compared, each with other arguments.
const trials = 4

// try runs a plan on arguments of the graph's input type.
func (s *sketch) try(t *testing.T, plan *engine.Plan, seed uint64) outcome {
	t.Helper()
	w := &world{s: s, tools: s.shelf(), seed: seed}
	arguments := asJSON(s.input.value(rand.New(rand.NewPCG(seed, 1))))
	rec := runAnyway(t, plan, w, arguments)
	o := outcome{fault: rec.Fault, ran: map[string]bool{}, edges: map[[2]string]bool{}}
	for i, step := range rec.Steps {
		o.ran[step.Node] = true
		if i > 0 {
			o.edges[[2]string{rec.Steps[i-1].Node, step.Node}] = true
		}
	}
	if rec.Fault == nil {
		if b, err := expr.Encode(rec.Result); err == nil {
			o.result = string(b)
		}
	}
	return o
}

// runAnyway runs a plan that may have holes where something did not compile.
func runAnyway(t *testing.T, plan *engine.Plan, c run.Caller, arguments string) (rec *run.Record) {
	defer func() {
		if p := recover(); p != nil {
			rec = &run.Record{Fault: diag.Faultf("not-compiled", "%v", p)}
		}
	}()
	return local.Run(t.Context(), plan, c, json.RawMessage(arguments), local.Options{})
}

// check compiles a graph and returns what is wrong with it, and a plan even so.
func (s *sketch) check(t *testing.T, w *written) (*engine.Plan, *graph.Document, diag.List) {
	t.Helper()
	env := engine.Env{Tools: s.shelf(), Untrusted: true}
	doc, found := graph.Parse("graph.json", w.text)
	if doc == nil {
		t.Fatalf("the graph does not parse: %v\n%s", found, w.text)
	}
	plan, more := engine.CompileAnyway(doc, env)
	s.warnings = more.With(diag.Warning)
	s.doubts = slices.DeleteFunc(slices.Clone(more), func(d *diag.Diagnostic) bool { return !slices.Contains(ofTypes, d.Code) })
	return plan, doc, append(found, more...).With(diag.Error)
}

// ofTypes are the codes that say a run may fail for a type: warnings, and the note
// about a field that nothing says is there.
var ofTypes = []string{"maybe-missing", "maybe-not-run", "maybe-wrong-type", "undeclared-field", "undeclared-input"}

// contradicted reports a switch's condition that the checker calls constant and a
// run finds otherwise.
func (s *sketch) contradicted(warnings diag.List, o outcome) string {
	for _, d := range warnings {
		var n, c int
		if _, err := fmt.Sscanf(d.Path, "/nodes/%d/conditions/%d/rule", &n, &c); d.Code != "constant-rule" || err != nil {
			continue
		}
		sw := s.nodes[n]
		took := func(to string) bool { return o.edges[[2]string{sw.id, to}] }
		taken := sw.cases[c].next
		if strings.Contains(d.Message, "always false") && took(taken) || strings.Contains(d.Message, "always true") && took(sw.next) && sw.next != taken {
			return d.Message
		}
	}
	return ""
}

// proofSize is how many graphs a proof draws.
func proofSize(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// gcLess trades memory for time, as a proof makes much garbage.
func gcLess(t *testing.T) {
	was := debug.SetGCPercent(400)
	t.Cleanup(func() { debug.SetGCPercent(was) })
}

// Every well-typed graph that runs is called valid.
func TestProofValid(t *testing.T) {
	gcLess(t)
	total, ran, wrong, warned, mended := 0, 0, 0, 0, 0
	faults, codes := map[string]int{}, map[string]int{}
	for i := range proofSize(1000) {
		s := draw(rand.New(rand.NewPCG(20, uint64(i))))
		w := s.write()
		plan, _, found := s.check(t, w)
		total++
		failed := false
		var runs []outcome
		var last *diag.Fault
		for seed := range uint64(trials) {
			o := s.try(t, plan, seed)
			runs = append(runs, o)
			if said := s.contradicted(s.warnings, o); said != "" {
				t.Errorf("graph %d: a run contradicts: %s\n%s", i, said, w.text)
			}
			if o.fault != nil {
				failed, last = true, o.fault
				text := o.fault.Code + ": " + o.fault.Message
				if at := strings.Index(text, "failed:"); at > 0 {
					text = text[at:]
				}
				if testing.Verbose() {
					t.Logf("graph %d: %s", i, o.fault)
				}
				faults[text]++
			}
		}
		if warnings := s.warnings; len(found) == 0 && s.keeps(t, w.text, warnings, runs) {
			mended++
		}
		if len(s.doubts) > 0 {
			warned++
			for _, d := range s.doubts {
				codes[d.Code]++
			}
		}
		if failed {
			if len(found)+len(s.doubts) == 0 {
				t.Errorf("graph %d fails, and has neither error nor warning: %v\n%s", i, last, w.text)
			}
			if testing.Verbose() && len(found) > 0 {
				t.Logf("graph %d fails:\n%s", i, diag.Format("graph.json", w.text, found))
			}
			continue
		}
		ran++
		if len(found) > 0 {
			if wrong++; wrong <= 10 {
				t.Errorf("graph %d runs, but has errors:\n%s", i, diag.Format("graph.json", w.text, found))
			}
		}
	}
	t.Logf("%d graphs, %d ran, %d of those with errors; %d with warnings: %v; the fixes of %d change no result", total, ran, wrong, warned, codes, mended)
	if ran < total*9/10 {
		t.Errorf("only %d of %d graphs ran: the generator is not well typed: %v", ran, total, faults)
	}
}
