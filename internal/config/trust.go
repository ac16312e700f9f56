package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// TrustVariable is the environment variable that trusts every file if it is "all", for
// machines whose files all come from the operator.
const TrustVariable = "PATCHBAY_TRUST"

// A Role is what a file is read as. Who reads it says so: nothing in the file does.
type Role int

// The roles of files whose trust is asked for.
const (
	AsConfiguration Role = iota // a patchbay.yaml that is found in the working directory
	AsDocument                  // a graph document that a command looks at and does not run
)

// A Trust remembers which files the operator has looked at, by their place and by what in
// them starts programs or reaches further. It is a file of the operator's.
type Trust struct {
	entries formats.Shared[map[string]string] // by place
	all     bool
	environ func(string) (string, bool)
}

// OpenTrust returns the operator's Trust. Without a home directory nothing is trusted.
func OpenTrust(environ func(string) (string, bool)) *Trust {
	l := &loader{o: Options{Environ: environ}}
	t := &Trust{environ: environ, entries: formats.Shared[map[string]string]{Format: formats.Trust, Anew: true}}
	if dir := l.folder("XDG_STATE_HOME", "LOCALAPPDATA", ".local/state", ""); dir != "" {
		t.entries.Path = filepath.Join(dir, "trust", "files.json") // a folder of its own, which can be watched
	}
	value, _ := environ(TrustVariable)
	t.all = value == "all"
	return t
}

// File is where the trust is kept, "" without a place for it.
func (t *Trust) File() string { return t.entries.Path }

// Has reports whether a file, with this text, is trusted in a role or needs no trust.
func (t *Trust) Has(role Role, path, text string) bool {
	if t.holds(role, path, text) {
		return true
	}
	_, before := t.entry(path)
	if role == AsConfiguration && len(t.beside(path, text).inUse()) > 0 {
		return false
	}
	return len(before)+len(partsNeedingTrust(role, text)) == 0
}

// holds reports whether a file, with this text, is trusted in a role, and so are the files
// that are used with it.
func (t *Trust) holds(role Role, path, text string) bool {
	if t.all {
		return true
	}
	parts, before := t.entry(path)
	if parts != hashOfParts(partsNeedingTrust(role, text)) {
		return false
	}
	now, err := t.hashes(role, path, text)
	return err == nil && maps.Equal(before, now)
}

// hashes are those of the files that are used with a file.
func (t *Trust) hashes(role Role, path, text string) (map[string]string, error) {
	if role != AsConfiguration {
		return nil, nil
	}
	return t.beside(path, text).hashes()
}

// entry is what is trusted at a path: the hash of its parts, or "", and those of the files
// that are used with it.
func (t *Trust) entry(path string) (parts string, hashes map[string]string) {
	all, _ := t.entries.Read() // what cannot be read trusts nothing
	return splitEntry(all[place(path)])
}

// place is where a file is, with the links of its folder resolved. A link to a file is a
// place of its own: relative paths in the file are relative to its folder.
func place(path string) string {
	return filepath.Join(files.Real(filepath.Dir(path)), filepath.Base(path))
}

// Add trusts a file with this text in a role.
func (t *Trust) Add(role Role, path, text string) error {
	hashes, err := t.hashes(role, path, text)
	if err != nil {
		return err
	}
	entry := joinEntry(hashOfParts(partsNeedingTrust(role, text)), hashes)
	return t.change(func(all map[string]string) { all[place(path)] = entry })
}

// Carry trusts the changed text of a configuration if the former text was trusted, or needed
// no trust.
func (t *Trust) Carry(path, before, after string) error {
	if t.holds(AsConfiguration, path, after) || !t.Has(AsConfiguration, path, before) {
		return nil
	}
	return t.Add(AsConfiguration, path, after)
}

// Remove ends the trust in a file.
func (t *Trust) Remove(path string) error {
	return t.change(func(all map[string]string) { delete(all, place(path)) })
}

