package command

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// A FileKind is what a command looks for in folders.
type FileKind struct {
	Name  string                   // in the plural
	None  diag.Fault               // if there are none
	Is    func(path string) bool   // whether a file is one; it may read the file
	Other func(path string) string // what a file that is named is instead, by its name; "" if it may be one
}

var codeNoGraphs = diag.DefineFault("no-graphs", diag.RefusesRequest, "the folders and patterns have no graph documents, or the file is of another kind", "name a file, or a folder that has some")

// GraphKind is graph documents, and functions where they are named.
var GraphKind = FileKind{
	Name: "graph documents", Is: isGraph, Other: otherThanGraph,
	None: diag.Fault{Code: codeNoGraphs, Hint: "a graph document is a *.yaml, *.yml or *.json file with tools or nodes; test files, settings, hidden folders and node_modules are skipped"},
}

// A found is what the arguments of a command that takes many files stand for.
type found struct {
	Files []string // sorted within each argument, each once
	many  bool     // whether a folder, a glob or several files were named
}

// Find expands folders and globs to the files of a kind. A file that is named stays,
// unless others are named too and it is of another kind, as shells expand *.yaml.
func (k *FileKind) Find(args []string) (*found, error) {
	f := &found{many: len(args) > 1}
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case arg == "-":
			f.Files = append(f.Files, arg)
		case err == nil && info.IsDir():
			f.many = true
			err = k.walk(f, arg, nil)
		case err != nil && strings.ContainsAny(arg, "*?["):
			f.many = true
			err = k.glob(f, arg)
		case err != nil:
			return nil, Unreadable(arg, files.Reason(err))
		case len(args) == 1:
			if what := k.Other(arg); what != "" {
				return nil, k.noneIn(arg + " is " + what)
			}
			f.Files = append(f.Files, arg)
		case k.Is(arg):
			f.Files = append(f.Files, arg)
		}
		if err != nil && arg != "-" {
			return nil, err
		}
	}
	seen := map[string]bool{}
	f.Files = slices.DeleteFunc(f.Files, func(path string) bool {
		again := seen[path]
		seen[path] = true
		return again
	})
	if len(f.Files) == 0 {
		return nil, k.noneIn("there are no " + k.Name + " in " + strings.Join(args, ", "))
	}
	return f, nil
}

func (k *FileKind) noneIn(message string) *diag.Fault {
	f := k.None
	f.Message = message
	return &f
}

// walk adds the files of a kind below a folder whose path matches, in lexical order.
func (k *FileKind) walk(f *found, dir string, matches *regexp.Regexp) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && skipped(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !isDocument(path) || matches != nil && !matches.MatchString(filepath.ToSlash(path)):
			return nil
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && k.Is(path) {
			f.Files = append(f.Files, path)
		}
		return nil
	})
}

// skipped reports whether folders of a name are not looked into.
func skipped(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// glob adds the files of a kind that a pattern names: * and ? stay within a folder, **
// is any number of folders.
func (k *FileKind) glob(f *found, pattern string) error {
	matches, err := globPattern(filepath.ToSlash(filepath.Clean(pattern)))
	if err != nil {
		return Misuse("", fmt.Sprintf("%q is not a pattern: %v", pattern, err), "* and ? match within a folder, ** any number of folders, [abc] one of some characters")
	}
	base := filepath.Clean(pattern)
	for strings.ContainsAny(base, "*?[") {
		base = filepath.Dir(base)
	}
	if _, err := os.Stat(base); err != nil {
		return nil // nothing matches
	}
	return k.walk(f, base, matches)
}

// globPattern is the regular expression of a glob.
func globPattern(glob string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteByte('^')
	for rest := glob; rest != ""; {
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			rest = rest[3:]
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			rest = rest[2:]
		case rest[0] == '*':
			b.WriteString("[^/]*")
			rest = rest[1:]
		case rest[0] == '?':
			b.WriteString("[^/]")
			rest = rest[1:]
		case rest[0] == '[' && strings.Contains(rest, "]"):
			set, after, _ := strings.Cut(rest[1:], "]")
			if inverse, ok := strings.CutPrefix(set, "!"); ok {
				set = "^" + inverse
			}
			b.WriteString("[" + strings.ReplaceAll(set, `\`, `\\`) + "]")
			rest = after
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			rest = rest[1:]
		}
	}
	return regexp.Compile(b.String() + "$")
}

// isDocument reports whether a file is YAML or JSON, by its name.
func isDocument(path string) bool {
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// IsTest reports whether a file holds tests, by its name.
func IsTest(path string) bool {
	return isDocument(path) && strings.HasSuffix(strings.TrimSuffix(path, filepath.Ext(path)), ".test")
}

// isSettings reports whether a file configures patchbay or another program, by its name.
func isSettings(path string) bool {
	return slices.Contains([]string{"patchbay.yaml", "patchbay.yml", "mcp.json", ".mcp.json", "package.json"}, filepath.Base(path))
}

// otherThanGraph says what a file is that is not a graph document, by its name.
func otherThanGraph(path string) string {
	switch {
	case IsTest(path):
		return "a test file: patchbay test runs it"
	case isSettings(path):
		return "a file of settings, not a graph document"
	}
	return ""
}

// isGraph reports whether a file is a graph document, or a broken one, or a function.
func isGraph(path string) bool {
	if otherThanGraph(path) != "" {
		return false
	}
	text, err := files.ReadText(path, MaxInput)
	if err != nil {
		return true // the command says what is wrong with it
	}
	if codein.Is(text) {
		return true
	}
	doc, _ := graph.Parse(path, text)
	if doc == nil {
		return strings.Contains(text, "nodes")
	}
	for _, t := range doc.Tools() {
		for _, n := range t.Nodes {
			if n.ID.Exists() || n.Next.Exists() {
				return true
			}
		}
	}
	return doc.Root.Get("tools").Is(graph.Array)
}
