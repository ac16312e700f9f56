// Package drafting writes graphs for others to finish: one that repeats recorded calls,
// with what they took from each other as expressions, and one of chosen nodes, whose
// arguments are wired by name and type. It knows values, schemas and types. It runs and
// checks nothing: whether a draft is right, its caller finds out.
package drafting

import (
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
)

// A Callee is what a node calls: a tool of a downstream server, or a saved graph.
type Callee struct {
	Server, Tool string // Server is "" for a saved graph, whose name is Tool
	Input        *schema.Schema
	Output       *schema.Schema // nil is not known
	Declared     bool           // Output is what the server says, and not what results have looked like
}

// A Call is a call that was made, and what it returned.
type Call struct {
	Callee

	Run       string
	Arguments expr.Object
	Result    expr.Value // as expressions see it; nil is undefined
}

// Options of a draft.
type Options struct {
	Name        string // of the tool; "" takes one from the names of the nodes
	Description string // "" leaves it to be given later

	// NoLoops makes a node for each call, also of calls over the items of a list.
	NoLoops bool
	// Literal are the arguments, as in [Choice], that are not wired whatever they equal:
	// "node.argument".
	Literal map[string]bool
	// Secret reports whether a text has a secret in it, which no expression may repeat.
	// Nil is never.
	Secret func(text string) bool
}

// A Draft is a graph made of calls.
type Draft struct {
	Tool      graph.Members
	Arguments expr.Object // with which the graph repeats the calls
	Result    expr.Value  // what it returns then
	Ambiguous []Choice
	Notes     []string
	Loops     bool // several calls became one node
	// ByPosition is set where an item of a list is taken by its index: which one was meant
	// of the next list, the calls do not say.
	ByPosition bool

	// Proof is the graph to run for comparing its calls with the recorded ones: saved
	// graphs are called like tools, of the server [GraphServer], so that none is executed.
	Proof graph.Members
}

// GraphServer is the server of saved graphs in [Draft.Proof].
const GraphServer = "graph:"

// A Choice is an argument for which there were several expressions.
type Choice struct {
	Node     string   `json:"node"`
	Argument string   `json:"argument"` // its path, such as user.name
	Chosen   string   `json:"chosen"`
	Others   []string `json:"others"`
}
