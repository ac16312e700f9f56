package serverfile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// maxFile is the size in bytes of the largest file that is read.
const maxFile = 16 << 20

// A client is another program that has MCP servers, to which Patchbay can belong.
type client struct {
	name string
	also []string // other names that people have for it
	// files are where it keeps them, the nearer first: relative ones are of the
	// project, ~ is the home directory, % the folder of settings of the system, and + the
	// same except on macOS, where it is ~/.config.
	files   []string
	section string // key of the map of servers; in TOML, of the table
	project bool   // it starts servers for one project, in its folder or with its variable
	folder  string // what stands for the project's folder in an argument; "" where servers start in it
	stdio   bool   // an entry names its transport
	nested  bool   // the file of the user also has maps of servers for one project each
}

var clients = []client{
	{name: "claude-code", also: []string{"claude"}, files: []string{".mcp.json", "~/.claude.json"}, section: "mcpServers", project: true, nested: true},
	{name: "claude-desktop", files: []string{"%/Claude/claude_desktop_config.json"}, section: "mcpServers"},
	{name: "cursor", files: []string{".cursor/mcp.json", "~/.cursor/mcp.json"}, section: "mcpServers", project: true, folder: "${workspaceFolder}"},
	{name: "vscode", also: []string{"vs-code", "code"}, files: []string{".vscode/mcp.json", "%/Code/User/mcp.json", "%/Code/User/settings.json"}, section: "servers", project: true, folder: "${workspaceFolder}", stdio: true},
	{name: "codex", files: []string{".codex/config.toml", "~/.codex/config.toml"}, section: "mcp_servers"},
	{name: "gemini", also: []string{"gemini-cli"}, files: []string{".gemini/settings.json", "~/.gemini/settings.json"}, section: "mcpServers", project: true},
	{name: "windsurf", files: []string{"~/.codeium/windsurf/mcp_config.json"}, section: "mcpServers"},
	{name: "zed", files: []string{".zed/settings.json", "+/zed/settings.json"}, section: "context_servers"},
}

// Clients are the names of the programs that [Import] and [NewConnection] know.
func Clients() []string {
	return lists.Each(clients, func(c client) string { return c.name })
}

// unknownClient is the fault of a name that no client has.
func unknownClient(name string) *diag.Fault {
	f := &diag.Fault{Code: diag.CodeUsage, Message: fmt.Sprintf("unknown client %q, the clients are %s", name, diag.OneOf(Clients(), 12))}
	for _, c := range clients {
		if len(diag.Closer(name, append([]string{c.name}, c.also...), 1)) > 0 {
			f.Suggestions = append(f.Suggestions, c.name)
		}
	}
	return f
}

// clientNamed returns the client of a name, which may be another that people have for it.
func clientNamed(name string) (client, error) {
	i := slices.IndexFunc(clients, func(c client) bool { return c.name == name || slices.Contains(c.also, name) })
	if i < 0 {
		return client{}, unknownClient(name)
	}
	return clients[i], nil
}

var codeNothingToImport = diag.DefineFault("nothing-to-import", diag.RefusesRequest, "a client's files define no server that could be imported", "`patchbay mcp add NAME -- COMMAND` adds one")

// Import returns the servers of another client and the files that have them: of the
// project in dir, and of the user. Of two with the same name the one of the project
// counts, first the one that only this user has. Patchbay itself is left out.
func Import(name, dir string, environ func(string) (string, bool)) (all []Entry, read []string, err error) {
	c, err := clientNamed(name)
	if err != nil {
		return nil, nil, err
	}
	var looked []string
	for _, pattern := range c.files {
		path := place(pattern, dir, environ)
		if path == "" {
			continue
		}
		looked = append(looked, path)
		project := ""
		if !strings.ContainsAny(pattern[:1], "~%+") {
			project = path
		}
		found, local, err := c.entries(path, dir, project == "")
		switch {
		case errors.Is(err, os.ErrNotExist), errors.Is(err, ErrNoServers):
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		for i, e := range found {
			e.Project = project
			same := slices.IndexFunc(all, func(had Entry) bool { return had.Name == e.Name })
			switch {
			case e.isPatchbay():
				path += " (without " + e.Name + ", which is Patchbay itself)"
			case same < 0:
				all = append(all, e)
			case i < local:
				all[same] = e
			}
		}
		read = append(read, path)
	}
	if len(all) == 0 {
		if len(read) > 0 {
			looked = read
		}
		return nil, nil, diag.Faultf(codeNothingToImport, "%s has no servers in %s", name, diag.OneOf(looked, 9)).WithHint("there is nothing to import: patchbay mcp add NAME -- COMMAND adds a server")
	}
	return all, read, nil
}

// entries returns the servers of a file of the client. The first local ones are those that
// a file of the user has for the project in dir.
func (c *client) entries(path, dir string, user bool) (all []Entry, local int, err error) {
	if !c.nested || !user {
		all, err = ReadFile(path, "")
		return all, 0, err
	}
	text, err := files.ReadText(path, maxFile)
	if err != nil {
		return nil, 0, err
	}
	ofProject, ofUser, err := c.servers(text, dir)
	if err != nil {
		return nil, 0, err
	}
	for _, servers := range []json.RawMessage{ofProject, ofUser} {
		local = len(all)
		more, err := Read(`{"mcpServers": `+cmp.Or(string(servers), "{}")+"}", "")
		if err != nil && !errors.Is(err, ErrNoServers) {
			return nil, 0, err
		}
		all = append(all, more...)
	}
	if len(all) == 0 {
		return nil, 0, ErrNoServers
	}
	return all, local, nil
}

// isPatchbay reports whether the entry starts this program, as those of [Connection] do.
func (e *Entry) isPatchbay() bool {
	var line struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	if b, err := e.Fields.MarshalJSON(); err == nil {
		_ = json.Unmarshal(b, &line) // what has another form starts something else
	}
	return e.Name == OwnName || config.StartsPatchbay(line.Command, line.Args)
}

// place is the path that a pattern means on this system, or "".
func place(pattern, dir string, environ func(string) (string, bool)) string {
	home, _ := environ("HOME")
	if home == "" {
		home, _ = environ("USERPROFILE")
	}
	switch {
	case strings.HasPrefix(pattern, "~"):
		if home == "" {
			return ""
		}
		return filepath.Join(home, filepath.FromSlash(pattern[1:]))
	case strings.HasPrefix(pattern, "%"), strings.HasPrefix(pattern, "+"):
		base := ""
		switch {
		case runtime.GOOS == "windows":
			base, _ = environ("APPDATA")
		case runtime.GOOS == "darwin" && pattern[0] == '%':
			base = filepath.Join(home, "Library", "Application Support")
		case runtime.GOOS == "darwin":
			base = filepath.Join(home, ".config")
		default:
			if base, _ = environ("XDG_CONFIG_HOME"); base == "" && home != "" {
				base = filepath.Join(home, ".config")
			}
		}
		if base == "" {
			return ""
		}
		return filepath.Join(base, filepath.FromSlash(pattern[1:]))
	}
	return filepath.Join(dir, filepath.FromSlash(pattern))
}

// ReadFile returns the servers of a file, JSON, TOML or YAML by its name.
func ReadFile(path, name string) ([]Entry, error) {
	text, err := files.ReadText(path, maxFile)
	if err != nil {
		return nil, err
	}
	if strings.EqualFold(filepath.Ext(path), ".toml") {
		return ReadTOML(text, name)
	}
	return Read(text, name)
}
