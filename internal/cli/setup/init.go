package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// An initialization is what init was asked to do.
type initialization struct {
	dir     string
	clients []string
	show    bool
	remove  bool
	force   bool
	yes     bool
	program string // its name
}

// An initialized is the result of init.
type initialized struct {
	Made    []string    `json:"made"`
	Clients []connected `json:"clients,omitempty"`
	Found   *surround   `json:"found,omitempty"`
}

// A connected says what has become of Patchbay's entry in a client's file.
type connected struct {
	*serverfile.Connection
	State  string `json:"state"` // added, removed, unchanged, or shown
	reason string // why it is unchanged
}

// InitCommand is patchbay init.
func InitCommand(f *command.Flags) *cobra.Command {
	var in initialization
	c := &cobra.Command{
		Use: "init [DIR]", Short: "Write a patchbay.yaml to start from, and connect clients",
		Long: "Write a patchbay.yaml that explains every setting and changes none; a file that exists is left as it is. With --client, also add Patchbay to the servers of that client, in the client's own file, where everything else stays. " +
			"At a terminal, init offers both, and the servers that other clients have. " +
			"It ends with what it has found: the clients, the servers that they have, and where saved graphs are.",
		Example: "  patchbay init\n  patchbay init --client claude-code\n  patchbay init --client claude-desktop --print\n  patchbay init --client cursor --remove",
		RunE: func(cmd *cobra.Command, args []string) error {
			in.dir, in.program = ".", f.ProgramName()
			if len(args) > 0 {
				in.dir = args[0]
			}
			return initProject(f, cmd, in)
		},
	}
	p := c.Flags()
	p.StringSliceVar(&in.clients, "client", nil, "client `NAME` that starts Patchbay: "+strings.Join(serverfile.Clients(), ", ")+" (repeatable)")
	p.BoolVar(&in.show, "print", false, "show what the client's file needs, and write nothing")
	p.BoolVar(&in.remove, "remove", false, "take Patchbay out of the client's file, and write nothing else")
	p.BoolVar(&in.force, "force", false, "replace an entry of another form that the client's file has")
	p.BoolVar(&in.yes, "yes", false, "ask nothing at a terminal")
	c.MarkFlagsMutuallyExclusive("print", "remove")
	return c
}

func initProject(f *command.Flags, cmd *cobra.Command, in initialization) (err error) {
	if (in.show || in.remove) && len(in.clients) == 0 {
		return command.Misuse("--client", "--client is required", "the clients are "+strings.Join(serverfile.Clients(), ", "))
	}
	for _, name := range in.clients { // before anything is written
		if _, err := in.connection(name); err != nil {
			return err
		}
	}
	out := initialized{Made: []string{}}
	if !in.show && !in.remove {
		made, err := config.Init(in.dir)
		if err != nil {
			return err
		}
		if made != "" {
			if err := trustMade(made); err != nil {
				return err
			}
			out.Made = append(out.Made, made)
		}
		if len(in.clients) == 0 && !in.yes && command.ReadStdin(cmd).Terminal && !f.Structured() {
			if in.clients, err = askAtInit(cmd, in.dir); err != nil {
				return err
			}
		}
	}
	for _, name := range in.clients {
		c, err := in.connect(name)
		if err != nil {
			return err
		}
		out.Clients = append(out.Clients, c)
	}
	if !in.show && !in.remove {
		if out.Found, err = lookAround(in.dir, in.program); err != nil {
			return err
		}
	}
	return f.Print(cmd, command.Result{Value: out, Names: func() []string { return out.Made }, Text: out.text})
}

// connection is that of one client to Patchbay.
func (in *initialization) connection(name string) (*serverfile.Connection, error) {
	dir, err := filepath.Abs(in.dir)
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return serverfile.NewConnection(name, dir, serverfile.Program{Path: program, Name: in.program}, os.LookupEnv)
}

// connect changes one client's file.
func (in *initialization) connect(name string) (connected, error) {
	c, err := in.connection(name)
	if err != nil {
		return connected{}, err
	}
	if in.show {
		return connected{Connection: c, State: "shown"}, nil
	}
	before, err := files.ReadText(c.File, command.MaxInput)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return connected{}, fmt.Errorf("%s: %w", c.File, files.Reason(err))
	}
	state, change := "added", func(before string) (string, error) { return c.Put(before, in.force) }
	if in.remove {
		state, change = "removed", func(before string) (string, error) {
			after, _, err := c.Take(before)
			return after, err
		}
	}
	after, err := change(before)
	if taken, ok := errors.AsType[*serverfile.TakenError](err); ok {
		return connected{}, command.Misuse("--client", taken.Error()+" in "+c.File+", of another form", "--print shows the new one, --force replaces it")
	}
	if err != nil {
		return connected{}, &diag.Fault{Code: config.CodeBadConfig, Message: c.File + ": " + err.Error(), Hint: "--print shows what to write there by hand"}
	}
	if after == before {
		reason := "it has the entry already"
		if in.remove {
			reason = "it has no entry patchbay"
		}
		return connected{c, "unchanged", reason}, nil
	}
	if err := os.MkdirAll(filepath.Dir(c.File), 0o755); err != nil {
		return connected{}, err
	}
	return connected{Connection: c, State: state}, files.Update(c.File, 0o644, func(old []byte) ([]byte, error) {
		after, err := change(string(old))
		return []byte(after), err
	})
}

func (out *initialized) text(w *term.Page) {
	for _, path := range out.Made {
		fmt.Fprintln(w, "created", path)
	}
	if len(out.Made) == 0 && len(out.Clients) == 0 {
		fmt.Fprintln(w, config.FileName+" exists already")
	}
	for _, c := range out.Clients {
		switch c.State {
		case "shown":
			fmt.Fprintf(w, "%s\n\n%s", c.File, c.Text())
		case "added":
			fmt.Fprintf(w, "added patchbay to %s: restart %s\n", c.File, c.Client)
		case "removed":
			fmt.Fprintf(w, "removed patchbay from %s\n", c.File)
		default:
			fmt.Fprintf(w, "%s is unchanged: %s\n", c.File, c.reason)
		}
	}
	if out.Found != nil {
		out.Found.text(w)
	}
}
