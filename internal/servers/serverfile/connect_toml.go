package serverfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// header begins the table of the entry.
func (c *Connection) header() string { return "[" + c.client.section + "." + OwnName }

// tableTOML is the entry as a table.
func (c *Connection) tableTOML() string {
	var b strings.Builder
	b.WriteString(c.header() + "]\n")
	for _, p := range c.Entry {
		fmt.Fprintf(&b, "%s = %s\n", p.Key, valueTOML(p.Value))
	}
	return b.String()
}

// valueTOML is a text, or a list of texts. JSON's texts are TOML's too.
func valueTOML(value any) string {
	if list, ok := value.([]any); ok {
		items := lists.Each(list, valueTOML)
		return "[" + strings.Join(items, ", ") + "]"
	}
	b, err := json.Marshal(value)
	if err != nil {
		panic("serverfile: " + err.Error()) // a text
	}
	return string(b)
}

func (c *Connection) putTOML(text string, force bool) (string, error) {
	rest, had, err := c.takeTOML(text)
	switch {
	case err != nil:
		return "", err
	case had && strings.TrimSpace(strings.ReplaceAll(c.cutTOML(text), "\r\n", "\n"))+"\n" == c.tableTOML():
		return text, nil
	case had && !force:
		return "", &TakenError{OwnName}
	}
	if rest = strings.TrimRight(rest, "\n"); rest != "" {
		rest += "\n\n"
	}
	return rest + c.tableTOML(), nil
}

// takeTOML removes the table of the entry, and the tables within it.
func (c *Connection) takeTOML(text string) (string, bool, error) {
	var root map[string]any
	if _, err := toml.Decode(text, &root); err != nil {
		return "", false, err
	}
	servers, _ := root[c.client.section].(map[string]any)
	if _, there := servers[OwnName]; !there {
		return text, false, nil
	}
	own := c.cutTOML(text)
	rest := strings.Replace(text, own, "", 1)
	if strings.HasSuffix(rest, "\n\n") && strings.HasSuffix(text, own) {
		rest = rest[:len(rest)-1] // that putTOML writes before the table
	}
	delete(servers, OwnName)
	var left map[string]any
	_, err := toml.Decode(rest, &left)
	if _, there := left[c.client.section]; !there && len(servers) == 0 {
		delete(root, c.client.section)
	}
	if own == "" || err != nil || !reflect.DeepEqual(root, left) {
		return "", false, errors.New("its layout cannot be edited by this command: change the file by hand")
	}
	return rest, true, nil
}

// cutTOML is the part of the text that is the table of the entry and those within it, ""
// if it is written in another form. Comments before the next table belong to that.
func (c *Connection) cutTOML(text string) string {
	var own, after strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			name, found := strings.CutPrefix(trimmed, c.header())
			inside = found && (strings.HasPrefix(name, "]") || strings.HasPrefix(name, "."))
		}
		switch {
		case inside && (trimmed == "" || strings.HasPrefix(trimmed, "#")):
			after.WriteString(line)
		case inside:
			own.WriteString(after.String() + line)
			after.Reset()
		case own.Len() > 0:
			return own.String()
		}
	}
	return own.String()
}

func (c *Connection) haveTOML(text string) (command string, args []string, ok bool, err error) {
	var root map[string]any
	if _, err := toml.Decode(text, &root); err != nil {
		return "", nil, false, err
	}
	servers, _ := root[c.client.section].(map[string]any)
	entry, ok := servers[OwnName].(map[string]any)
	command, _ = entry["command"].(string)
	list, _ := entry["args"].([]any)
	for _, item := range list {
		text, _ := item.(string)
		args = append(args, text)
	}
	return command, args, ok, nil
}
