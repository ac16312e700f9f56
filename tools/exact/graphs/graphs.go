// Package graphs makes graphs for tests: random ones with everything that a run may stop
// in, and those of functions with loops.
package graphs

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
)

//go:embed functions
var functions embed.FS

// firstFunction is the seed of the graph of the first function.
const firstFunction = 1 << 32

// Seeds are n seeds of random graphs, and those of the graphs of functions.
func Seeds(n uint64) (seeds []uint64) {
	for seed := range n {
		seeds = append(seeds, seed)
	}
	list, _ := functions.ReadDir("functions") // which is embedded
	for i := range list {
		seeds = append(seeds, firstFunction+uint64(i))
	}
	return seeds
}

// function returns the graph of a function.
func function(i uint64) (r Random) {
	list, _ := functions.ReadDir("functions")
	text, _ := functions.ReadFile("functions/" + list[i].Name())
	code := codein.Compile("/* outputSchema: {} */\n"+string(text), engine.Env{}) // a decision gives any output to a node
	r.Texts, r.Name = []string{code.Graph}, code.Name
	return r
}

// A Random is a random graph: the documents of three, g0 to g2; each may call those
// before it, and the last is the one to run; or it is the document of a function. They call
// the tools read, which may be repeated, and write, which must not be, of a server s.
type Random struct {
	Texts    []string
	Name     string // of the tool that is meant; "" for the only one
	Timeouts bool   // some call has a time limit, which it may exceed
}

// New returns a graph with those that it calls. Equal seeds give equal graphs; of two odd
// ones out of three are small. With asks, nodes may ask a person.
func New(seed uint64, asks bool) (r Random) {
	if seed >= firstFunction {
		return function(seed - firstFunction)
	}
	r.Texts = make([]string, 3)
	chance := rand.New(rand.NewPCG(seed, 1))
	for i := range r.Texts {
		g := &randomGraph{Rand: chance, library: i}
		depth, blocks := 1, 2
		switch {
		case seed%3 != 0:
			depth, blocks = i/2, 1
		case i == 2:
			depth = 2
		}
		r.Texts[i] = g.graph(depth, blocks, asks)
		r.Timeouts = r.Timeouts || g.timeouts
	}
	return r
}

// randomGraph makes one graph.
type randomGraph struct {
	*rand.Rand
	lines    []string
	ids      int
	library  int  // graphs that may be called
	timeouts bool // some call has a time limit, which it may exceed
}

func (g *randomGraph) graph(depth, blocks int, asks bool) string {
	g.lines = nil
	head := g.chain(depth, blocks+g.IntN(blocks+1), "exit", asks)
	return "executionLimits: {maxNodeExecutions: 100000}\nnodes:\n  - {id: entry, type: entry, next: " + head + "}\n" + strings.Join(g.lines, "") +
		"  - {id: exit, type: exit, result: {expr: '{\"all\": $}'}}\n"
}

func (g *randomGraph) id(kind string) string {
	g.ids++
	return fmt.Sprintf("%s%d", kind, g.ids)
}

func (g *randomGraph) node(format string, args ...any) {
	g.lines = append(g.lines, fmt.Sprintf("  - {"+format+"}\n", args...))
}

// chain makes n blocks, one after another, and returns the first node.
func (g *randomGraph) chain(depth, n int, next string, asks bool) string {
	for range n {
		next = g.block(depth, next, asks)
	}
	return next
}

// block makes what may be between two nodes, and returns its first node.
func (g *randomGraph) block(depth int, next string, asks bool) string {
	switch what := g.IntN(12); {
	case what == 0:
		id := g.id("t")
		g.node(`id: %s, type: transform, transform: {expr: '{"r": $random(), "n": $executionCount("%s")}'}, next: %s`, id, id, next)
		return id
	case what == 1 && asks:
		id := g.id("ask")
		g.node(`id: %s, type: ask, message: "Well?", next: %s`, id, next)
		return id
	case what == 2:
		id := g.id("wait")
		g.node(`id: %s, type: wait, ms: %d, next: %s`, id, []int{1, 20, 3000}[g.IntN(3)], next)
		return id
	case what == 3 && depth > 0: // a loop
		id := g.id("more")
		body := g.chain(depth-1, 1+g.IntN(2), id, asks)
		g.node(`id: %s, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("%s")'}, 1]}, next: %s}], next: %s`, id, id, body, next)
		return body
	case what == 4: // a choice
		id, least := g.id("choose"), g.IntN(2)
		one := g.block(0, next, asks)
		g.node(`id: %s, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("%s")'}, %d]}, next: %s}], next: %s`, id, id, least, one, next)
		return id
	case (what == 5 || what == 6) && depth > 0:
		return g.parallel(depth, next, asks)
	case (what == 7 || what == 8) && g.library > 0:
		id := g.id("call")
		g.node(`id: %s, type: graph, graph: g%d, args: {}%s, next: %s`, id, g.IntN(g.library), g.modifiers(next, false, true), next)
		return id
	}
	tool := []string{"write", "write", "read"}[g.IntN(3)]
	id := g.id(tool)
	g.node(`id: %s, type: mcp, server: s, tool: %s, args: {n: %d, r: {expr: '$random()'}}%s, next: %s`, id, tool, g.ids, g.modifiers(next, tool == "read", false), next)
	return id
}

func (g *randomGraph) parallel(depth int, next string, asks bool) string {
	id := g.id("fork")
	var heads []string
	for range 2 + g.IntN(2) {
		heads = append(heads, g.chain(depth-1, 1+g.IntN(2), next, asks))
	}
	more := ""
	if g.IntN(4) == 0 {
		more += fmt.Sprintf(", concurrency: %d", 1+g.IntN(2))
	}
	if g.IntN(4) == 0 {
		more += ", onError: " + next
	}
	g.node(`id: %s, type: parallel, branches: [%s], join: %s%s`, id, strings.Join(heads, ", "), next, more)
	return id
}

// modifiers are some of those that a node takes.
func (g *randomGraph) modifiers(next string, retry, graph bool) (fields string) {
	if g.IntN(3) == 0 {
		policy := []string{"fail", "fail", "continue"}[g.IntN(3)]
		fields += fmt.Sprintf(", foreach: {items: [1, 2, 3], concurrency: %d, onItemError: %s}", 1+g.IntN(3), policy)
	}
	if (retry || graph) && g.IntN(2) == 0 {
		fields += fmt.Sprintf(", retry: {maxAttempts: %d, initialMs: %d, unsafe: %t}", 2+g.IntN(2), []int{0, 5, 2000}[g.IntN(3)], graph)
	}
	if g.IntN(8) == 0 {
		fields += ", timeoutMs: 12"
		g.timeouts = true
	}
	if g.IntN(4) == 0 {
		fields += ", onError: " + next
	}
	return fields
}
