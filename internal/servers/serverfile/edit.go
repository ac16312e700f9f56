package serverfile

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// A TakenError is the error of [Add] for a name that the file has already.
type TakenError struct{ Name string }

// Error says which name is taken.
func (e *TakenError) Error() string { return fmt.Sprintf("there is already a server %q", e.Name) }

// Add returns the text of a patchbay.yaml with more servers. Comments, order and layout
// of the rest stay. A server that is there already is a [*TakenError], unless force
// replaces it.
func Add(text string, entries []Entry, force bool) (string, error) {
	for _, e := range entries {
		root, err := parse(text)
		if err != nil {
			return "", err
		}
		section := cmp.Or(e.Section, "servers")
		under, have, in := find(root, section, e.Name)
		var fix diag.Fix
		switch {
		case have.Exists() && (!force || in != section):
			return "", &TakenError{e.Name}
		case have.Exists():
			fix = have.Replace("", e.Fields)
		case under.Exists() && !under.Is(graph.Null):
			fix = under.Insert("", e.Name, e.Fields, "")
		case under.Exists():
			fix = under.Replace("", graph.Members{{Key: e.Name, Value: e.Fields}})
		case strings.HasPrefix(root.Source(), "{") && root.Len() > 0:
			fix = root.Insert("", section, graph.Members{{Key: e.Name, Value: e.Fields}}, "")
		default:
			if text, err = begin(text, section, e); err != nil {
				return "", err
			}
			continue
		}
		if text, err = apply(text, fix); err != nil {
			return "", err
		}
	}
	return text, nil
}

// begin adds the first server, in a section at the end with a line for each server.
func begin(text, section string, e Entry) (string, error) {
	text = "\n" + strings.TrimRight(text, " \n")
	text = strings.TrimSuffix(text, "\n{}") // all that is left when the last server was removed, but for comments
	text = strings.TrimLeft(text+"\n", "\n") + section + ":\n  new: {}\n"
	root, err := parse(text)
	if err != nil {
		return "", err
	}
	at := root.Get(section)
	if text, err = apply(text, at.Get("new").Replace("", e.Fields)); err != nil {
		return "", err
	}
	if root, err = parse(text); err != nil {
		return "", err
	}
	if e.Name == "new" {
		return text, nil
	}
	return apply(text, root.Get(section).RenameKey("", "new", e.Name))
}

// Remove returns the text without a server, and whether it had one of that name.
func Remove(text, name string) (string, bool, error) {
	root, err := parse(text)
	if err != nil {
		return "", false, err
	}
	under, have, _ := find(root, "servers", name)
	if !have.Exists() {
		return text, false, nil
	}
	fix := have.Remove("")
	if under.Len() == 1 {
		fix = under.Remove("")
	}
	text, err = apply(text, fix)
	return text, true, err
}

// sections are the keys of patchbay.yaml that define servers, and the section that each
// is a spelling of.
var sections = [][2]string{{"mcpServers", "servers"}, {"servers", "servers"}, {"graphql", "graphql"}, {"openapi", "openapi"}}

// find returns the map of a section, and the entry of that name in any section, if there
// are; then the map is the one that has it.
func find(root graph.Value, section, name string) (under, entry graph.Value, in string) {
	for _, s := range sections {
		m := root.Get(s[0])
		if v := m.Get(name); v.Exists() {
			return m, v, s[1]
		}
		if m.Exists() && s[1] == section {
			under = m
		}
	}
	return under, graph.Value{}, section
}

func parse(text string) (graph.Value, error) {
	doc, found := graph.Parse("configuration", text)
	if doc == nil {
		return graph.Value{}, errors.New(found[0].Message)
	}
	return doc.Root, nil
}

func apply(text string, fix diag.Fix) (string, error) {
	if len(fix.Edits) == 0 {
		return "", errors.New("its layout cannot be edited by this command: change the file by hand")
	}
	return diag.ApplyEdits(text, fix.Edits), nil
}

// KeepWorkspace returns the text of a patchbay.yaml with the built-in server on whatever
// servers the file has.
func KeepWorkspace(text string) (string, error) {
	root, err := parse(text)
	if err != nil {
		return "", err
	}
	on, at := graph.Members{{Key: "enabled", Value: true}}, root.Get("workspace")
	switch {
	case at.Is(graph.Object):
		return apply(text, at.Insert("", "enabled", true, ""))
	case at.Exists():
		return apply(text, at.Replace("", on))
	case strings.HasPrefix(root.Source(), "{"):
		return apply(text, root.Insert("", "workspace", on, ""))
	}
	return strings.TrimRight(text, "\n") + "\nworkspace: {enabled: true}\n", nil
}
