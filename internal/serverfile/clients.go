package serverfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/files"
)

// maxFile is the size in bytes of the largest file that is read.
const maxFile = 16 << 20

// A client is another program that has MCP servers.
type client struct {
	name string
	// files are where it keeps them, the nearer first: relative ones are of the
	// project, ~ is the home directory, % the folder of settings of the system, and + the
	// same except on macOS, where it is ~/.config.
	files []string
}

var clients = []client{
	{"claude", []string{".mcp.json", "~/.claude.json", "%/Claude/claude_desktop_config.json"}},
	{"cursor", []string{".cursor/mcp.json", "~/.cursor/mcp.json"}},
	{"vscode", []string{".vscode/mcp.json", "%/Code/User/mcp.json", "%/Code/User/settings.json"}},
	{"codex", []string{".codex/config.toml", "~/.codex/config.toml"}},
	{"gemini", []string{".gemini/settings.json", "~/.gemini/settings.json"}},
	{"windsurf", []string{"~/.codeium/windsurf/mcp_config.json"}},
	{"zed", []string{".zed/settings.json", "+/zed/settings.json"}},
}

// Clients are the names of the programs that [Import] knows.
func Clients() []string {
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = c.name
	}
	return names
}

// Import returns the servers of another client and the files that have them: of the
// project in dir, and of the user. Of two with the same name the one of the project
// counts. Patchbay itself is left out.
func Import(name, dir string, environ func(string) (string, bool)) (all []Entry, read []string, err error) {
	i := 0
	for ; i < len(clients) && clients[i].name != name; i++ {
	}
	if i == len(clients) {
		return nil, nil, fmt.Errorf("unknown client %q, the clients are %s", name, diag.OneOf(Clients(), 12))
	}
	var looked []string
	for _, pattern := range clients[i].files {
		path := place(pattern, dir, environ)
		if path == "" {
			continue
		}
		looked = append(looked, path)
		found, err := ReadFile(path, "")
		switch {
		case errors.Is(err, os.ErrNotExist), errors.Is(err, ErrNoServers):
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		project := ""
		if !strings.ContainsAny(pattern[:1], "~%+") {
			project = path
		}
		for _, e := range found {
			e.Project = project
			switch {
			case e.isPatchbay():
				path += " (without " + e.Name + ", which is Patchbay itself)"
			case !has(all, e.Name):
				all = append(all, e)
			}
		}
		read = append(read, path)
	}
	switch {
	case len(all) == 0 && len(read) > 0:
		return nil, nil, fmt.Errorf("%s has no servers in %s", name, diag.OneOf(read, 9))
	case len(all) == 0:
		return nil, nil, fmt.Errorf("%s has no servers in %s", name, diag.OneOf(looked, 9))
	}
	return all, read, nil
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

func has(all []Entry, name string) bool {
	for _, e := range all {
		if e.Name == name {
			return true
		}
	}
	return false
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
