package workspace

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// search returns the full paths of what matches a.Pattern below a.Path. A
// directory that cannot be read, and a link to outside, are passed over.
func (f *folder) search(ctx context.Context, a args) (string, error) {
	rel, err := f.resolve(a.Path)
	if err != nil {
		return "", err
	}
	want, err := compileGlob(a.Pattern)
	if err != nil {
		return "", err
	}
	var exclude []*glob
	for _, p := range a.ExcludePatterns {
		g, err := compileGlob(p)
		if err != nil {
			return "", err
		}
		exclude = append(exclude, g)
	}
	if _, err := f.entries(rel, a.Path); err != nil {
		return "", err
	}
	var found []string
	visited := 0
	var walk func(dir, at string) error
	walk = func(dir, at string) error {
		list, err := f.entries(dir, dir)
		if err != nil {
			return nil
		}
		for _, e := range list {
			if err := ctx.Err(); err != nil {
				return err
			}
			if visited++; visited > maxVisited {
				return fmt.Errorf("%q contains more than %d entries, the maximum for a search; start in a subdirectory, or exclude paths with excludePatterns", a.Path, maxVisited)
			}
			name, full := path.Join(at, e.Name()), path.Join(dir, e.Name())
			if !e.Type().IsRegular() && !e.IsDir() {
				if _, err := f.resolve(full); err != nil {
					continue
				}
			}
			if matchAny(exclude, name) {
				continue
			}
			if want.match(name) {
				if len(found) == maxMatches {
					return fmt.Errorf("more than %d paths match %q; use a narrower pattern", maxMatches, a.Pattern)
				}
				found = append(found, filepath.Join(f.real, full))
			}
			if e.IsDir() {
				if err := walk(full, name); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := walk(rel, ""); err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "No matches found", nil
	}
	return strings.Join(found, "\n"), nil
}
