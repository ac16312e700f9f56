package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// program is what the program is called in the entries of clients.
const program = "patchbay"

// identity is the same for all processes that serve this configuration: it follows from the
// patchbay.yaml in effect and the state folder, without such a file also from the files of
// -g and -m.
func (l *loader) identity() string {
	parts := []string{withoutLinks(l.cfg.File), withoutLinks(l.cfg.StateDir)}
	if l.cfg.File == "" {
		for _, f := range l.cfg.Files {
			parts = append(parts, withoutLinks(l.path(f.Path, l.o.Dir)))
		}
	}
	text, _ := json.Marshal(parts)
	return files.Hash(string(text))[:16]
}

// withoutLinks is a path without symbolic links, where it exists.
func withoutLinks(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}

// leaveOutOwn removes the servers that would start this Patchbay itself. Where that cannot
// be read in the entry, the process that is started recognizes it by [Config.Identity].
func (l *loader) leaveOutOwn() {
	l.cfg.Servers = slices.DeleteFunc(l.cfg.Servers, func(s Server) bool {
		own := l.startsThis(&s)
		if own {
			l.cfg.Own = append(l.cfg.Own, s)
		}
		return own
	})
}

// startsThis reports whether a server is patchbay serve with the configuration in effect.
func (l *loader) startsThis(s *Server) bool {
	if s.Confine.Image != "" || !StartsPatchbay(s.Command, s.Args) {
		return false
	}
	for name := range s.Env {
		if name == "HOME" || strings.HasPrefix(name, "XDG_") || strings.HasSuffix(name, "APPDATA") {
			return false // which may be those of another configuration
		}
	}
	theirs := loader{o: l.o}
	theirs.o.Dir = s.Cwd
	file := theirs.find()
	for i, arg := range s.Args {
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case l.cfg.File == "" && slices.Contains([]string{"-g", "-m", "--graph", "--mcp"}, name):
			return false
		case name == "--config" && joined:
			file = value
		case name == "--config" && i+1 < len(s.Args):
			file = s.Args[i+1]
		}
	}
	if file != "" {
		file = l.path(file, s.Cwd)
	}
	return withoutLinks(file) == withoutLinks(l.cfg.File)
}

// StartsPatchbay reports whether a command line is that of this program serving.
func StartsPatchbay(command string, args []string) bool {
	own, _ := os.Executable()
	base := func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".exe") }
	return command != "" && (base(command) == program || base(command) == base(own)) && slices.Contains(args, "serve")
}
