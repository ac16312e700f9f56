// Package packs reads knowledge packs: descriptions of the nodes of other systems,
// as specs to search and to check against. It reports what is wrong in one.
package packs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Limits of a pack: a larger one is refused with the limit named.
const (
	maxPackFiles = 5000
	maxPackFile  = 4 << 20 // bytes
)

// manifestNames are the files that describe a pack as a whole.
var manifestNames = []string{"pack.yaml", "pack.yml", "pack.json"}

// A Pack is knowledge about the nodes of another workflow system: a folder of
// files of nodes and, unless its name is to be that of the folder and its types are
// those of the nodes, a manifest, pack.yaml. All are YAML or JSON in the form of
// [PackSchema], or as other catalogs serialise their specifications.
type Pack struct {
	Name        string // a slug; the specs' Source is "pack:<name>"
	Title       string
	Version     string
	Description string
	NodeTypes   map[string]string // what each type of node is
	Specs       []*specs.Spec     // by id; only those without an error
}

// A Finding is one thing wrong in a pack, and where. Line and Column are
// 1-based, 0 when no place is known; Path is a JSON Pointer into the file.
type Finding struct {
	File     string        `json:"file"`
	Line     int           `json:"line,omitempty"`
	Column   int           `json:"column,omitempty"`
	Path     string        `json:"path"`
	Code     string        `json:"code"`
	Severity diag.Severity `json:"severity"` // Error: the node is left out; Warning: it is kept
	Message  string        `json:"message"`
	Hint     string        `json:"hint,omitempty"`
}

// violation is what breaks a rule at a path, before it has a place.
func violation(r *diag.Rule, path, message, hint string) Finding {
	return Finding{Path: path, Code: r.Code, Severity: r.Severity, Message: message, Hint: hint}
}

// String is the finding as compilers print theirs.
func (f Finding) String() string {
	where := f.File
	if f.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
	text := fmt.Sprintf("%s: %s: %s [%s]", where, f.Severity, f.Message, f.Code)
	if f.Hint != "" {
		text += "\n    " + f.Hint
	}
	return text
}

// HasErrors reports whether any finding is an error.
func HasErrors(list []Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Severity == diag.Error })
}

// LoadPack reads and checks the pack in a directory. What is wrong inside its
// files comes as findings, in order of file and place, and the nodes concerned
// are left out; the error is for a directory that cannot be read or is not a pack.
func LoadPack(dir string) (*Pack, []Finding, error) {
	root, err := files.OpenRoot(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read knowledge pack %s: %w", dir, files.Reason(err))
	}
	defer func() { _ = root.Close() }() // only read
	p, found, err := readPack(files.Tree{Root: root}, slug(filepath.Base(dir)))
	if err != nil {
		return nil, nil, fmt.Errorf("read knowledge pack %s: %w", dir, err)
	}
	return p, found, nil
}

// ReadPack is [LoadPack] for the root of a file system.
func ReadPack(fsys fs.FS) (*Pack, []Finding, error) { return readPack(fsys, "unnamed") }

// readPack reads a pack that has the name unless a manifest says another.
func readPack(fsys fs.FS, name string) (*Pack, []Finding, error) {
	names, err := packFiles(fsys)
	if err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		return nil, nil, errors.New("there is no pack.yaml and no other file of nodes")
	}
	at := slices.IndexFunc(names, func(n string) bool { return slices.Contains(manifestNames, n) })
	l := &linter{}
	p := &Pack{Name: name}
	if at >= 0 {
		p = l.manifest(readPackFile(fsys, names[at]))
	}
	for i, name := range names {
		if i == at {
			continue
		}
		if slices.Contains(manifestNames, name) {
			l.report(&packFile{name: name}, violation(ruleDuplicateManifest, "", "the pack is already described by "+names[at], "keep one of the two"))
			continue
		}
		l.file(readPackFile(fsys, name))
	}
	p.Specs = l.specs(p)
	if p.NodeTypes == nil {
		p.NodeTypes = typesWithoutManifest(p.Specs)
	}
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Path, b.Path))
	})
	return p, l.found, nil
}

// slug makes the name of a folder that of a pack.
func slug(name string) string {
	name = strings.Trim(strings.Map(func(c rune) rune {
		if c |= 0x20; 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			return c
		}
		return '-'
	}, name), "-")
	return cmp.Or(name, "unnamed")
}

// typesWithoutManifest are the types of nodes without a manifest that describes them.
func typesWithoutManifest(list []*specs.Spec) map[string]string {
	types := map[string]string{}
	for _, s := range list {
		types[s.NodeType] = ""
	}
	return types
}

// packFiles are the names of a pack's files, sorted; hidden ones are left out.
func packFiles(fsys fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := path.Base(name); name != "." && strings.HasPrefix(base, ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		switch path.Ext(name) {
		case ".yaml", ".yml", ".json":
		default:
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		if names = append(names, name); len(names) > maxPackFiles {
			return fmt.Errorf("more than %d files", maxPackFiles)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// packNode is a node as a file has it.
type packNode struct {
	NodeType    string            `json:"node_type"`
	Subtype     string            `json:"subtype"`
	Version     string            `json:"version"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Category    string            `json:"category"`
	Tags        []string          `json:"tags"`
	Intents     []string          `json:"intents"`
	Aliases     []string          `json:"aliases"`
	Parameters  []specs.Parameter `json:"parameters"`
	InputPorts  []specs.Port      `json:"input_ports"`
	OutputPorts []specs.Port      `json:"output_ports"`
	Examples    []packExample     `json:"examples"`
}

type packExample struct {
	Title      string          `json:"title"`
	Parameters json.RawMessage `json:"parameters"`
	Result     json.RawMessage `json:"result"`
}

// spec is the node as the catalog has it.
func (n *packNode) spec(p *Pack) *specs.Spec {
	s := &specs.Spec{
		NodeType: n.NodeType, Subtype: n.Subtype, Version: cmp.Or(n.Version, p.Version),
		Title: n.Title, Description: n.Description, Category: cmp.Or(n.Category, p.Title, p.Name),
		Tags: n.Tags, Intents: n.Intents, Aliases: n.Aliases, Source: "pack:" + p.Name,
		Parameters: n.Parameters, InputPorts: n.InputPorts, OutputPorts: n.OutputPorts,
		NotRunnable: true,
	}
	for _, e := range n.Examples {
		s.Examples = append(s.Examples, specs.Example{Title: e.Title, Parameters: e.Parameters, Result: e.Result})
	}
	s.Skeleton = skeleton(s)
	return s
}
