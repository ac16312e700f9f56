package engine

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Env is what Compile may ask of the world. The zero Env knows no tools.
type Env struct {
	Tools  Tools
	Packs  Packs
	Graphs Graphs // nil knows no saved graphs, and lets any be named
	Web    Web    // nil knows no bounds of requests, and lets any be written
	Limits Limits
	// Untrusted says the document came from an agent, not from the operator's
	// own files: it cannot define servers, and a literal that looks like an
	// expression is an error instead of a warning.
	Untrusted bool
	// LiteralArgs says that the arguments of calls are values: nothing in them is an
	// expression, whatever it looks like.
	LiteralArgs bool
}

// Tools is what Compile may ask about downstream tools.
type Tools interface {
	// Tool returns one tool. The fault is server-not-ready, server-failed,
	// unknown-server or unknown-tool; a server that is starting is waited for.
	Tool(server, tool string) (*Tool, *diag.Fault)
	// Names lists what there is as "<server>/<tool>", sorted.
	Names() []string
	// Resolve finds the one tool that a name an author used can mean: a catalog
	// id, "<server>/<tool>", "mcp-<server>-<tool>" or an unambiguous bare name.
	Resolve(name string) (server, tool string, ok bool)
}

// Graphs is what the engine may ask about saved graphs.
type Graphs interface {
	// Graph returns a saved graph as a node that can be called, without compiling
	// it: graphs may call each other in a circle.
	Graph(name string) (*Tool, *diag.Fault)
	// Plan returns a saved graph, ready to run. It outlives the compilation.
	Plan(ctx context.Context, name string) (*Plan, *diag.Fault)
	// Names lists the saved graphs, sorted.
	Names() []string
}

// Web is what Compile may ask about the requests of http nodes.
type Web interface {
	// Allows says why no request that uses variables may go to a URL, in which
	// ${NAME} may stand too; nil if it may.
	Allows(url string, variables []string) *diag.Fault
	// Begins says why no URL that begins with a text may be asked for; nil if one
	// may, or if the text does not say enough.
	Begins(beginning string) *diag.Fault
	// Variables lists the names that may stand in ${NAME}, sorted.
	Variables() []string
}

// A Tool is a downstream tool as the checker and the engine see it.
type Tool struct {
	Spec   *specs.Spec
	Input  *Schema
	Output *Schema // nil when the tool does not say
	// Observed describes what results have looked like, where the tool does not
	// say; nil when that is not known either. It never makes an error.
	Observed *Schema
}

// Limits bound one run. A zero field means the default: that of [DefaultLimits] in
// what a document says, that of [DefaultCeiling] in what the operator says.
type Limits struct {
	MaxNodeExecutions int           `json:"max_node_executions,omitempty"`
	MaxExecutionTime  time.Duration `json:"max_execution_time,omitempty"`
	MaxExpressionTime time.Duration `json:"max_expression_time,omitempty"`
	MaxResultBytes    int           `json:"max_result_bytes,omitempty"` // of the result and of each output, as JSON
	MaxTraceBytes     int           `json:"max_trace_bytes,omitempty"`  // of all outputs of a run together
}

// DefaultLimits are the format's: those of a document that says nothing.
var DefaultLimits = Limits{
	MaxNodeExecutions: 1000, MaxExecutionTime: 5 * time.Minute, MaxExpressionTime: 2 * time.Second,
	MaxResultBytes: 16 << 20, MaxTraceBytes: 256 << 20,
}

// DefaultCeiling is what no document exceeds where the operator says nothing.
var DefaultCeiling = Limits{
	MaxNodeExecutions: 1_000_000, MaxExecutionTime: 24 * time.Hour, MaxExpressionTime: 2 * time.Second,
	MaxResultBytes: 16 << 20, MaxTraceBytes: 256 << 20,
}

// Within returns the limits of a run: what the document says in l, at most the
// operator's ceiling. For a zero field of l that is the format's default, and for
// the sizes and the time of an expression the ceiling.
func (l Limits) Within(ceiling Limits) Limits {
	ceiling = ceiling.orCeiling()
	return Limits{
		MaxNodeExecutions: clamp(positive(l.MaxNodeExecutions, DefaultLimits.MaxNodeExecutions), ceiling.MaxNodeExecutions),
		MaxExecutionTime:  clamp(positive(l.MaxExecutionTime, DefaultLimits.MaxExecutionTime), ceiling.MaxExecutionTime),
		MaxExpressionTime: clamp(l.MaxExpressionTime, ceiling.MaxExpressionTime),
		MaxResultBytes:    clamp(l.MaxResultBytes, ceiling.MaxResultBytes),
		MaxTraceBytes:     clamp(l.MaxTraceBytes, ceiling.MaxTraceBytes),
	}
}

func (l Limits) orCeiling() Limits {
	l.MaxNodeExecutions = positive(l.MaxNodeExecutions, DefaultCeiling.MaxNodeExecutions)
	l.MaxExecutionTime = positive(l.MaxExecutionTime, DefaultCeiling.MaxExecutionTime)
	l.MaxExpressionTime = positive(l.MaxExpressionTime, DefaultCeiling.MaxExpressionTime)
	l.MaxResultBytes = positive(l.MaxResultBytes, DefaultCeiling.MaxResultBytes)
	l.MaxTraceBytes = positive(l.MaxTraceBytes, DefaultCeiling.MaxTraceBytes)
	return l
}

func positive[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

func clamp[T int | time.Duration](v, ceiling T) T {
	if v <= 0 || v > ceiling {
		return ceiling
	}
	return v
}

// MaxNodes is the largest number of nodes a graph may have.
const MaxNodes = 10_000
