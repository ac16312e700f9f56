package expr

import (
	"context"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A Scope is what an expression is evaluated in: the context (the outputs of
// the nodes), variables, history and limits. It is for one goroutine at a time:
// a run, a branch and an item of a foreach each have their own.
type Scope struct {
	root    any    // the context
	nodes   Object // the context, if it is an object
	history History
	limits  Limits
	vars    map[string]any // what was bound
	now     time.Time      // frozen, or zero
	random  *rand.Rand     // frozen, or nil
	seed    [2]string      // what random is to be made from, when it is first asked for
	turn    turn
	repeats bool
	meter   *Meter
	counted int // steps since the last call of Freeze, if there is a meter

	evaluator jsonata.Evaluator
}

// NewScope returns a scope with an empty context. h may be nil: then there is
// no history.
func NewScope(h History, l Limits) *Scope {
	nodes := NewObject()
	return &Scope{root: nodes, nodes: nodes, history: h, limits: l}
}

// NewScopeWith returns a scope whose context is any value; undefined (nil) too.
func NewScopeWith(context Value, h History, l Limits) *Scope {
	s := &Scope{root: context, history: h, limits: l}
	s.nodes, _ = context.(Object)
	return s
}

// Set makes v the output of node id in the context, in constant time. An
// undefined output (nil) is removed, in time linear in the nodes. Set panics on a scope whose
// context is not an object.
func (s *Scope) Set(id string, v Value) {
	if v == nil {
		s.nodes.Delete(id)
		return
	}
	s.nodes.Set(id, v)
}

// Bind makes v the value of the variable $name.
func (s *Scope) Bind(name string, v Value) {
	if s.vars == nil {
		s.vars = map[string]any{}
	}
	s.vars[name] = v
}

// Child returns a scope with a copy of s's context and variables, of its own
// from then on, and with history h.
func (s *Scope) Child(h History) *Scope {
	c := &Scope{root: s.root, history: h, limits: s.limits, now: s.now, random: s.random, seed: s.seed, repeats: s.repeats, meter: s.meter}
	if s.nodes != nil {
		c.nodes = s.snapshot().(Object)
		c.root = c.nodes
	}
	c.vars = maps.Clone(s.vars)
	return c
}

// snapshot returns the context as it is now: Set does not change what it returns.
func (s *Scope) snapshot() Value {
	if s.nodes == nil {
		return s.root
	}
	nodes := NewObject()
	for id, v := range s.nodes.All() {
		nodes.Set(id, v)
	}
	return nodes
}

// SetNow freezes $now and $millis at t. The zero time unfreezes them.
func (s *Scope) SetNow(t time.Time) { s.now = t }

// Freeze freezes the clock at t, and $random and $shuffle to what follows from
// the names of a run and of a step in it: the same step of the same run draws the
// same numbers, however often it is evaluated anew.
func (s *Scope) Freeze(t time.Time, run, step string) {
	s.now, s.random, s.seed, s.counted = t, nil, [2]string{run, step}, 0
}

// Repeat says whether what is evaluated from now on has been evaluated before: then
// counted limits alone end it, at the same step as before, and time does not.
func (s *Scope) Repeat(repeats bool) { s.repeats = repeats }

// draw returns the source of random numbers, nil where it is not frozen.
func (s *Scope) draw() *rand.Rand {
	if s.random == nil && s.seed[1] != "" {
		h := fnv.New64a()
		_, _ = h.Write([]byte(s.seed[0] + "\x00" + s.seed[1]))
		s.random = rand.New(rand.NewPCG(h.Sum64(), 0))
	}
	return s.random
}

// Context returns the context. It is the scope's own: do not change it.
func (s *Scope) Context() Value { return s.root }

func (s *Scope) clock() time.Time {
	if s.now.IsZero() {
		return time.Now()
	}
	return s.now
}

// begin starts an evaluation, of one program or of the programs of a rule.
func (s *Scope) begin(ctx context.Context) {
	e := &s.evaluator
	e.Limits, e.Vars, e.History = s.limits, s.vars, s.history
	if s.repeats {
		e.Limits.Timeout = -1
	}
	if e.Now == nil {
		e.Now, e.Random, e.Pause = s.clock, s.draw, s.pause
	}
	if s.meter != nil {
		s.admit(ctx)
	}
	s.turn.ctx = ctx
	e.Begin(ctx)
}

// end ends it, and gives back what it held.
func (s *Scope) end() {
	if s.meter != nil {
		s.count()
	}
	s.evaluator.End()
	s.turn.end()
}
