package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// ModuleSuffix ends the names of the files of hook modules.
const ModuleSuffix = ".js"

// Bounds on the files next to a configuration.
const (
	maxBeside      = 1000
	maxBytesBeside = 64 << 20
)

// beside are the folders next to a configuration that are used with it: that of workflows,
// and that of hook modules; the configuration may name another.
var beside = []string{"workflows", "hooks"}

// Beside are the files that are used with a trusted configuration. Nil trusts all of them.
type Beside struct {
	trust   *Trust
	path    string   // of the configuration
	folders []string // of workflows and hook modules
	named   []string // files, folders and patterns that settings name
}

// beside returns the files that are used with a configuration of this text. What is outside
// of the configuration's own folder is the operator's, and not one of theirs.
func (t *Trust) beside(path, text string) *Beside {
	b := &Beside{trust: t, path: path, folders: slices.Clone(beside)}
	if doc, _ := graph.Parse("", text); doc != nil {
		l := &loader{o: Options{Environ: t.environ}, expander: expander{environ: t.environ, dir: filepath.Dir(path)}}
		local := func(name string) string { return b.name(l.path(l.expand(name).text, filepath.Dir(path))) }
		for _, name := range filesNamed(doc.Root, settings) {
			if !apis.IsText(l.expand(name).text) {
				b.named = append(b.named, local(name))
			}
		}
		if v := doc.Root.Get("hooks").Get("modules"); v.Is(graph.String) {
			b.folders[1] = local(v.Text())
		}
	}
	outside := func(name string) bool { return name == "" }
	b.folders, b.named = slices.DeleteFunc(b.folders, outside), slices.DeleteFunc(b.named, outside)
	return b
}

// name is what a file is called here, "" of one that is outside.
func (b *Beside) name(file string) string {
	name, err := filepath.Rel(filepath.Dir(b.path), file)
	if err != nil || !filepath.IsLocal(name) {
		return ""
	}
	return filepath.ToSlash(name)
}

// inUse are the folders that have files, or may have. None of the files is read, and a link
// that leads out of the configuration's folder is not followed.
func (b *Beside) inUse() (list []string) {
	root, err := files.OpenRoot(filepath.Dir(b.path))
	if err != nil {
		return b.folders
	}
	defer root.Close() //nolint:errcheck // it was only read
	for i, folder := range b.folders {
		var entries []fs.DirEntry
		dir, err := root.OpenRoot(folder)
		if err == nil {
			entries, err = fs.ReadDir(dir.FS(), ".")
			_ = dir.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isUsed(i, e) }) {
			list = append(list, folder+"/")
		}
	}
	return list
}

// isUsed reports whether a file of the folder with this index is used.
func isUsed(folder int, e fs.DirEntry) bool {
	return !e.IsDir() && (folder == 0 && graphfiles.IsDocument(e.Name()) || folder > 0 && strings.HasSuffix(e.Name(), ModuleSuffix))
}

// hashes returns the hash of each file by its name. What cannot be read is not used either.
func (b *Beside) hashes() (map[string]string, error) {
	all, left := map[string]string{}, maxBytesBeside
	add := func(name, text string) error {
		all[name] = files.Hash(text)
		if left -= len(text); left < 0 || len(all) > maxBeside {
			return fmt.Errorf("%s has more than %d files or %d MiB", path.Dir(name), maxBeside, maxBytesBeside>>20)
		}
		return nil
	}
	for i, folder := range b.folders {
		dir := filepath.Join(filepath.Dir(b.path), folder)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !isUsed(i, e) {
				continue
			}
			text, err := files.ReadText(filepath.Join(dir, e.Name()), graph.MaxBytes)
			if err != nil {
				continue
			}
			if err := add(b.name(filepath.Join(dir, e.Name())), text); err != nil {
				return nil, err
			}
		}
	}
	return all, b.addNamed(all, add)
}

