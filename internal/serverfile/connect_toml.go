package serverfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// header begins the table of the entry.
func (c *Connection) header() string { return "[" + c.host.section + "." + OwnName }

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
		items := make([]string, len(list))
		for i, item := range list {
			items[i] = valueTOML(item)
		}
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
	case had && c.cutTOML(text) == c.tableTOML():
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
	servers, _ := root[c.host.section].(map[string]any)
	if _, there := servers[OwnName]; !there {
		return text, false, nil
	}
	own := c.cutTOML(text)
	if own == "" {
		return "", false, errors.New("its layout cannot be edited by this command: change the file by hand")
	}
	return strings.Replace(text, own, "", 1), true, nil
}

// cutTOML is the part of the text that is the table of the entry and those within it, "" if
// it is written in another form.
func (c *Connection) cutTOML(text string) string {
	var own strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "[") {
			rest, found := strings.CutPrefix(trimmed, c.header())
			inside = found && (strings.HasPrefix(rest, "]") || strings.HasPrefix(rest, "."))
		}
		if inside {
			own.WriteString(line)
		} else if own.Len() > 0 {
			break
		}
	}
	if own.Len() == 0 {
		return ""
	}
	return strings.TrimRight(own.String(), "\n") + "\n"
}

func (c *Connection) haveTOML(text string) (command string, args []string, ok bool, err error) {
	var root map[string]any
	if _, err := toml.Decode(text, &root); err != nil {
		return "", nil, false, err
	}
	servers, _ := root[c.host.section].(map[string]any)
	entry, ok := servers[OwnName].(map[string]any)
	command, _ = entry["command"].(string)
	list, _ := entry["args"].([]any)
	for _, item := range list {
		text, _ := item.(string)
		args = append(args, text)
	}
	return command, args, ok, nil
}
