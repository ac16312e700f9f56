package serverfile

import (
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path"
	"regexp"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// Command returns the entry of a command line. Without a name it gets that of the
// package or the program.
func Command(name string, argv []string) (Entry, error) {
	if len(argv) == 0 || strings.TrimSpace(argv[0]) == "" {
		return Entry{}, errors.New("it names no program")
	}
	e := Entry{Name: name}
	if name == "" {
		e.Name = programName(argv)
	}
	e.set("command", argv[0])
	if len(argv) > 1 {
		e.set("args", argv[1:])
	}
	return e, nil
}

// ErrNoSource is the error of a text that [Sources] cannot read.
var ErrNoSource = errors.New("is not JSON, a URL or a package")

// Sources returns the servers of a source that a person gives: JSON as READMEs print it, a URL,
// npm:NAME or pypi:NAME. An entry may have no name if none is given.
func Sources(name, source string) ([]Entry, error) {
	one := func(e Entry, err error) ([]Entry, error) { return []Entry{e}, err }
	switch {
	case apis.IsURL(source):
		return one(URL(name, source))
	case IsPackage(source):
		return one(Package(name, source, nil))
	case strings.ContainsAny(source, "{:"):
		all, err := Read(source, name)
		if err != nil {
			err = fmt.Errorf("the text: %w", err)
		}
		return all, err
	}
	return nil, fmt.Errorf("%q %w", source, ErrNoSource)
}

// runners start a package that an argument names.
var runners = map[string]bool{"npx": true, "bunx": true, "uvx": true, "pipx": true, "pnpm": true, "yarn": true, "npm": true, "uv": true}

// runnerFrom says where to get the programs that the commands of READMEs start.
var runnerFrom = map[string]string{
	"npx": "it comes with Node.js, https://nodejs.org",
	"uvx": "it comes with uv, https://docs.astral.sh/uv",
}

// NoteRunner notes that the program which starts the server's package is not installed,
// and how to get it.
func (e *Entry) NoteRunner() {
	for _, p := range e.Fields {
		name, _ := p.Value.(string)
		if p.Key != "command" || runnerFrom[name] == "" {
			continue
		}
		if _, err := exec.LookPath(name); err != nil {
			e.note("it needs %s, which is not on the PATH: %s", name, runnerFrom[name])
		}
	}
}

// programName is a name for what a command line starts.
func programName(argv []string) string {
	if runners[path.Base(argv[0])] {
		for _, arg := range argv[1:] {
			if !strings.HasPrefix(arg, "-") && arg != "run" && arg != "exec" && arg != "dlx" && arg != "x" && arg != "tool" {
				return packageName(arg)
			}
		}
	}
	return packageName(path.Base(argv[0]))
}

// versionOf is the version after the name of a package.
var versionOf = regexp.MustCompile(`(.)(@|==|>=|~=).*$`)

// packageName is a server's name for a package: server-filesystem of a scope is
// filesystem, mcp-server-git is git.
func packageName(pkg string) string {
	base := versionOf.ReplaceAllString(path.Base(pkg), "$1")
	for _, part := range []string{"mcp-server-", "server-", "mcp-"} {
		base = strings.TrimPrefix(base, part)
	}
	for _, part := range []string{"-mcp-server", "-mcp", "-server"} {
		base = strings.TrimSuffix(base, part)
	}
	return config.LegalName(base)
}

// Package returns the entry of a package of a registry: npm:NAME or pypi:NAME, perhaps
// with @VERSION after it.
func Package(name, source string, args []string) (Entry, error) {
	kind, pkg, _ := strings.Cut(source, ":")
	if pkg == "" || strings.HasPrefix(pkg, "-") || strings.ContainsAny(pkg, " \t") {
		return Entry{}, fmt.Errorf("%q does not name a package", source)
	}
	var argv []string
	switch kind {
	case "npm":
		argv = []string{"npx", "-y", pkg}
	case "pypi":
		argv = []string{"uvx", pkg}
	default:
		return Entry{}, fmt.Errorf("%q is not npm:NAME or pypi:NAME", source)
	}
	return Command(name, append(argv, args...))
}

// IsPackage reports whether a text names a package as [Package] reads it.
func IsPackage(source string) bool {
	return strings.HasPrefix(source, "npm:") || strings.HasPrefix(source, "pypi:")
}

// URL returns the entry of a remote server. Without a name it gets that of its host.
func URL(name, address string) (Entry, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Entry{}, fmt.Errorf("%q is not an http or https URL", address)
	}
	e := Entry{Name: name}
	if name == "" {
		e.Name = hostName(u.Hostname())
	}
	e.Fields = graph.Members{{Key: "url", Value: address}}
	return e, nil
}

// API returns the entry of an API: section is graphql or openapi, and endpoint, which may be
// empty, where its requests go. Without a name it gets that of the host or the file.
func API(section, name, source, endpoint string) (Entry, error) {
	at := endpoint
	if apis.IsURL(source) {
		at = source
	}
	e := Entry{Name: name, Section: section}
	if name == "" {
		u, err := url.Parse(at)
		if err != nil || u.Host == "" {
			return Entry{}, errors.New("the API has no name: write it before the source")
		}
		e.Name = hostName(u.Hostname())
	}
	e.set("source", source)
	if endpoint != "" {
		e.set(map[string]string{"graphql": "endpoint", "openapi": "url"}[section], endpoint)
	}
	return e, nil
}

// hostName is a server's name for a host: mcp.example.com is example.
func hostName(host string) string {
	parts := strings.Split(host, ".")
	if len(parts) > 2 && (parts[0] == "mcp" || parts[0] == "api" || parts[0] == "www") {
		parts = parts[1:]
	}
	return config.LegalName(parts[0])
}
