// Package permissions keeps what a person has permitted beyond one run: the calls of tools, for
// good or for the session of a client.
package permissions

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/files"
	"github.com/patchbay-mcp/patchbay/internal/formats"
	"github.com/patchbay-mcp/patchbay/run"
)

// maxFile is the size in bytes of the largest file that is read.
const maxFile = 16 << 20

// A Given is a permission, and when it was given.
type Given struct {
	run.Permission
	At time.Time `json:"at"`
}

// Store keeps permissions in a file that processes share, or in memory. It is safe for
// concurrent use.
type Store struct {
	file string

	mu   sync.Mutex
	seen fs.FileInfo // of what was read
	list []Given
	err  error
}

// Open returns the permissions in a file, which need not exist; "" is memory.
func Open(file string) *Store { return &Store{file: file} }

// Has reports whether the calls of a tool are permitted: for good with the configuration of p,
// or in the session of p. What cannot be read permits nothing.
func (s *Store) Has(p run.Permission) bool {
	list, err := s.List()
	return err == nil && slices.ContainsFunc(list, func(g Given) bool {
		where := g.Session != "" && g.Session == p.Session || g.Session == "" && g.Config != "" && g.Config == p.Config
		return where && g.Server == p.Server && g.Tool == p.Tool && g.Definition == p.Definition
	})
}

// List returns the permissions, the latest last.
func (s *Store) List() ([]Given, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == "" {
		return slices.Clone(s.list), nil
	}
	info, _ := os.Stat(s.file)
	if info == nil || !files.Unchanged(s.seen, info) {
		text, err := files.Read(s.file, maxFile)
		if errors.Is(err, fs.ErrNotExist) {
			text, err = nil, nil
		}
		s.seen, s.err = info, err
		if err == nil {
			s.list, s.err = decode(text)
		}
	}
	return slices.Clone(s.list), s.err
}

// longestSession is how long a permission for a session is kept, should its process not end it.
const longestSession = 7 * 24 * time.Hour

// Add keeps a permission. It replaces that of the same tool in the same place.
func (s *Store) Add(p run.Permission, now time.Time) error {
	return s.change(func(list []Given) []Given {
		list = slices.DeleteFunc(list, func(g Given) bool {
			return g.Session != "" && now.Sub(g.At) > longestSession || g.Config == p.Config && g.Server == p.Server && g.Tool == p.Tool && g.Session == p.Session
		})
		return append(list, Given{p, now.UTC().Truncate(time.Second)})
	})
}

// Revoke removes the permissions of a tool with a configuration, in sessions too, and returns
// how many there were.
func (s *Store) Revoke(config, server, tool string) (removed int, err error) {
	err = s.change(func(list []Given) []Given {
		left := slices.DeleteFunc(slices.Clone(list), func(g Given) bool { return g.Config == config && g.Server == server && g.Tool == tool })
		removed = len(list) - len(left)
		return left
	})
	return removed, err
}

// End removes the permissions of the sessions of a process, whose names begin so.
func (s *Store) End(process string) error {
	of := func(g Given) bool { return strings.HasPrefix(g.Session, process) }
	if list, err := s.List(); err != nil || !slices.ContainsFunc(list, of) {
		return err
	}
	return s.change(func(list []Given) []Given { return slices.DeleteFunc(list, of) })
}

func (s *Store) change(f func([]Given) []Given) error {
	if s.file == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list = f(s.list)
		return nil
	}
	return files.Update(s.file, 0o600, func(old []byte) ([]byte, error) {
		list, err := decode(old)
		if err != nil {
			return nil, err
		}
		text, err := json.MarshalIndent(formats.Permissions.Wrap(f(list)), "", "  ")
		return append(text, '\n'), err
	})
}

func decode(text []byte) (list []Given, err error) {
	if len(text) > 0 {
		err = formats.Permissions.Decode(text, &list)
	}
	return list, err
}
