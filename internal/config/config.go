// Package config is what the operator wrote: patchbay.yaml, mcp.json files of
// other clients, and graph documents given on the command line; with ${VAR}
// expanded, paths resolved and every fault placed in its file.
//
// It starts nothing and judges no graph: downstream servers are the downstream
// package's business, nodes are the engine's. It imports diag, graph and, for the
// form of what http nodes may request, egress.
package config

import (
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/execution/schedules"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/models"
)

// DefaultExposeMax is how many saved graphs are MCP tools without saying so.
const DefaultExposeMax = 20

// DefaultGrace is how long calls that have left may take at the end of the program
// unless the operator sets it.
const DefaultGrace = 1500 * time.Millisecond

// How long and how much of runs is kept unless the operator sets it.
const (
	DefaultKeep      = 30 * 24 * time.Hour
	DefaultKeepBytes = 1 << 30
)

// A Config is everything the operator decided. It is not changed after [Load].
type Config struct {
	File      string // the patchbay.yaml in effect, or ""
	Named     string // the one that was asked for; "": one is looked for, unless NoFile says that none is
	NoFile    bool
	Servers   []Server    // sorted by name; disabled ones included
	Own       []Server    // those left out because they would start this Patchbay itself
	Identity  string      // of this configuration, the same for all processes that serve it
	Documents []*Document // the -g files, in the order given
	Files     []*File     // every file read, in that order, with its faults

	// Project is what runs and learned shapes belong to: a name that the operator wrote,
	// else one that follows from the place of the file, or of the working directory
	// without one. FormerProjects are those that earlier versions gave the same
	// configuration.
	Project        string
	FormerProjects []string

	// AllTrusted says that every file is the user's.
	AllTrusted bool

	GraphsDir string // where saved graphs live; may not exist yet
	// ForeignGraphs says that a project names GraphsDir: what is in it is not used before
	// somebody has approved it. ApprovalsFile has the approvals; "" is memory.
	ForeignGraphs bool
	ApprovalsFile string
	// GraphsOfAgents is what agents may do with them.
	GraphsOfAgents GraphsOfAgents
	StateDir       string // where pins of tools are kept; "" when there is no place for it
	// WorkflowsDir has the workflows: it is next to File, and may not exist. Workflows are
	// those in File itself.
	WorkflowsDir string
	Workflows    []*Document
	Beside       *Beside // says which files next to File are trusted

	CacheDir  string // where tool lists are cached; "" when there is no place for it
	ExposeMax int    // saved graphs exposed as MCP tools by default
	Expose    Expose
	Calls     Calls

	Packs      []string // knowledge packs: folders, or [BuiltinPack] and a name
	NoShapes   bool     // shapes of results are not learned
	NoSearches bool     // searches without a result are not remembered
	Search     Search   // how nodes are found

	Workspace bool   // whether the built-in workspace server is offered
	Default   bool   // nothing is configured but, by default, the workspace server
	Root      string // its root directory

	WorkspaceReplaced bool // whether it is not offered because servers are configured

	Untrusted *diag.Fault   // why settings of the file are not used, or nil
	Hidden    []*diag.Fault // why servers of documents that are not trusted are not even listed

	WorkspaceOff *diag.Fault // why it is not offered although the configuration says so, or nil

	Limits Limits
	Runs   Runs
	// Runtime is what executes runs.
	Runtime Runtime
	Serve   Serve
	Log     Log

	Schedules []schedules.Schedule
	Webhooks  []Webhook
	Models    []models.Model
	Links     Links

	Grace  time.Duration // how long calls that have left may take to return at the end
	Egress egress.Policy // what http nodes may request
	Hooks  Hooks
	Info   ServerInfo

	Registry string // the URL of the registry that `patchbay mcp find` asks, or ""

	Redactor *secrets.Redactor // masks every secret where data leaves the program
}

// BuiltinPack begins the name of a knowledge pack that is in the program.
const BuiltinPack = "builtin:"

// addPack adds a knowledge pack unless it is there.
func (c *Config) addPack(place string) {
	if !slices.Contains(c.Packs, place) {
		c.Packs = append(c.Packs, place)
	}
}

// Runs says how runs are kept.
type Runs struct {
	Memory    bool          // only the latest, in memory
	File      string        // the journal; "" when there is no place for it
	Key       string        // of the journal's codes; "" is that in KeyFile
	KeyFile   string        // which is made when it is needed; "" when there is no place for it
	Keep      time.Duration // how long a run is kept
	KeepBytes int64         // how much all of them may take
	NoRecover bool          // do not resume runs of an earlier process
	Wait      time.Duration // how long a reply waits for a run; 0 is the server's default
	// OnDisconnect is what happens to the runs of an HTTP session that ends: finish,
	// park or cancel; "" is finish.
	OnDisconnect string
}

// ServerInfo is the `server` block of the first -g document that has one: what
// initialize answers. Empty fields mean Patchbay's own.
type ServerInfo struct {
	Name, Version, Title, Instructions string
}

// A Document is a graph document named with -g.
type Document struct {
	Path  string          // as it was given
	Graph *graph.Document `json:"-"` // its text may hold secrets
}

// A File is one file that was read, and what is wrong in it.
type File struct {
	Path        string // as it was given
	Src         string `json:"-"` // may hold secrets
	Diagnostics diag.List

	secrets *secrets.Redactor
}

// String is the path, so that printing a File shows no secret.
func (f *File) String() string { return f.Path }

// GoString is String, for %#v.
func (f *File) GoString() string { return f.Path }

// Render shows the file's diagnostics to people, each with its source line and
// a caret, secrets masked. It is "" when nothing was found.
func (f *File) Render() string {
	if len(f.Diagnostics) == 0 {
		return ""
	}
	return diag.Format(f.Path, f.secrets.Mask(f.Src), f.Diagnostics)
}

// Server returns the server of that name.
func (c *Config) Server(name string) (Server, bool) {
	for _, s := range c.Servers {
		if s.Name == name {
			return s, true
		}
	}
	return Server{}, false
}
