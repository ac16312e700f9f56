package execution

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

// MaxPassedCase is how many bytes a case may have, with what its calls returned, to
// become a test.
const MaxPassedCase = 64 << 10

// passedCases are the calls of graphs that did what was expected and are to be kept, until
// the graph is saved: then they become its tests. They are those of a graph with the same nodes,
// whatever it is called, and last as long as drafts.
type passedCases struct {
	mu      sync.Mutex
	of      map[passedKey]*passedGraph
	order   []passedKey // oldest first
	bytes   int
	now     func() time.Time
	project string
	dir     string // where the processes of one user share them; "" keeps them in memory
}

// passedKey tells whose cases they are, and which nodes they are about.
type passedKey struct {
	owner string
	nodes [sha256.Size]byte
}

type passedGraph struct {
	cases   []PassedCase
	expires time.Time
}

// A PassedCase is a call of a graph as it was recorded.
type PassedCase struct {
	ID     string                     `json:"id"`             // its arguments and pins
	Test   json.RawMessage            `json:"test,omitempty"` // the recorded test case, nil if it is too large
	Name   string                     `json:"name,omitempty"`
	Pins   map[string]json.RawMessage `json:"pins,omitempty"`
	Stated bool                       `json:"stated,omitempty"` // the caller has said what must come of it
}

func newPassedCases(dir, project string) *passedCases {
	return &passedCases{of: map[passedKey]*passedGraph{}, now: time.Now, dir: dir, project: project}
}

// Key is the key of the cases that somebody has run on a graph, in this project.
func (p *passedCases) Key(owner string, plan *engine.Plan) passedKey {
	return passedKey{owner + "\n" + p.project, sha256.Sum256(plan.Tool().Get("nodes").JSON())}
}

// add keeps a case, in place of an earlier one with the same arguments and pins.
func (p *passedCases) add(key passedKey, c PassedCase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.of[key]
	if g == nil || g.expires.Before(p.now()) {
		p.forget(key)
		g = &passedGraph{cases: p.shared(key)}
		for _, old := range g.cases {
			p.bytes += len(old.Test)
		}
		p.of[key] = g
		p.order = append(p.order, key)
	}
	g.expires = p.now().Add(plans.DraftLifetime)
	if i := slices.IndexFunc(g.cases, func(old PassedCase) bool { return old.ID == c.ID }); i >= 0 {
		p.bytes -= len(g.cases[i].Test)
		g.cases = slices.Delete(g.cases, i, i+1)
	}
	p.bytes += len(c.Test)
	if g.cases = append(g.cases, c); len(g.cases) > 2*plans.MaxCases {
		p.bytes -= len(g.cases[0].Test)
		g.cases = slices.Delete(g.cases, 0, 1)
	}
	for len(p.order) > 1 && (len(p.order) > plans.MaxDrafts || p.bytes > plans.MaxDraftText) {
		p.forget(p.order[0])
	}
}

// forget drops the cases of a graph. The caller holds the lock.
func (p *passedCases) forget(key passedKey) {
	g := p.of[key]
	if g == nil {
		return
	}
	for _, c := range g.cases {
		p.bytes -= len(c.Test)
	}
	delete(p.of, key)
	p.order = slices.DeleteFunc(p.order, func(k passedKey) bool { return k == key })
}

// Get returns the cases of a graph, in the order in which they passed: those of this
// process, or else those that another has shared.
func (p *passedCases) Get(key passedKey) []PassedCase {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.of[key]
	if g == nil || g.expires.Before(p.now()) {
		return p.shared(key)
	}
	return slices.Clone(g.cases)
}

// keepPassed notes a case that has passed and is to be kept. A dry run and a run up to a node say nothing
// about the graph's result.
func (ex *Execution) keepPassed(owner string, plan *engine.Plan, in *RunInput, c *RunCase, rec *run.Record) {
	if in.Mode == modeDry || in.Until != "" {
		return
	}
	pins := map[string]json.RawMessage{}
	maps.Copy(pins, in.Pins)
	maps.Copy(pins, c.Pins)
	test := RecordedCase(rec)
	if asksTime(rec.Source.Text) {
		for _, key := range test.Path {
			test.Clock[key] += 0 // every step has a time
		}
	}
	test.Name, test.Path = c.Name, nil
	kept := PassedCase{Name: c.Name, Pins: pins, Stated: c.Stated()}
	kept.ID = caseID(rec.Arguments, pins)
	if b, err := json.Marshal(test); err == nil && len(b) <= MaxPassedCase {
		if ex.process.Redact != nil {
			b = ex.process.Redact(b)
		}
		kept.Test = b
	}
	ex.Passed.add(ex.Passed.Key(owner, plan), kept)
}

// caseID tells a call of a graph from others: its arguments and the outputs that are
// pinned.
func caseID(arguments json.RawMessage, pins map[string]json.RawMessage) string {
	var b strings.Builder
	if v, err := reply.DecodeExactly(arguments); err == nil && v != nil {
		b.Write(reply.EncodedWhole(v))
	} else {
		b.WriteString("{}")
	}
	for _, id := range slices.Sorted(maps.Keys(pins)) {
		v, _ := reply.DecodeExactly(pins[id])
		b.WriteString("\n" + id + "=")
		b.Write(reply.EncodedWhole(v))
	}
	return b.String()
}
