package engine

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Env gives Compile the tools, graphs and limits that it needs to know. The zero Env
// has no tools.
type Env struct {
	Tools  Tools
	Packs  Packs
	Graphs Graphs          // nil knows no saved graphs, and lets any be named
	HTTP   HTTPPolicy      // nil knows no bounds of requests, and lets any be written
	Models func() []string // the configured models, sorted; nil lets any be named
	Hooks  Hooks           // nil lets any script and any module be named
	Kinds  *KindSet        // nil means the built-in kinds
	Limits run.Limits
	// Untrusted says the document came from an agent, not from the operator's
	// own files: it cannot define servers, and a literal that looks like an
	// expression is an error instead of a warning.
	Untrusted bool
	// Unreviewed reports whether no person answers for a document, or for a saved graph that
	// it calls: then a person is asked about its calls, whoever has started the run. About
	// those of an untrusted document a person is asked unless the operator has sent it. Nil
	// is never.
	Unreviewed func(*graph.Document) bool
	// Begun says that a run of the document has begun, maybe with an earlier version: what
	// that did not find in rules does not stop the run.
	Begun bool
	// LiteralArgs says that the arguments of calls are values: nothing in them is an
	// expression, whatever it looks like.
	LiteralArgs bool
}

func (e *Env) kinds() *KindSet { return e.Kinds.orBuiltIn() }

// Tools is what Compile may ask about downstream tools.
type Tools interface {
	// Tool returns one tool. The fault is server-starting, server-failed,
	// unknown-server, unknown-tool, tool-denied, tool-changed or untrusted-file, which says
	// that the tools of the document's servers are not checked; a server that is starting is
	// waited for.
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

// HTTPPolicy says which requests of http nodes the operator allows.
type HTTPPolicy interface {
	// Allows says why no request that uses variables may go to a URL, in which
	// ${NAME} may occur too; nil if it may.
	Allows(url string, variables []string) *diag.Fault
	// Begins says why no URL that begins with a text may be asked for; nil if one
	// may, or if the text does not say enough.
	Begins(beginning string) *diag.Fault
	// Variables lists the names for ${NAME}, sorted.
	Variables() []string
}

// Hooks is what Compile may ask about the scripts of hooks.
type Hooks interface {
	// CheckScript returns what keeps the text of a script from being executed, such as
	// errors of syntax, in order of position.
	CheckScript(script string) []ScriptFault
	// Modules lists the hook modules, sorted.
	Modules() []string
	// ModuleFault says what keeps the script of a hook module from being executed; "" if
	// nothing does.
	ModuleFault(name string) string
}

// A ScriptFault is what is wrong with the bytes [Start, End) of a script.
type ScriptFault struct {
	Start, End int
	Message    string // one sentence in lower case
}

// A Tool is a downstream tool as the checker and the engine see it.
type Tool struct {
	Spec   *specs.Spec
	Input  *schema.Schema
	Output *schema.Schema // nil when the tool does not say
	// Observed describes what results have looked like, where the tool does not
	// say; nil when that is not known either. It never makes an error.
	Observed *schema.Schema
	// AsksModel says, of a graph, that it or one that it calls asks a model.
	AsksModel bool
}

// MaxNodes is the largest number of nodes a graph may have.
const MaxNodes = 10_000

// MaxID is how many characters the id of a node may have.
const MaxID = 200
