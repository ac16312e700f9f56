package serverfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// Have returns what the client's file has as the entry, and whether it has one. Where the
// file has entries for one project each, that of the project counts before that of the user.
func (c *Connection) Have(text string) (command string, args []string, ok bool, err error) {
	if c.toml() {
		return c.haveTOML(text)
	}
	root, err := objectOf(withoutCommas(config.BlankComments(text)))
	if err != nil {
		return "", nil, false, err
	}
	for _, servers := range c.servers(root) {
		var entry struct {
			Command any
			Args    []any
		}
		if servers[OwnName] == nil {
			continue
		}
		_ = json.Unmarshal(servers[OwnName], &entry) // what is of another type counts as missing
		command, _ = entry.Command.(string)
		for _, a := range entry.Args {
			text, _ := a.(string)
			args = append(args, text)
		}
		return command, args, true, nil
	}
	return "", nil, false, nil
}

// servers are the maps of servers of a file, the one that counts first.
func (c *Connection) servers(root map[string]json.RawMessage) (all []map[string]json.RawMessage) {
	if c.host.nested {
		var projects map[string]json.RawMessage
		var project, servers map[string]json.RawMessage
		if json.Unmarshal(root["projects"], &projects) == nil && json.Unmarshal(projects[c.dir], &project) == nil && json.Unmarshal(project[c.host.section], &servers) == nil {
			all = append(all, servers)
		}
	}
	var servers map[string]json.RawMessage
	if json.Unmarshal(root[c.host.section], &servers) == nil {
		all = append(all, servers)
	}
	return all
}

// objectOf reads the members of an object of JSON, none of an empty text. The files of clients
// may be larger than documents of ours: one keeps its history there.
func objectOf(text string) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if strings.TrimSpace(text) == "" {
		return members, nil
	}
	err := json.Unmarshal([]byte(text), &members)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, fmt.Errorf("line %d: %w", 1+strings.Count(text[:syntax.Offset], "\n"), err)
	}
	if err != nil || members == nil {
		return nil, errors.New("it is not a map")
	}
	return members, nil
}
