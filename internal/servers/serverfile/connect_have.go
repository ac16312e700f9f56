package serverfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/config"
)

// Have returns what the client's file has as the entry, and whether it has one. Where the
// file has entries for one project each, that of the project counts before that of the user.
func (c *Connection) Have(text string) (command string, args []string, ok bool, err error) {
	if c.toml() {
		return c.haveTOML(text)
	}
	ofProject, ofUser, err := c.client.servers(text, c.dir)
	if err != nil {
		return "", nil, false, err
	}
	for _, in := range []json.RawMessage{ofProject, ofUser} {
		var servers map[string]json.RawMessage
		if json.Unmarshal(in, &servers) != nil || servers[OwnName] == nil {
			continue
		}
		var entry struct {
			Command any
			Args    []any
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

// servers returns the maps of servers of a text in JSON: the one that it has for the project
// in dir only, nil where the client has no such maps, and the other.
func (c *client) servers(text, dir string) (ofProject, all json.RawMessage, err error) {
	root, err := parseObject(withoutCommas(config.BlankComments(text)))
	if err != nil || !c.nested {
		return nil, root[c.section], err
	}
	var projects map[string]map[string]json.RawMessage
	_ = json.Unmarshal(root["projects"], &projects) // a project of another form has no servers
	project := projects[dir]
	if real, err := filepath.EvalSymlinks(dir); project == nil && err == nil {
		project = projects[real]
	}
	return project[c.section], root[c.section], nil
}

// parseObject reads the members of an object of JSON, none of an empty text. The files of clients
// may be larger than documents of ours: one keeps its history there.
func parseObject(text string) (map[string]json.RawMessage, error) {
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
