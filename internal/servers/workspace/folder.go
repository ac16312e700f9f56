package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// A folder is the directory the tools may read. Every access goes through an
// [os.Root], so that no link made between a check and a use leads outside.
type folder struct {
	given string // absolute, as configured
	real  string // with symbolic links resolved
	root  *os.Root
}

func openFolder(dir string) (*folder, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("workspace root %q: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(given)
	if err != nil {
		return nil, fmt.Errorf("workspace root %q: %w", dir, files.Reason(err))
	}
	root, err := files.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("workspace root %q: %w", dir, files.Reason(err))
	}
	return &folder{given: given, real: real, root: root}, nil
}

// resolve returns path relative to the folder with its symbolic links followed,
// "." for the folder itself.
func (f *folder) resolve(path string) (string, error) {
	if strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("the path %q contains a NUL character", path)
	}
	abs := path
	if abs == "~" || strings.HasPrefix(abs, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			abs = home + abs[1:]
		}
	}
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(f.real, abs)
	}
	rel, ok := f.inside(abs)
	if !ok {
		return "", fmt.Errorf("access denied: %q is outside the workspace %s; use a path inside it", path, f.given)
	}
	target, err := filepath.EvalSymlinks(filepath.Join(f.real, rel))
	if err != nil {
		return "", fmt.Errorf("%w: %q in the workspace %s", files.Reason(err), path, f.given)
	}
	rel, ok = f.inside(target)
	if !ok {
		return "", fmt.Errorf("access denied: %q is a symbolic link to outside the workspace %s", path, f.given)
	}
	return rel, nil
}

// inside returns abs relative to the folder, and whether it lies in it.
func (f *folder) inside(abs string) (string, bool) {
	for _, base := range []string{f.real, f.given} {
		if rel, err := filepath.Rel(base, abs); err == nil && filepath.IsLocal(rel) {
			return rel, true
		}
	}
	return "", false
}

// directory resolves a path as the caller wrote it and lists the directory there.
func (f *folder) directory(path string) (rel string, list []fs.DirEntry, err error) {
	if rel, err = f.resolve(path); err != nil {
		return "", nil, err
	}
	list, err = f.entries(rel, path)
	return rel, list, err
}

// entries lists a directory sorted by name; path is how the caller wrote it.
func (f *folder) entries(rel, path string) ([]fs.DirEntry, error) {
	d, err := f.root.OpenFile(rel, files.OpenAtOnce, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %q", files.Reason(err), path)
	}
	defer func() { _ = d.Close() }()
	if info, err := d.Stat(); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%q is not a directory; read_text_file reads a file", path)
	}
	list, err := d.ReadDir(maxListEntries + 1)
	if err != nil && len(list) == 0 && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %q", files.Reason(err), path)
	}
	if len(list) > maxListEntries {
		return nil, fmt.Errorf("%q has more than %d entries, the maximum for a list", path, maxListEntries)
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}