func (t *Trust) change(f func(map[string]string)) error {
	if t.File() == "" {
		return errors.New("there is no folder for it: set HOME or XDG_STATE_HOME")
	}
	err := t.entries.Change(func(all *map[string]string) {
		if *all == nil {
			*all = map[string]string{}
		}
		f(*all)
	})
	if newer, ok := errors.AsType[*formats.NewerError](err); ok {
		return fmt.Errorf("%s: %w", t.File(), newer)
	}
	return err
}

// partsNeedingTrust are the values of a file that need trust in a role.
func partsNeedingTrust(role Role, text string) []part {
	doc, _ := graph.Parse("", text)
	switch {
	case doc == nil:
		return nil
	case role == AsConfiguration:
		return settingParts(doc.Root, "", settings)
	}
	m := doc.Tree().MCPServers
	if !given(m) {
		return nil
	}
	return []part{{"mcpServers", true, m}}
}

// hashOfParts is a hash of the data. Comments and layout do not matter.
func hashOfParts(parts []part) string {
	h := sha256.New()
	for _, p := range parts {
		key := p.key
		if !p.known { // it may look like the path of a setting, or hold the mark after a key
			key = strconv.Quote(key)
		}
		h.Write([]byte(key + "\x00"))
		h.Write(p.value.AppendSorted(nil))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// withhold decides whether the settings of a file that need trust are read. A file that
// the operator names, or that is in the operator's own folder, is trusted.
func (l *loader) withhold(path string, o origin) {
	full, user := l.path(path, l.o.Dir), l.folder("XDG_CONFIG_HOME", "APPDATA", ".config", "")
	if l.o.Trust == nil || l.o.Trust.all || l.o.File != "" || o.base == user {
		return
	}
	b := l.o.Trust.beside(full, o.file.Src)
	if l.o.Trust.holds(AsConfiguration, full, o.file.Src) {
		l.cfg.Beside = b
		return
	}
	l.withheld = true
	l.cfg.WorkflowsDir, l.cfg.Hooks.ModulesDir = "", ""
	parts, names := partsNeedingTrust(AsConfiguration, o.file.Src), b.inUse()
	for _, p := range parts {
		name := p.key
		if !p.known { // it may be a text for whoever reads the message
			name = "unknown keys"
		}
		names = append(names, name)
	}
	trusted, _ := l.o.Trust.entry(full)
	var since string
	if trusted != "" { // the files of others are not read
		if changes := b.changes(); len(changes) > 0 {
			since = "; since it was trusted, " + diag.OneOf(changes, 12)
		}
	}
	switch {
	case len(names) == 0 && since == "":
		return
	case len(names) == 0:
		names = beside
	}
	l.cfg.Untrusted = untrustedFault("%s is not trusted, so what it has in %s is not used%s", path, diag.OneOf(names, 12), since)
}

// Needs returns what in a file needs trust in a role, a value as it is written on each
// line, with the names of the files that are used with it. Characters that hide or forge text
// are escaped.
func (t *Trust) Needs(role Role, path, text string) []string {
	lines := []string{}
	for _, p := range partsNeedingTrust(role, text) {
		lines = appendWritten(lines, shownKey(p.key), p.value)
	}
	hashes, _ := t.hashes(role, path, text)
	for _, name := range slices.Sorted(maps.Keys(hashes)) {
		lines = append(lines, "the file "+diag.Visible(name))
	}
	return lines
}

// appendWritten appends a line for each value under a key.
func appendWritten(lines []string, key string, v graph.Value) []string {
	if v.Len() == 0 || !v.Is(graph.Object) {
		return append(lines, diag.Visible(key+": "+string(v.JSON())))
	}
	for name, member := range v.Members() {
		lines = appendWritten(lines, key+"."+shownKey(name), member)
	}
	return lines
}

// shownKey is a key of a file, quoted unless it is a plain word.
func shownKey(key string) string {
	if strings.ContainsFunc(key, func(r rune) bool { return r != '.' && notInProject(r) }) {
		return strconv.Quote(key)
	}
	return key
}
