package command

import (
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// Flags are those of every verb.
type Flags struct {
	Graphs []string // -g
	MCP    []string // -m
	Packs  []string // --pack
	Config string
	Store  string // sqlite, memory, or "": as the configuration says
	Debug  bool

	output

	ServerFiles      []string // files that a command works on, whose servers are started too
	CheckedFiles     []string // files that a command only looks at: their servers are started if they are trusted
	connect          bool     // start the servers of such files too
	Never            bool     // start no configured server at all
	LogJSON          bool     // log lines of JSON
	LongRunning      bool     // until the client leaves, not for one command
	Lazy             bool     // servers whose tools are known start when something needs them
	ExposeDownstream bool     // let what servers offer pass through
	Lenient          bool     // continue with whatever is wrong, to report it
	Offline          bool     // start no server before a node needs it
	StartsLater      bool     // the command starts the servers itself

	AtTerminal func() bool // a person types and sees what is asked; nil looks at the input and output

	StdinPatience time.Duration // how long a command waits for standard input before it says so; 0 is a second

	Watch   bool             // run again whenever a file changes
	Against string           // of test: NAME=COMMAND of a server
	Live    bool             // of test: models are asked again
	Ticks   <-chan time.Time // when --watch looks for changes; nil: every watchEvery

	OptionalWait time.Duration // how long a command waits for a server that it may not need

	Words    []string       // of the command line
	Cmd      *cobra.Command // that is executed
	Waiting  *waiting       // servers that it has waited for
	Framed   atomic.Bool    // a view is shown at the terminal
	screenOf *term.Terminal // nil: standard error, if it is a terminal

	Root    *cobra.Command
	Setup   app.Setup        // what the program that embeds the command line adds
	Secrets []secrets.Secret // values to mask in addition to the configured ones

	runs        bool        // the arguments of the command are understood
	Interrupted atomic.Bool // by a signal

	Redactor atomic.Pointer[secrets.Redactor] // of the configuration, once it is read
}
