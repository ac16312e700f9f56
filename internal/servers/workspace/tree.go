package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

type treeEntry struct {
	Name     string        `json:"name"`
	Type     string        `json:"type"`
	Children *[]*treeEntry `json:"children,omitempty"` // nil for a file
}

// tree returns everything below a directory as indented JSON.
func (f *folder) tree(ctx context.Context, a args) (string, error) {
	rel, err := f.resolve(a.Path)
	if err != nil {
		return "", err
	}
	w := &treeWalk{folder: f, ctx: ctx, path: a.Path}
	for _, p := range a.ExcludePatterns {
		patterns := []string{p}
		if !strings.Contains(p, "*") {
			// A plain name leaves out what bears it, at any depth.
			patterns = append(patterns, "**/"+p, "**/"+p+"/**")
		}
		for _, p := range patterns {
			g, err := compileGlob(p)
			if err != nil {
				return "", err
			}
			w.exclude = append(w.exclude, g)
		}
	}
	entries, err := w.below(rel, "", 0)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(entries); err != nil {
		return "", err
	}
	return strings.TrimSpace(out.String()), nil
}

type treeWalk struct {
	*folder
	ctx     context.Context
	path    string
	exclude []*glob
	seen    int
}

// below returns the entries of dir, whose path within the tree is at.
func (w *treeWalk) below(dir, at string, depth int) ([]*treeEntry, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	if depth > maxTreeDepth {
		return nil, fmt.Errorf("the tree below %q is more than %d directories deep; start in a subdirectory", w.path, maxTreeDepth)
	}
	list, err := w.entries(dir, path.Join(w.path, at))
	if err != nil {
		return nil, err
	}
	out := []*treeEntry{}
	for _, e := range list {
		name := path.Join(at, e.Name())
		if matchAny(w.exclude, name) {
			continue
		}
		if w.seen++; w.seen > maxTreeEntries {
			return nil, fmt.Errorf("the tree below %q has more than %d entries; start in a subdirectory, or exclude paths with excludePatterns", w.path, maxTreeEntries)
		}
		entry := &treeEntry{Name: e.Name(), Type: "file"}
		if e.IsDir() {
			entry.Type = "directory"
			children, err := w.below(path.Join(dir, e.Name()), name, depth+1)
			if err != nil {
				return nil, err
			}
			entry.Children = &children
		}
		out = append(out, entry)
	}
	return out, nil
}
