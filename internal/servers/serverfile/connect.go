package serverfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
)

// OwnName is the name of Patchbay among the servers of a client.
const OwnName = "patchbay"

// A Connection is the entry of Patchbay in a client's file.
type Connection struct {
	Client string        `json:"client"`
	File   string        `json:"file"`
	Other  string        `json:"-"` // file that the client reads too, or ""
	Entry  graph.Members `json:"entry"`
	client client
	dir    string // of the project
}

// A Program is what clients start.
type Program struct {
	Path string // whole
	Name string // as people call it; "" is [OwnName]
}

// NewConnection returns what a client needs to start the program for the project in dir, a
// whole path. A file that belongs to a project names the program as people call it, so that
// it can be shared; one of the user has whole paths, as such clients have no PATH and start
// servers elsewhere.
func NewConnection(name, dir string, program Program, environ func(string) (string, bool)) (*Connection, error) {
	h, err := clientNamed(name)
	if err != nil {
		return nil, err
	}
	own, other := h.files[0], ""
	switch {
	case len(h.files) > 1 && h.project:
		other = h.files[1]
	case len(h.files) > 1: // it starts servers elsewhere than in the project, so the file of the user is for the entry
		own, other = h.files[1], own
	}
	path := place(own, dir, environ)
	if path == "" {
		return nil, fmt.Errorf("the folder of the settings of %s is not known: set HOME", h.name)
	}
	command, args := cmp.Or(program.Name, OwnName), []any{"serve"}
	switch {
	case !h.project:
		command, args = program.Path, append(args, "--config", filepath.Join(dir, "patchbay.yaml"))
	case h.folder != "":
		args = append(args, "--config", h.folder+"/patchbay.yaml")
	}
	entry := graph.Members{{Key: "command", Value: command}, {Key: "args", Value: args}}
	if h.stdio {
		entry = append(graph.Members{{Key: "type", Value: "stdio"}}, entry...)
	}
	c := &Connection{Client: h.name, File: path, Entry: entry, client: h, dir: dir}
	if other != "" {
		if c.Other = place(other, dir, environ); c.Other == path { // in the home directory they may be the same
			c.Other = ""
		}
	}
	return c, nil
}

// Elsewhere is the connection in the other file that the client reads.
func (c *Connection) Elsewhere() *Connection {
	other := *c
	other.File, other.Other = c.Other, c.File
	return &other
}

// Put returns the text of the client's file with the entry. What else is in it stays as it
// is, comments too. An entry that is there already is a [*TakenError], unless it is the
// same or force replaces it.
func (c *Connection) Put(text string, force bool) (string, error) {
	if c.toml() {
		return c.putTOML(text, force)
	}
	root, err := parseJSON(text)
	if err != nil {
		return "", err
	}
	under := root.Get(c.client.section)
	have := under.Get(OwnName)
	var fix diag.Fix
	switch {
	case strings.TrimSpace(text) == "":
		return c.Text(), nil
	case strings.TrimSpace(config.BlankComments(text)) == "":
		return strings.TrimRight(text, "\n") + "\n" + c.Text(), nil
	case have.Exists() && same(have, c.Entry):
		return text, nil
	case have.Exists() && !force:
		return "", &TakenError{OwnName}
	case have.Exists():
		fix = have.Replace("", c.Entry)
	case under.Exists():
		fix = under.Insert("", OwnName, c.Entry, "")
	default:
		fix = root.Insert("", c.client.section, graph.Members{{Key: OwnName, Value: c.Entry}}, "")
	}
	return insert(text, fix)
}

// Take returns the text of the client's file without the entry, and whether it had one.
func (c *Connection) Take(text string) (string, bool, error) {
	if c.toml() {
		return c.takeTOML(text)
	}
	root, err := parseJSON(text)
	if err != nil {
		return "", false, err
	}
	under := root.Get(c.client.section)
	if !under.Has(OwnName) {
		return text, false, nil
	}
	text, err = remove(text, under, OwnName)
	return text, true, err
}

// Text is a file that has nothing but the entry.
func (c *Connection) Text() string {
	if c.toml() {
		return c.tableTOML()
	}
	b, err := graph.Members{{Key: c.client.section, Value: graph.Members{{Key: OwnName, Value: c.Entry}}}}.MarshalJSON()
	if err != nil {
		panic("serverfile: " + err.Error()) // texts and lists of texts
	}
	return indented(b)
}

func (c *Connection) toml() bool { return filepath.Ext(c.File) == ".toml" }

// same reports whether a value is the entry, in any order of its keys.
func same(v graph.Value, entry graph.Members) bool {
	b, err := entry.MarshalJSON()
	if err != nil {
		return false
	}
	var have, want any
	return json.Unmarshal(v.JSON(), &have) == nil && json.Unmarshal(b, &want) == nil && reflect.DeepEqual(have, want)
}

// indented is JSON with two spaces a level.
func indented(b []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		panic("serverfile: " + err.Error())
	}
	return out.String() + "\n"
}
