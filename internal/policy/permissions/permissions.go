// Package permissions keeps what a person has permitted beyond one run: the calls of tools, for
// good or for the session of a client.
package permissions

import (
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Given is a permission, and when it was given.
type Given struct {
	run.Permission
	At time.Time `json:"at"`
}

// Name is the tool, as server/tool.
func (g Given) Name() string { return g.Server + "/" + g.Tool }

// Allow is for how long the calls are permitted, as a person chooses it.
func (g Given) Allow() string {
	if g.Session != "" {
		return run.AllowSession
	}
	return run.AllowAlways
}

// Store keeps permissions in a file that processes share, or in memory. It is safe for
// concurrent use.
type Store struct{ file formats.Shared[[]Given] }

// Open returns the permissions in a file, which need not exist; "" is memory.
func Open(file string) *Store {
	return &Store{formats.Shared[[]Given]{Path: file, Format: formats.Permissions}}
}

// Has reports whether the calls of a tool are permitted: for good with the configuration of p,
// or in the session of p. What cannot be read permits nothing.
func (s *Store) Has(p run.Permission) bool {
	list, err := s.List(p.Config)
	return err == nil && slices.ContainsFunc(list, func(g Given) bool {
		return (g.Session == p.Session || g.Session == "" && p.Config != "") && g.Server == p.Server && g.Tool == p.Tool && g.Definition == p.Definition
	})
}

// List returns the permissions with a configuration that have not ended, the latest last.
func (s *Store) List(config string) ([]Given, error) {
	all, err := s.file.Read()
	return slices.DeleteFunc(append([]Given{}, all...), func(g Given) bool { return g.Config != config || g.ended(time.Now()) }), err
}

func (g Given) ended(now time.Time) bool { return g.Session != "" && now.Sub(g.At) > longestSession }

// longestSession is how long a permission for a session is kept: its end may not be seen.
const longestSession = 24 * time.Hour

// Add keeps a permission. It replaces that of the same tool in the same place.
func (s *Store) Add(p run.Permission, now time.Time) error {
	return s.file.Change(func(list *[]Given) {
		*list = slices.DeleteFunc(*list, func(g Given) bool {
			return g.ended(now) || g.Config == p.Config && g.Server == p.Server && g.Tool == p.Tool && g.Session == p.Session
		})
		*list = append(*list, Given{p, now.UTC().Truncate(time.Second)})
	})
}

// Revoke removes the permissions of a tool with a configuration, in sessions too, and reports
// whether there were any.
func (s *Store) Revoke(config, server, tool string) (removed bool, err error) {
	err = s.file.Change(func(list *[]Given) {
		before := len(*list)
		*list = slices.DeleteFunc(*list, func(g Given) bool { return g.Config == config && g.Server == server && g.Tool == tool })
		removed = len(*list) < before
	})
	return removed, err
}
