// Package engine turns a document into a plan and runs it.
//
// Validation is compilation: [Compile] is the only way to a [Plan], and
// validating a graph is compiling it with the plan dropped. What validates,
// runs; there is no second checker to drift from the engine.
//
// Compile starts from the document's tree, graph.Document.Tree. What authors write
// instead of the format is recovered first, in recover_*.go: each recovery reports
// its diagnostic with a fix and leaves the tree as the format has it. What follows
// reads the format alone. Each expression is parsed once, by Pass.compileExpr.
//
// A node type is one [Kind] in one file, kind_<type>.go: its knowledge, its
// fields, how it is checked and how it runs. The walker touches the world only
// through [Runtime].
//
// To use it as a library: graph.Parse reads a document, Compile checks it against
// the tools of an [Env] and returns a plan, package engine/local runs that over a
// [Caller] of your own, and hands you each step, to watch, pause or record.
package engine

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

// A Kind is a node type: what it is, how it is checked and how it runs, in one
// value. Registering it is all it takes for the catalog, the checker, the docs
// and the engine to know it.
type Kind struct {
	Spec    specs.Spec
	Fields  []Field
	Aliases []string // what authors call this type by mistake
	Guide   GuideRow

	Starts      bool // a run starts at the node, with the arguments of the call
	Ends        bool // a run ends at the node, with its output as the result
	Chooses     bool // the node decides which of several nodes follows
	Forks       bool // the node's branches run at the same time
	Asks        bool // a person decides the output
	Waits       bool // the node only lets time pass
	CallsTool   bool // the node calls a tool of a downstream server
	RunsGraph   bool // the node runs another graph, whose steps are recorded as parts of its own
	AsksModel   bool // the node asks a model, whose replies are not trusted
	ActsOutside bool // the node may change something outside of the run
	Forwards    bool // the node makes the call around which a workflow runs
	InWorkflow  bool // the node is for workflows, and for nothing else
	Detaches    bool // its branches under detach begin after the node, and see its output
	Picture     Picture

	// Evidence lists the fields that show the type of a node which does not say it.
	Evidence []string
	// Tolerated lists the keys that documents written for mcpGraph carry without
	// effect.
	Tolerated []string
	// SecretHint says what to write in the place of a secret. Empty means the common
	// advice.
	SecretHint string

	// Modifiers are the fields that the kind has in common with others: what happens
	// when a node fails, and how often it runs.
	Modifiers Modifiers

	// RecoverKey handles a key that is not a field of the kind but is known to be a
	// mistake for something the kind has; false leaves it to the common checks.
	RecoverKey func(p *Pass, n *Node, key string) bool

	// Recover rewrites what authors write instead of the values of the kind's fields
	// as the format has it, reporting each mistake. It is called for every node before
	// any is compiled. Nil means that there is nothing to recover.
	Recover func(p *Pass, n *Node)

	// Compile checks one node, reporting every fault through the pass, and
	// returns how to run it. The result is dropped if there are errors.
	Compile func(*Pass, *Node) Compiled
}

// A Field is one key a node of a kind may have.
type Field struct {
	Name     string
	Type     string // as specs.Parameter.Type
	Edges    bool   // its value names other nodes: the field is one of graph.EdgeKeys
	Required bool
	Doc      string
	Aliases  []string // what authors call this field by mistake
}

// A GuideRow is what the guide for authors says of a node type in its table, or of a
// [Modifier]. What is "" follows from the declaration: the names of the fields, and the
// description of the last output port, or of a modifier's field.
type GuideRow struct {
	Fields string
	Output string // of a modifier, what it does
}

// Compiled is a checked node, ready to run.
type Compiled struct {
	Step  Step
	Edges []Edge
	// NextFor is the node that follows when the node's output is given instead of
	// computed. Nil means the first edge, whatever the output.
	NextFor func(output expr.Value) (NodeIndex, error)
	// Infer says what the output can be, and reports what the types of the node's
	// values show to be wrong. It is asked again until the types of the whole graph
	// are stable. Nil means that nothing is known.
	Infer func(*Types) types.Type
	// NotRepeatableBecause says why the node must not be repeated by itself after a failure. It is
	// empty where repeating does no harm, or is asked for.
	NotRepeatableBecause string
	// RetryAfter reports whether retry repeats a node after a failure although it must not be
	// repeated by itself: the call had no effect, or its reply is known. Nil: after none.
	RetryAfter func(err error) bool
	// Call returns the call that the step makes, and its input, without making it. Nil
	// where it makes none.
	Call func(ctx context.Context, s *State) (run.Call, expr.Value, error)
	// Graph returns the plan that the step runs within the run. Nil where it runs none.
	Graph func(ctx context.Context) (*Plan, *diag.Fault)
	// Restore brings the state of a run to where an execution left it that an earlier
	// attempt at the run completed, including its own steps. Nil means that the output
	// is all that remains of it.
	Restore func(ctx context.Context, s *State) error
	// Pure says that the node reads nothing but the run: it fails the same way
	// every time.
	Pure bool
	// PerItem says that the step is executed once for each item of a list.
	PerItem bool
	// Branches are the names of the branches that the node runs at the same time, in
	// the order in which they join. Each execution records them.
	Branches []string
	// Context says that the output is the context of the workflow, which what follows
	// takes.
	Context bool
	// Last says that nothing follows the node, and that it does not end the run: it is the
	// last of a detached branch.
	Last bool
}

// An Edge leads from a node to another. Label is empty for plain succession; a
// branch has its condition's index, "default" or the name of its field.
type Edge struct {
	Label string
	To    NodeIndex
	At    graph.Value // where the document says so
}

// A NodeIndex is a node's position in its plan.
type NodeIndex int

// NoNode is the index of no node.
const NoNode NodeIndex = -1

// A Step runs one node once.
type Step func(ctx context.Context, s *State) (Outcome, error)

// An Outcome is the result of a step: its output (nil is undefined), its input, and
// the node at which the run continues; NoNode ends it.
type Outcome struct {
	Input  expr.Value
	Output expr.Value
	Next   NodeIndex
	// Caught is the failure that Output describes, if the run continues after it.
	Caught *diag.Fault
}

var kinds = map[string]*Kind{}

// Register adds a built-in kind. Call it in a package-level var of this package:
// kinds of a program that uses it as a library go into [Env] by [Extend]. It panics
// when the type is already taken.
func Register(k Kind) *Kind {
	name := k.Spec.NodeType
	if _, dup := kinds[name]; dup {
		panic("engine: kind registered twice: " + name)
	}
	kinds[name] = complete(k, "built-in")
	return kinds[name]
}

// Kinds returns the built-in kinds, sorted by type.
func Kinds() []*Kind { return builtIn().Kinds() }

// Specs returns the knowledge of every built-in kind, sorted by type.
func Specs() []*specs.Spec { return builtIn().Specs() }

func (k *Kind) field(name string) *Field {
	for i := range k.Fields {
		if k.Fields[i].Name == name {
			return &k.Fields[i]
		}
	}
	return nil
}

// fieldNames lists what a node of the kind may have, "id" and "type" included.
func (k *Kind) fieldNames() []string {
	names := []string{"id", "type"}
	for _, f := range k.Fields {
		names = append(names, f.Name)
	}
	return names
}
