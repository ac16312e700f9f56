// Package serverfile reads servers as others write them (READMEs, other clients,
// command lines, a registry) and puts them into the text of a patchbay.yaml, whose
// comments and order stay. It starts nothing, and what an entry means is the business
// of package config. It imports graph, config and diag.
package serverfile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/secrets"
)

// An Entry is one server in the form of patchbay.yaml.
type Entry struct {
	Name    string        `json:"name"`
	Section string        `json:"section,omitempty"` // the key that it is under: "" is servers
	Fields  graph.Members `json:"-"`                 // may hold secrets
	Notes   []string      `json:"notes,omitempty"`   // what was changed or left out, for people
	Project string        `json:"-"`                 // the client's file of the project that has it, which may have come with the folder
}

// set puts a field into the entry, in place of an earlier one.
func (e *Entry) set(key string, value any) {
	if i := slices.IndexFunc(e.Fields, func(p graph.Pair) bool { return p.Key == key }); i >= 0 {
		e.Fields[i].Value = value
		return
	}
	e.Fields = e.Fields.With(key, value)
}

func (e *Entry) note(format string, args ...any) {
	e.Notes = append(e.Notes, fmt.Sprintf(format, args...))
}

// Put adds to the map that the entry has under key, as flags of a command do.
func (e *Entry) Put(key, name, value string) {
	i := slices.IndexFunc(e.Fields, func(p graph.Pair) bool { return p.Key == key })
	if i < 0 {
		e.Fields = e.Fields.With(key, graph.Members{})
		i = len(e.Fields) - 1
	}
	pairs, _ := e.Fields[i].Value.(graph.Members)
	pairs = slices.DeleteFunc(slices.Clone(pairs), func(p graph.Pair) bool { return p.Key == name })
	pairs = pairs.With(name, value)
	e.Fields[i].Value = pairs
}

// Set puts a text field into the entry.
func (e *Entry) Set(key, value string) { e.set(key, value) }

// ErrNoServers is the error of a text that defines no servers.
var ErrNoServers = errors.New("it defines no servers")

// containers are the members under which clients keep their servers.
var containers = []string{"/mcpServers", "/servers", "/mcp/servers", "/context_servers", "/mcp_servers"}

// Read returns the servers of a text: {"mcpServers": {…}} and what other clients write
// in its place, a map of entries, or one entry, which then gets the given name. The text
// is JSON, with comments and without the outer braces too, or YAML.
func Read(text, name string) ([]Entry, error) {
	text = config.BlankComments(text)
	if strings.HasPrefix(strings.TrimSpace(text), `"`) {
		text = "{" + strings.TrimSuffix(strings.TrimSpace(text), ",") + "}"
	}
	doc, found := graph.Parse("servers", text)
	if doc == nil || !doc.Root.Is(graph.Object) {
		if len(found) > 0 && doc == nil {
			return nil, fmt.Errorf("line %d: %s", found[0].Range.Start.Line, found[0].Message)
		}
		return nil, ErrNoServers
	}
	return read(doc.Root, name)
}

// read returns the servers below the root of a document.
func read(root graph.Value, name string) ([]Entry, error) {
	var all []Entry
	for _, at := range containers {
		all = append(all, entries(root.At(at))...)
	}
	switch {
	case len(all) > 0:
		return named(all, name), nil
	case isEntry(root):
		return []Entry{entry(name, root)}, nil
	}
	if all = entries(root); len(all) == 0 {
		return nil, ErrNoServers
	}
	return named(all, name), nil
}

// named gives the only entry the name that a person chose.
func named(all []Entry, name string) []Entry {
	if name != "" && len(all) == 1 {
		all[0].Name = name
	}
	return all
}

// entries reads a map of entries; what is not one is passed over.
func entries(m graph.Value) (all []Entry) {
	for name, v := range m.Members() {
		if isEntry(v) {
			all = append(all, entry(config.LegalName(name), v))
		}
	}
	return all
}

// isEntry reports whether a map says how to reach a server.
func isEntry(v graph.Value) bool {
	return slices.ContainsFunc([]string{"command", "url", "serverUrl", "httpUrl", "image"}, v.Has)
}

// editorInput is what an editor asks a person for when it starts a server.
var editorInput = regexp.MustCompile(`\$\{input:([^}]*)\}`)

// placeholder is what READMEs write where a secret belongs.
var placeholder = regexp.MustCompile(`(?i)^(<.*>|\[.*\]|.*\byour[-_ ].*|x{4,}|\.\.\.|…)$`)

// text is a scalar as patchbay.yaml has it: what is asked for in an editor becomes an
// environment variable.
func (e *Entry) text(v graph.Value) string {
	return editorInput.ReplaceAllStringFunc(v.Text(), func(said string) string {
		name := variable(editorInput.FindStringSubmatch(said)[1])
		e.note("%s is read from the environment variable %s", said, name)
		return "${" + name + "}"
	})
}

// variable makes a name that of an environment variable.
func variable(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// pairs reads env or headers. A placeholder of a secret becomes a variable.
func (e *Entry) pairs(key string, m graph.Value) graph.Members {
	out := graph.Members{}
	for name, v := range m.Members() {
		text := e.text(v)
		if secrets.IsSecretName(name) && placeholder.MatchString(text) {
			e.note("%s.%s is read from the environment variable %s: the text had a placeholder", key, name, variable(name))
			text = "${" + variable(name) + "}"
		}
		out = out.With(name, text)
	}
	return out
}
