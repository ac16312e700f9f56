package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/internal/files"
)

// reference finds the file that a document of an API refers to.
var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$ref["']?\s*:\s*["']?([^"'#\s,}]+)`) })

// addNamed adds the hashes of the files that settings name, of the files that those refer to,
// and of those in a folder that a pack may have. They may have so many bytes. A link that
// leads out of the configuration's folder is not followed: where it leads is hashed.
func (b *Beside) addNamed(all map[string]string, left int) error {
	root, err := files.OpenRoot(filepath.Dir(b.path))
	if err != nil {
		return nil //nolint:nilerr // there is none of the files
	}
	defer root.Close() //nolint:errcheck // it was only read
	tree, due := files.Tree{Root: root}, []string{}
	for _, name := range b.named {
		matched, _ := fs.Glob(root.FS(), name)
		due = append(append(due, name), matched...)
	}
	for len(due) > 0 {
		named := due[0]
		due = due[1:]
		err := fs.WalkDir(root.FS(), named, func(name string, e fs.DirEntry, err error) error {
			inside := name != named
			switch _, done := all[name]; {
			case done:
				return nil
			case err == nil && e.IsDir() && inside && strings.HasPrefix(e.Name(), "."):
				return fs.SkipDir
			case err == nil && e.IsDir(), inside && !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)):
				return nil
			}
			f, err := tree.Open(name)
			var text []byte
			if err == nil {
				text, err = files.ReadOpen(f, maxBytesBeside)
				_ = f.Close()
			}
			switch link, wrong := root.Readlink(name); {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil && wrong != nil:
				return fmt.Errorf("%s: %w", name, err)
			case err != nil:
				text = []byte(link)
			}
			all[name] = files.Hash(string(text))
			if left -= len(text); left < 0 || len(all) > maxBeside {
				return fmt.Errorf("%s has more than %d files or %d MiB", named, maxBeside, maxBytesBeside>>20)
			}
			for _, to := range reference().FindAllSubmatch(text, -1) {
				if at := path.Join(path.Dir(name), string(to[1])); filepath.IsLocal(at) && all[at] == "" {
					due = append(due, at)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