// changes says what has changed since the files were trusted with their configuration.
func (b *Beside) changes() (list []string) {
	now, err := b.hashes()
	if err != nil {
		return []string{err.Error()}
	}
	_, before := b.trust.entry(b.path)
	all := maps.Clone(before)
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch was, is := before[name], now[name]; {
		case was == is:
		case was == "":
			list = append(list, diag.Visible(name)+" is new")
		case is == "":
			list = append(list, diag.Visible(name)+" is gone")
		default:
			list = append(list, diag.Visible(name)+" has changed")
		}
	}
	return list
}

// Fault says which of the files have changed since they were trusted; nil if none has.
func (b *Beside) Fault() *diag.Fault {
	if b == nil {
		return nil
	}
	changes := b.changes()
	if len(changes) == 0 {
		return nil
	}
	return untrustedFault("%s is not trusted: since it was, %s", b.path, diag.OneOf(changes, 12))
}

// Has reports whether a file is trusted with this text.
func (b *Beside) Has(file, text string) bool {
	if b == nil || b.name(file) == "" {
		return true
	}
	_, hashes := b.trust.entry(b.path)
	return hashes[b.name(file)] == files.Hash(text)
}

// Change has an operation of the operator change the files, and trusts what it has written.
// It does nothing if the files are not as they were trusted.
func (b *Beside) Change(operation func() *diag.Fault) *diag.Fault {
	if b == nil {
		return operation()
	}
	release, err := files.Lock(b.path)
	if err != nil {
		return NotStored(err)
	}
	defer release()
	if fault := b.Fault(); fault != nil {
		return fault
	}
	if fault := operation(); fault != nil {
		return fault
	}
	hashes, err := b.hashes()
	if err == nil {
		err = b.trust.change(func(all map[string]string) {
			parts, _ := splitEntry(all[place(b.path)])
			all[place(b.path)] = joinEntry(parts, hashes)
		})
	}
	if err != nil {
		return NotStored(err)
	}
	return nil
}

// Carry has a file written, whichever it is. If it is one of these, and all were trusted, so
// is what is written.
func (b *Beside) Carry(file string, write func() error) error {
	full, err := filepath.Abs(file)
	if err != nil || b == nil || !b.includes(full) || b.Fault() != nil {
		return write()
	}
	if f := b.Change(func() *diag.Fault { err = write(); return nil }); f != nil && err == nil {
		return f
	}
	return err
}

// includes reports whether a file is one of these, or would be.
func (b *Beside) includes(file string) bool {
	_, hashes := b.trust.entry(b.path)
	return hashes[b.name(file)] != "" || slices.Contains(b.folders, b.name(filepath.Dir(file)))
}

func untrustedFault(format string, args ...any) *diag.Fault {
	return diag.Faultf(diag.CodeUntrustedFile, format, args...).WithHint("look at the file, then run patchbay trust in its folder")
}

var codeNotTrusted = diag.DefineFault("not-trusted", diag.RefusesRequest, "the trust in a file cannot be stored", "check the disk, and that there is a home directory")

// NotStored is the fault of a trust that cannot be stored.
func NotStored(err error) *diag.Fault {
	return diag.Faultf(codeNotTrusted, "the trust cannot be stored: %w", err)
}

// joinEntry is what is stored of a trusted file: the hash of its parts, and those of the
// files that are used with it as JSON, if there are any.
func joinEntry(parts string, hashes map[string]string) string {
	if len(hashes) == 0 {
		return parts
	}
	b, _ := json.Marshal(hashes) //nolint:errchkjson // a map of strings
	return parts + string(b)
}

func splitEntry(entry string) (parts string, hashes map[string]string) {
	hashes = map[string]string{}
	parts, rest, _ := strings.Cut(entry, "{")
	_ = json.Unmarshal([]byte("{"+rest), &hashes) // a damaged entry trusts none
	return parts, hashes
}
