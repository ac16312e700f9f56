package plans

import (
	"context"
	"errors"
	"os"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/serverfile"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// AddServersInput says which servers to add to patchbay.yaml.
type AddServersInput struct {
	Source  string   `json:"source,omitempty" flag:"-" jsonschema:"JSON as READMEs print it, a URL, npm:NAME or pypi:NAME"`
	Command []string `json:"command,omitempty" flag:"-" jsonschema:"in place of source, a program and its arguments"`
	Name    string   `json:"name,omitempty" flag:"-" jsonschema:"the name of the only server"`
	Change  string   `json:"change,omitempty" flag:"-" jsonschema:"the change that a person has seen and agrees to; without it nothing is written"`
}

// AddServersResult is a change of patchbay.yaml that adds servers.
type AddServersResult struct {
	File    string             `json:"file"`
	Servers []serverfile.Entry `json:"servers"`
	Starts  []string           `json:"starts"` // what it starts or reaches, as patchbay trust shows it
	Diff    string             `json:"diff"`
	Change  string             `json:"change"` // identifies it
	Written bool               `json:"written"`
	Said    string             `json:"said,omitempty"`
}

var (
	codeNotAdded    = diag.DefineFault("server-not-added", diag.RefusesRequest, "servers cannot be added to `patchbay.yaml`", "read the message")
	codeOtherChange = diag.DefineFault("other-change", diag.RefusesRequest, "`patchbay.yaml` or the source is not what the person has seen who agreed", "show the change again")
)

// AddServers returns how patchbay.yaml changes if servers are added, and changes it if that is
// the change that a person has seen. A program that follows the file starts them.
func (ds *Downstream) AddServers(_ context.Context, in AddServersInput) (*AddServersResult, *diag.Fault) {
	cfg := ds.plans.process.Config()
	if cfg.NoFile {
		return nil, diag.Faultf(codeNotAdded, "the program reads no patchbay.yaml")
	}
	entries, err := in.entries()
	if err != nil {
		return nil, notAdded(err)
	}
	c, err := serverfile.Begin(cfg.Named, config.OpenTrust(os.LookupEnv))
	if err != nil {
		return nil, notAdded(err)
	}
	defer c.Release()
	if err := c.Refusal(); err != nil {
		return nil, notAdded(err)
	}
	r := &AddServersResult{File: c.Path, Servers: entries}
	if r.Said, err = c.Add(entries, false); err != nil {
		return nil, notAdded(err)
	}
	if _, err = c.Check(); err != nil {
		return nil, notAdded(err)
	}
	r.Starts, r.Diff, r.Change = c.Starts(), c.Diff(), files.Hash(c.Before+"\x00"+c.After)
	switch {
	case in.Change == "":
		return r, nil
	case in.Change != r.Change:
		return nil, diag.Faultf(codeOtherChange, "%s or the source has changed since the change was shown", c.Path)
	}
	if err := c.Write(); err != nil {
		return nil, notAdded(err)
	}
	r.Written = true
	return r, nil
}

// entries are the servers that the input means, each with a name.
func (in *AddServersInput) entries() (all []serverfile.Entry, err error) {
	if len(in.Command) > 0 {
		e, err := serverfile.Command(in.Name, in.Command)
		all = append(all, e)
		if err != nil {
			return nil, err
		}
	} else if all, err = serverfile.Sources(in.Name, in.Source); err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Name == "" {
			return nil, errors.New("the entry has no name")
		}
		all[i].NoteRunner()
	}
	return all, nil
}

// notAdded is the fault of an error that kept servers from being added.
func notAdded(err error) *diag.Fault {
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		return f
	}
	return diag.Faultf(codeNotAdded, "%v", err)
}
