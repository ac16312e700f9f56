package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/files"
	"github.com/patchbay-mcp/patchbay/internal/formats"
)

// TrustVariable is the environment variable that trusts every file if it is "all", for
// machines whose files all come from the operator.
const TrustVariable = "PATCHBAY_TRUST"

// harmless are the keys of a patchbay.yaml that need no trust: they bound or keep what
// happens, and start, reach or offer nothing. Every other key does.
var harmless = []string{"limits", "runs", "shutdown", "learn", "exposeMax", "project", "graphs", "packs", "secrets", "cache"}

// A Trust remembers which files the operator has looked at, by their place and by what in
// them starts programs or reaches further. It is a file of the operator's.
type Trust struct {
	file string
	all  bool
}

// OpenTrust returns the operator's Trust. Without a home directory nothing is trusted.
func OpenTrust(environ func(string) (string, bool)) *Trust {
	l := &loader{o: Options{Environ: environ}}
	t := &Trust{}
	if dir := l.folder("XDG_STATE_HOME", "LOCALAPPDATA", ".local/state", ""); dir != "" {
		t.file = filepath.Join(dir, "trust", "files.json") // a folder of its own, which can be watched
	}
	value, _ := environ(TrustVariable)
	t.all = value == "all"
	return t
}

// File is where the trust is kept, "" without a place for it.
func (t *Trust) File() string { return t.file }

// Has reports whether a file, with this text, is trusted or needs no trust.
func (t *Trust) Has(path, text string) bool {
	_, needed := needsTrust(text)
	return !needed || t.holds(path, text)
}

// holds reports whether a file, with this text, is trusted.
func (t *Trust) holds(path, text string) bool {
	want, _ := needsTrust(text)
	if t.all {
		return true
	}
	all, _ := t.read()
	return all[realPath(path)] == want
}

// Add trusts a file with this text.
func (t *Trust) Add(path, text string) error {
	hash, _ := needsTrust(text)
	return t.change(func(all map[string]string) { all[realPath(path)] = hash })
}

// Remove ends the trust in a file.
func (t *Trust) Remove(path string) error {
	return t.change(func(all map[string]string) { delete(all, realPath(path)) })
}

// read returns the hashes by path. A damaged file trusts nothing, and neither does one of
// a newer format, which is an error.
func (t *Trust) read() (map[string]string, error) {
	all := map[string]string{}
	if t.file == "" {
		return all, nil
	}
	b, err := files.Read(t.file, 16<<20)
	if err != nil {
		return all, nil //nolint:nilerr // what cannot be read trusts nothing
	}
	err = formats.Trust.Decode(b, &all)
	if newer, ok := errors.AsType[*formats.NewerError](err); ok {
		return map[string]string{}, fmt.Errorf("%s: %w", t.file, newer)
	}
	return all, nil
}

func (t *Trust) change(f func(map[string]string)) error {
	if t.file == "" {
		return errors.New("there is no folder for it: set HOME or XDG_STATE_HOME")
	}
	return files.Update(t.file, 0o600, func([]byte) ([]byte, error) {
		all, err := t.read()
		if err != nil {
			return nil, err
		}
		f(all)
		b, err := json.MarshalIndent(formats.Trust.Wrap(all), "", "  ")
		return append(b, '\n'), err
	})
}

// needsTrust returns a hash of what in a patchbay.yaml or a graph document needs trust, and
// whether anything does. Comments and layout do not matter.
func needsTrust(text string) (hash string, needed bool) {
	doc, _ := graph.Parse("", text)
	h := sha256.New()
	if doc == nil {
		return "", false
	}
	keys := doc.Root.Keys()
	slices.Sort(keys)
	isGraph := doc.Root.Get("nodes").Exists() || doc.Root.Get("tools").Exists()
	for _, key := range keys {
		v := doc.Root.Get(key)
		if v.Is(graph.Null) || slices.Contains(harmless, key) || isGraph && key != "mcpServers" {
			continue
		}
		needed = true
		h.Write([]byte(key + "\x00"))
		h.Write(v.AppendSorted(nil))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)), needed
}

// withhold decides whether the settings of a file that need trust are read. A file that
// the operator names, or that is in the operator's own folder, is trusted.
func (l *loader) withhold(path string, o origin) {
	user := l.folder("XDG_CONFIG_HOME", "APPDATA", ".config", "")
	if l.o.Trust == nil || l.o.File != "" || o.base == user || l.o.Trust.holds(l.path(path, l.o.Dir), o.file.Src) {
		return
	}
	_, err := os.Stat(l.cfg.WorkflowsDir)
	l.cfg.WorkflowsDir = ""
	if l.o.Trust.Has(l.path(path, l.o.Dir), o.file.Src) {
		if err == nil {
			l.cfg.Untrusted = diag.Faultf("untrusted-file", "%s is not trusted: the workflows next to it are not used", path)
			l.cfg.Untrusted.Hint = "look at them, then run patchbay trust in its folder"
		}
		return
	}
	l.withheld = true
	l.cfg.Untrusted = diag.Faultf("untrusted-file", "%s is not trusted: its servers, and what it lets graphs reach, are not used", path)
	l.cfg.Untrusted.Hint = "look at the file, then run patchbay trust in its folder"
}

// unstarted makes a reason of the distrust in a file for not starting what it defines.
func unstarted(s *Server, path string) {
	s.Problem = diag.Faultf("untrusted-file", "%s defines it and is not trusted", path)
	s.Problem.Hint = "--connect starts it for this command; patchbay trust " + path + " trusts the file"
}
